// Reports in JSON, as `spindrift compare` reads them: from a file, since that is what it takes.
#include "tests/fuzz/target.h"

#include "app/report/comparison.h"
#include "engine/error.h"

#include <cstdio>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

/// A file in memory that is written anew for each input.
class MemoryFile {
public:
    explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
        if (descriptor_ < 0) spindrift::fuzz::fail("no file in memory");
    }
    std::string write(const void* data, std::size_t size) const {
        if (::ftruncate(descriptor_, 0) != 0 || ::pwrite(descriptor_, data, size, 0) != static_cast<ssize_t>(size))
            spindrift::fuzz::fail("the file in memory cannot be written");
        return "/proc/self/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};

/// A run of 40 frames by the figures of its passes; the report is made as the program makes it.
spindrift::report::Group sound_report() {
    using namespace spindrift;
    profiler::Recording recording;
    recording.nodes = {{"step", "step", -1, 0}, {"evolve", "step/evolve", 0, 1}};
    recording.sources = {"GL"};
    for (int index = 0; index < 40; ++index) {
        profiler::RecordedFrame frame;
        frame.index = static_cast<std::uint64_t>(index);
        frame.cpu_begin = index * profiler::Nanoseconds{10'000'000};
        frame.cpu_end = frame.cpu_begin + 4'000'000;
        frame.gpu_valid = true;
        frame.gpu_duration = 7'000'000 + index * 1000;
        frame.first_scope = recording.scopes.size();
        frame.scope_count = 2;
        for (const int node : {0, 1})
            recording.scopes.push_back(
                {node, 0, frame.cpu_begin, frame.cpu_end, true, frame.cpu_begin, 6'000'000 - node * 1'000'000});
        recording.frames.push_back(frame);
    }
    report::Report report;
    report.recording = recording;
    report.run.vsync = "off";
    report::Group group;
    group.name = "sound";
    group.paths = {"sound.json"};
    group.reports = {report::to_json(report)};
    return group;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace spindrift;
    static const report::Group sound = sound_report();
    static const MemoryFile file("report");
    try {
        const report::Group read = report::load_group(file.write(data, size));
        const std::vector<report::Comparison> comparisons{report::compare(sound, read, 5.0),
                                                          report::compare(read, read, 0.0)};
        for (const report::Comparison& comparison : comparisons) report::to_text(comparison, true);
        report::to_json(comparisons).dump(2, ' ', false, report::Json::error_handler_t::replace);
        // What JSON text gives is equal to itself; a number that is not finite cannot come out of it.
        if (!comparisons.back().settings.empty() || !comparisons.back().facts.empty() ||
            !comparisons.back().regressions().empty())
            fuzz::fail("a report differs from itself");
    } catch (const Error&) { // refused
        return 0;
    }
    return 0;
}
