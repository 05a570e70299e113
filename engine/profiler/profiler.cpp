#include "engine/profiler/profiler.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>

namespace spindrift::profiler {
namespace {

constexpr std::size_t no_slot = static_cast<std::size_t>(-1);
constexpr std::size_t outside_frame = static_cast<std::size_t>(-1);
constexpr std::size_t outside_frame_and_group = static_cast<std::size_t>(-2);
constexpr Nanoseconds longest_plausible = 60'000'000'000;
constexpr std::size_t least_scopes_reserved_per_frame = 24, spare_scopes_per_frame = 8;

Nanoseconds now() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

bool plausible(Nanoseconds duration) {
    return duration >= 0 && duration <= longest_plausible;
}

/// Room for `count` elements in an empty vector, with its pages mapped already. Very long recordings are only reserved:
/// touching gigabytes that may never be used costs everybody more than a page fault now and then.
template <class Element>
void reserve_and_touch(std::vector<Element>& elements, std::size_t count) {
    constexpr std::size_t most_bytes_touched = std::size_t{128} << 20;
    if (elements.capacity() >= count) return;
    elements.reserve(count);
    elements.resize(std::min(count, most_bytes_touched / sizeof(Element)));
    elements.clear();
}

/// A ring of the last values, allocated once.
class Ring {
public:
    explicit Ring(std::size_t capacity) : values_(capacity, not_available) {}
    void push(double value) {
        values_[next_] = value;
        next_ = (next_ + 1) % values_.size();
        count_ = std::min(count_ + 1, values_.size());
    }
    void clear() { next_ = count_ = 0; }
    std::vector<double> ordered() const {
        std::vector<double> result;
        result.reserve(count_);
        for (std::size_t index = 0; index < count_; ++index)
            result.push_back(values_[(next_ + values_.size() - count_ + index) % values_.size()]);
        return result;
    }

private:
    std::vector<double> values_;
    std::size_t next_ = 0, count_ = 0;
};

} // namespace

struct Profiler::Event {
    int node, source;
    std::size_t begin_slot, end_slot;
    Nanoseconds cpu_begin, cpu_end;
};

struct Profiler::Frame {
    std::vector<Event> events;
    std::vector<std::vector<std::size_t>> slots; ///< by source; grown on demand, kept for later frames
    std::vector<std::size_t> slots_used;
    std::size_t begin_slot = no_slot, end_slot = no_slot;
    Nanoseconds cpu_begin = 0, cpu_end = 0, previous_cpu_end = -1, present_duration = -1;
    bool pending = false; ///< ended, results not yet taken
    bool recorded = false;
};

/// What statistics() looks at.
struct Profiler::Window {
    struct Node {
        Ring gpu_ms, cpu_ms;
        std::size_t missed = 0;
        // Sums of the frame that is being added.
        bool ran = false, timed = false, gpu_valid = true;
        Nanoseconds gpu_sum = 0, cpu_sum = 0;
    };

    explicit Window(std::size_t window_frames)
        : frame_gpu_ms(window_frames), frame_cpu_ms(window_frames), interval_ms(window_frames),
          present_ms(window_frames), capacity(window_frames) {}

    void reset(std::size_t settle_frames) {
        for (Node& node : nodes) {
            node.gpu_ms.clear();
            node.cpu_ms.clear();
            node.missed = 0;
        }
        frame_gpu_ms.clear();
        frame_cpu_ms.clear();
        interval_ms.clear();
        present_ms.clear();
        frames = missed = absurd = 0;
        settle = settle_frames;
    }

    std::vector<Node> nodes;
    std::vector<bool> active; ///< the set of scopes of the latest frame
    Ring frame_gpu_ms, frame_cpu_ms, interval_ms, present_ms;
    std::size_t capacity;
    std::size_t frames = 0, missed = 0, absurd = 0;
    std::size_t settle = 0; ///< frames still to be left out
};

Profiler::Profiler(const gl::DeviceInfo& device, const Options& options)
    : Profiler(make_gl_time_source(device), options) {}

Profiler::Profiler(std::unique_ptr<TimeSource> source, const Options& options)
    : options_(options), ring_(options.ring_frames), shared_slot_(no_slot),
      window_(std::make_unique<Window>(options.window_frames)) {
    assert(options.ring_frames >= 4 && options.window_frames > 0);
    window_->settle = options.settle_frames;
    add_source(std::move(source));
}

Profiler::~Profiler() = default;

int Profiler::add_source(std::unique_ptr<TimeSource> source) {
    assert(!in_frame_);
    recording_.sources.emplace_back(source->name());
    sources_.push_back(std::move(source));
    anchors_.push_back(0);
    recording_.has_timestamps = has_timestamps();
    for (Frame& frame : ring_) {
        frame.slots.resize(sources_.size());
        frame.slots_used.resize(sources_.size(), 0);
    }
    return static_cast<int>(sources_.size()) - 1;
}

int Profiler::find_source(std::string_view name) const noexcept {
    for (std::size_t index = 0; index < sources_.size(); ++index)
        if (sources_[index]->name() == name) return static_cast<int>(index);
    return cpu_only;
}

std::size_t Profiler::take_slot(Frame& frame, int source) {
    if (source == cpu_only) return no_slot;
    const auto index = static_cast<std::size_t>(source);
    TimeSource& clock = *sources_[index];
    if (!clock.has_timestamps()) return no_slot;
    if (frame.slots_used[index] == frame.slots[index].size()) frame.slots[index].push_back(clock.create_slot());
    const std::size_t slot = frame.slots[index][frame.slots_used[index]++];
    clock.record(slot);
    return slot;
}

void Profiler::begin_frame() {
    assert(!in_frame_);
    collect_ready();
    current_ = (current_ + 1) % ring_.size();
    Frame& frame = ring_[current_];
    if (frame.pending && options_.wait_when_full) {
        for (std::size_t source = 0; source < sources_.size(); ++source)
            if (frame.slots_used[source] > 0) sources_[source]->wait(frame.slots[source][frame.slots_used[source] - 1]);
        collect(frame, true);
    }
    if (frame.pending) {
        ++missed_frames_;
        collect(frame, false);
    }
    frame.events.clear();
    std::fill(frame.slots_used.begin(), frame.slots_used.end(), std::size_t{0});
    frame.recorded = frames_to_record_ > 0;
    if (frame.recorded) --frames_to_record_;
    frame.previous_cpu_end = last_end_;
    frame.present_duration = -1;
    shared_slot_ = no_slot;
    in_frame_ = true;
    frame.cpu_begin = now();
    frame.begin_slot = take_slot(frame, 0);
}

void Profiler::end_frame() {
    assert(in_frame_ && open_events_.empty());
    Frame& frame = ring_[current_];
    frame.end_slot = take_slot(frame, 0);
    frame.cpu_end = last_end_ = now();
    frame.pending = true;
    in_frame_ = false;
    ++frame_count_;
}

void Profiler::presented() {
    assert(!in_frame_ && frame_count_ > 0);
    ring_[current_].present_duration = now() - ring_[current_].cpu_end;
}

Profiler::Scope Profiler::scope(std::string_view name, int source) {
    assert(source >= cpu_only && source < static_cast<int>(sources_.size()));
    // Another source's scope may stand where OpenGL has to keep its hands off.
    if (source == 0) sources_.front()->push_group(name);
    if (!in_frame_) return {*this, source == 0 ? outside_frame : outside_frame_and_group};
    Frame& frame = ring_[current_];
    Event event{};
    event.node = find_or_add_node(name);
    event.source = source;
    event.cpu_begin = now();
    const bool shares = options_.share_boundaries && source == 0 && shared_slot_ != no_slot;
    event.begin_slot = shares ? shared_slot_ : take_slot(frame, source);
    shared_slot_ = no_slot;
    frame.events.push_back(event);
    open_events_.push_back(frame.events.size() - 1);
    open_nodes_.push_back(event.node);
    return {*this, frame.events.size() - 1};
}

void Profiler::Scope::end() noexcept {
    if (profiler_ != nullptr) std::exchange(profiler_, nullptr)->end_scope(event_);
}

void Profiler::end_scope(std::size_t event_index) noexcept {
    if (event_index == outside_frame_and_group) return;
    int source = 0;
    if (event_index != outside_frame) {
        assert(in_frame_ && !open_events_.empty() && open_events_.back() == event_index);
        Frame& frame = ring_[current_];
        Event& event = frame.events[event_index];
        source = event.source;
        event.end_slot = take_slot(frame, source);
        event.cpu_end = now();
        shared_slot_ = source == 0 ? event.end_slot : no_slot;
        open_events_.pop_back();
        open_nodes_.pop_back();
    }
    if (source == 0) sources_.front()->pop_group();
}

int Profiler::find_or_add_node(std::string_view name) {
    const int parent = open_nodes_.empty() ? -1 : open_nodes_.back();
    for (std::size_t index = 0; index < nodes_.size(); ++index)
        if (nodes_[index].parent == parent && nodes_[index].name == name) return static_cast<int>(index);
    ScopeNode node{std::string(name), std::string(name), parent, static_cast<int>(open_nodes_.size())};
    if (parent >= 0) node.path = nodes_[static_cast<std::size_t>(parent)].path + "/" + node.name;
    nodes_.push_back(std::move(node));
    window_->nodes.push_back({Ring(window_->capacity), Ring(window_->capacity)});
    window_->active.push_back(false);
    return static_cast<int>(nodes_.size()) - 1;
}

bool Profiler::results_available(const Frame& frame) {
    // The stream is in order: when a source's last timestamp is there, so are all before it.
    for (std::size_t source = 0; source < sources_.size(); ++source) {
        if (frame.slots_used[source] == 0) continue;
        if (!sources_[source]->available(frame.slots[source][frame.slots_used[source] - 1])) return false;
    }
    return true;
}

void Profiler::collect_ready() {
    for (std::size_t step = 1; step <= ring_.size(); ++step) { // from the oldest frame to the latest
        Frame& frame = ring_[(current_ + step) % ring_.size()];
        if (!frame.pending) continue;
        if (!results_available(frame)) return;
        collect(frame, true);
    }
}

void Profiler::drain() {
    assert(!in_frame_);
    for (const auto& source : sources_) source->finish();
    collect_ready();
}

void Profiler::collect(Frame& frame, bool available) {
    frame.pending = false;
    add_to_window(frame, available);
    if (frame.recorded) add_to_recording(frame, available);
}

void Profiler::add_to_window(const Frame& frame, bool available) {
    Window& window = *window_;
    for (const Event& event : frame.events) {
        Window::Node& node = window.nodes[static_cast<std::size_t>(event.node)];
        node.ran = true;
        node.cpu_sum += event.cpu_end - event.cpu_begin;
        node.timed = node.timed || event.source != cpu_only;
        if (!available || event.begin_slot == no_slot) {
            node.gpu_valid = false;
            continue;
        }
        const Nanoseconds duration =
            sources_[static_cast<std::size_t>(event.source)]->elapsed(event.begin_slot, event.end_slot);
        if (!plausible(duration)) {
            node.gpu_valid = false;
            ++window.absurd;
        }
        node.gpu_sum += duration;
    }
    bool set_changed = false;
    for (std::size_t index = 0; index < window.nodes.size(); ++index) {
        set_changed = set_changed || window.nodes[index].ran != window.active[index];
        window.active[index] = window.nodes[index].ran;
    }
    if (set_changed) window.reset(options_.settle_frames);
    const bool settled = window.settle == 0;
    if (!settled) --window.settle;
    for (Window::Node& node : window.nodes) {
        if (node.ran && settled) {
            node.cpu_ms.push(static_cast<double>(node.cpu_sum) * 1e-6);
            node.gpu_ms.push(node.gpu_valid ? static_cast<double>(node.gpu_sum) * 1e-6 : not_available);
            if (!node.gpu_valid && node.timed && has_timestamps()) ++node.missed;
        }
        node.ran = node.timed = false;
        node.gpu_valid = true;
        node.gpu_sum = node.cpu_sum = 0;
    }
    if (!settled) return;
    double gpu_ms = not_available;
    if (available && frame.begin_slot != no_slot) {
        const Nanoseconds duration = sources_.front()->elapsed(frame.begin_slot, frame.end_slot);
        if (plausible(duration))
            gpu_ms = static_cast<double>(duration) * 1e-6;
        else
            ++window.absurd;
    }
    window.frame_gpu_ms.push(gpu_ms);
    window.frame_cpu_ms.push(static_cast<double>(frame.cpu_end - frame.cpu_begin) * 1e-6);
    window.interval_ms.push(frame.previous_cpu_end == -1
                                ? not_available
                                : static_cast<double>(frame.cpu_end - frame.previous_cpu_end) * 1e-6);
    window.present_ms.push(frame.present_duration < 0 ? not_available
                                                      : static_cast<double>(frame.present_duration) * 1e-6);
    ++window.frames;
    if (!available) ++window.missed;
}

void Profiler::add_to_recording(const Frame& frame, bool available) {
    // Frames in flight when record() was called belong to no recording; those of an older recording are not marked.
    RecordedFrame row;
    row.index = recording_.frames.size();
    row.cpu_begin = frame.cpu_begin - recording_.origin;
    row.cpu_end = frame.cpu_end - recording_.origin;
    row.has_previous = frame.previous_cpu_end != -1;
    row.previous_cpu_end = frame.previous_cpu_end - recording_.origin;
    row.gpu_missed = !available;
    row.present_duration = frame.present_duration;
    row.first_scope = recording_.scopes.size();
    row.scope_count = frame.events.size();
    const auto read = [&](int source, std::size_t begin, std::size_t end, auto& target) {
        if (!available || begin == no_slot) return;
        TimeSource& clock = *sources_[static_cast<std::size_t>(source)];
        target.gpu_duration = clock.elapsed(begin, end);
        target.gpu_valid = plausible(target.gpu_duration);
        if (target.gpu_valid)
            target.gpu_begin =
                clock.since_anchor(begin) + anchors_[static_cast<std::size_t>(source)] - recording_.origin;
        else
            ++recording_.absurd;
    };
    read(0, frame.begin_slot, frame.end_slot, row);
    for (const Event& event : frame.events) {
        RecordedScope scope{event.node, event.source, event.cpu_begin - recording_.origin,
                            event.cpu_end - recording_.origin};
        read(event.source, event.begin_slot, event.end_slot, scope);
        recording_.scopes.push_back(scope);
    }
    recording_.frames.push_back(row);
    if (recording_.nodes.size() != nodes_.size()) recording_.nodes = nodes_;
}

Statistics Profiler::statistics() const {
    const Window& window = *window_;
    Statistics result;
    result.frame = {summarize(window.frame_cpu_ms.ordered()),
                    summarize(window.frame_gpu_ms.ordered()),
                    summarize(window.interval_ms.ordered()),
                    summarize(window.present_ms.ordered()),
                    window.frames,
                    window.missed,
                    window.absurd};
    for (const int index : depth_first(nodes_)) {
        const auto at = static_cast<std::size_t>(index);
        if (!window.active[at]) continue;
        const Window::Node& node = window.nodes[at];
        ScopeStatistics scope{nodes_[at].path,
                              nodes_[at].name,
                              nodes_[at].depth,
                              summarize(node.gpu_ms.ordered()),
                              summarize(node.cpu_ms.ordered()),
                              0,
                              node.missed};
        scope.samples = scope.gpu_ms.count + scope.missed > 0 ? scope.gpu_ms.count : scope.cpu_ms.count;
        result.scopes.push_back(std::move(scope));
    }
    return result;
}

History Profiler::history() const {
    History history{
        window_->frame_cpu_ms.ordered(), window_->frame_gpu_ms.ordered(), window_->interval_ms.ordered(), {}};
    for (const int index : depth_first(nodes_)) {
        const auto at = static_cast<std::size_t>(index);
        if (window_->active[at])
            history.passes.push_back({nodes_[at].name, nodes_[at].depth, window_->nodes[at].gpu_ms.ordered()});
    }
    return history;
}

void Profiler::reset_statistics() {
    window_->reset(options_.settle_frames);
}

void Profiler::prepare_recording(std::size_t frames) {
    assert(!in_frame_ && frames > 0);
    for (Frame& frame : ring_) frame.recorded = false;
    frames_to_record_ = 0;
    // More than the latest frame had leaves room for passes that come and go.
    const std::size_t scopes_per_frame =
        std::max(least_scopes_reserved_per_frame, ring_[current_].events.size() + spare_scopes_per_frame);
    recording_.frames.clear();
    recording_.scopes.clear();
    reserve_and_touch(recording_.frames, frames);
    reserve_and_touch(recording_.scopes, frames * scopes_per_frame);
}

void Profiler::record(std::size_t frames) {
    prepare_recording(frames);
    recording_.nodes = nodes_;
    recording_.requested_frames = frames;
    recording_.absurd = 0;
    frames_to_record_ = frames;
    last_end_ = -1;
    // Reading a device's clock takes a while; the middle of the call is the best guess for when it was read.
    for (std::size_t source = 0; source < sources_.size(); ++source) {
        const Nanoseconds before = now();
        if (sources_[source]->has_timestamps()) sources_[source]->anchor();
        anchors_[source] = before + (now() - before) / 2;
    }
    recording_.origin = anchors_.front();
}

bool Profiler::recording_active() const noexcept {
    return frames_to_record_ > 0;
}

void Profiler::stop_recording() {
    frames_to_record_ = 0;
}

} // namespace spindrift::profiler
