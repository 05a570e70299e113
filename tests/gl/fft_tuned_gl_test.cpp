// The generator of tuned kernels: every legal set of parameters, on small transforms, gives the right one.
#include "tests/gl/fft_fixture.h"

#include "fft/tuned.h"

#include <cstring>
#include <map>
#include <set>

namespace spindrift {
namespace {

using fft::Direction;
using fft::KernelEnd;
using fft::KernelParameters;
using fft::Packing;
using fft::Placement;
using fft::Precision;
using fft::Storage;
using fft::TransformDesc;
using fft::TunedSchedule;

/// Inputs and references, made once for each description.
class FftTuned : public test::FftTest {
protected:
    struct Case {
        std::vector<float> input;
        std::vector<std::vector<fft::reference::Complex>> expected;
    };

    static const Case& case_of(const TransformDesc& desc) {
        static std::map<std::string, Case> cases;
        const auto key =
            fmt::format("{} {} {} {}", desc.size, to_string(desc.direction), to_string(desc.packing), desc.layers);
        const auto [found, added] = cases.try_emplace(key);
        if (added) {
            found->second.input = test::random_texels(desc, 31);
            found->second.expected = fft::reference::transform_batch(found->second.input, desc);
        }
        return found->second;
    }

    static void expect_right(const TransformDesc& desc, const TunedSchedule& schedule) {
        ASSERT_EQ(fft::why_no_schedule(schedule, desc, device().limits), std::nullopt) << schedule.to_string();
        fft::Plan plan(desc, schedule, library(), device().limits);
        poison_scratch(plan);
        const Case& known = case_of(desc);
        const std::vector<float> output = execute(plan, known.input);
        const auto norms = fft::reference::batch_error_norms(output, desc, known.expected);
        EXPECT_LT(norms.relative_l2, fft::gate_of(desc)) << test::describe(desc) << ' ' << schedule.to_string();
        EXPECT_GT(norms.relative_l2, 0.0) << test::describe(desc) << ' ' << schedule.to_string();
    }

    /// Rows and columns alike but for their ends; the data in `desc.storage`, the intermediate values in `between`.
    static TunedSchedule schedule_of(const TransformDesc& desc, const KernelParameters& shape, KernelEnd between,
                                     Placement placement) {
        const auto with_ends = [&](fft::Axis axis, KernelEnd source, KernelEnd target) {
            KernelParameters kernel = shape;
            kernel.axis = axis;
            kernel.direction = desc.direction;
            kernel.packing = desc.packing;
            kernel.source = source;
            kernel.target = target;
            kernel.placement = placement;
            return kernel;
        };
        return {with_ends(fft::Axis::horizontal, fft::data_end(desc), between),
                with_ends(fft::Axis::vertical, between, fft::data_end(desc))};
    }
};

/// A software renderer's compiler takes seconds for the longest kernels, whose text is unrolled over all of these.
bool is_long_text(const KernelParameters& kernel) {
    const int floats = 2 * fft::complex_per_texel(kernel.packing) / kernel.lanes;
    const int turns = kernel.turns > 1 ? 2 : 1; // a compiler may write them out
    return kernel.stages() * kernel.points * kernel.layers * turns * (1 + floats / kernel.exchange_components) > 100;
}

/// All ordered factorisations of `size` into the radices up to `points`.
void factorise(int size, int points, KernelParameters& shape, std::size_t stage, std::vector<KernelParameters>& found) {
    if (size == 1) {
        found.push_back(shape);
        return;
    }
    for (const int radix : {2, 4, 8, 16})
        if (radix <= points && size % radix == 0) {
            shape.radices[stage] = static_cast<std::uint8_t>(radix);
            factorise(size / radix, points, shape, stage + 1, found);
            shape.radices[stage] = 0;
        }
}

std::vector<KernelParameters> all_factorisations(int size) {
    std::vector<KernelParameters> found;
    for (const int points : {2, 4, 8, 16}) {
        KernelParameters shape;
        shape.points = static_cast<std::uint8_t>(points);
        factorise(size, points, shape, 0, found);
    }
    return found;
}

TEST_F(FftTuned, EveryOrderOfRadicesWithAnyNumberOfPointsIsRight) {
    for (const int size : {16, 32}) {
        // Of 32, whose kernels take a software renderer long to compile, only some.
        TransformDesc desc{.size = size, .algorithm = fft::Algorithm::tuned, .storage = Storage::buffer};
        std::size_t count = 0;
        for (const KernelParameters& shape : all_factorisations(size)) {
            if (size == 32 && !test::all_sizes_wanted() && shape.stages() > 2) continue;
            desc.direction = ++count % 2 == 0 ? Direction::forward : Direction::inverse;
            expect_right(desc, schedule_of(desc, shape, fft::data_end(desc), Placement::in_place));
        }
        EXPECT_GE(count, 4U);
    }
}

/// Every value of every field against every other would be some 10^5 programs: these are drawn at random.
TEST_F(FftTuned, KernelsDrawnAtRandomAreRight) {
    std::mt19937 generator(5);
    const auto draw = [&generator](std::initializer_list<int> values) {
        return static_cast<std::uint8_t>(*(values.begin() + generator() % values.size()));
    };
    const int wanted = test::all_sizes_wanted() ? 400 : 16;
    std::set<std::string> seen;
    int tried = 0;
    for (int attempt = 0; attempt < 4000 && tried < wanted; ++attempt) {
        const int size = draw({16, 32, 64});
        TransformDesc desc{.size = size,
                           .direction = draw({0, 1}) == 0 ? Direction::forward : Direction::inverse,
                           .algorithm = fft::Algorithm::tuned,
                           .packing = draw({0, 1}) == 0 ? Packing::vec2 : Packing::vec4,
                           .layers = 4,
                           .storage = draw({0, 1}) == 0 ? Storage::image : Storage::buffer};
        const auto factorisations = all_factorisations(size);
        KernelParameters shape = factorisations[generator() % factorisations.size()];
        shape.lines = draw({1, 2, 4, 16});
        shape.layers = draw({1, 2, 4});
        shape.lanes = draw({1, 1, 2});
        shape.layer_lanes = draw({1, 1, 2, 4});
        shape.turns = draw({1, 1, 2, 4});
        shape.exchange_components = draw({1, 2, 4});
        shape.exchange_buffers = draw({1, 2});
        shape.padded = draw({0, 1, 1});
        shape.twiddles = draw({0, 1}) == 0 ? fft::Twiddles::table : fft::Twiddles::products;
        shape.early_twiddles = draw({0, 1});
        shape.slot_offsets = draw({0, 1});
        KernelEnd between = fft::data_end(desc);
        const Placement placement = draw({0, 1}) == 0 ? Placement::in_place : Placement::out_of_place;
        if (placement == Placement::out_of_place) {
            between.storage = draw({0, 1}) == 0 ? Storage::image : Storage::buffer;
            between.precision = desc.intermediate = draw({0, 1}) == 0 ? Precision::fp16 : Precision::fp32;
        }
        const TunedSchedule schedule = schedule_of(desc, shape, between, placement);
        if (fft::why_no_schedule(schedule, desc, device().limits)) continue; // the unit tests look at those
        if (is_long_text(schedule.rows) && !test::all_sizes_wanted()) continue;
        if (!seen.insert(schedule.to_string()).second) continue;
        ++tried;
        expect_right(desc, schedule);
    }
    EXPECT_EQ(tried, wanted);
}

TEST_F(FftTuned, TheDefaultScheduleIsRightAtEveryStorageAndPrecision) {
    for (const int size : {16, 32, 128, 256})
        for (const Storage storage : fft::all_storages)
            for (const Packing packing : fft::all_packings)
                for (const Precision precision : fft::all_precisions) {
                    const TransformDesc desc{.size = size,
                                             .algorithm = fft::Algorithm::tuned,
                                             .packing = packing,
                                             .layers = 1,
                                             .storage = storage,
                                             .intermediate = precision};
                    const auto schedule = fft::default_schedule(desc, device().limits);
                    ASSERT_TRUE(schedule.has_value()) << test::describe(desc);
                    expect_right(desc, *schedule);
                }
}

/// 4096 x 4096 takes a software renderer a minute; its kernels need only be right on a few lines.
TEST_F(FftTuned, ALineOf4096IsRight) {
    if (test::all_sizes_wanted()) {
        const TransformDesc desc{.size = 4096, .algorithm = fft::Algorithm::tuned, .packing = Packing::vec2};
        expect_right(desc, fft::default_schedule(desc, device().limits).value());
    }
    const TransformDesc desc{
        .size = 4096, .algorithm = fft::Algorithm::tuned, .packing = Packing::vec2, .storage = Storage::buffer};
    KernelParameters kernel = fft::default_schedule(desc, device().limits).value().rows;
    kernel.placement = Placement::in_place;
    kernel.source = kernel.target = fft::data_end(desc);
    const int lines = 4;
    std::vector<float> values(std::size_t{4096} * 2 * lines);
    std::mt19937 generator(3);
    for (float& value : values) value = static_cast<float>(generator() >> 8U) * 0x1p-23F - 1.0F;
    const std::vector<float> table = fft::tuned_twiddle_table(kernel);
    const gl::Buffer data = gl::Buffer::from(std::span<const float>(values), "lines of 4096");
    const gl::Buffer twiddles = gl::Buffer::from(std::span(table), "twiddles of 4096");
    data.bind(gl::BufferTarget::shader_storage, 0);
    twiddles.bind(gl::BufferTarget::shader_storage, 2);
    library().get(fft::tuned_recipe(kernel)).dispatch_groups(lines / kernel.lines);
    gl::memory_barrier(gl::Visibility::buffer_update);
    std::vector<float> output(values.size());
    data.download(std::as_writable_bytes(std::span(output)));
    for (int line = 0; line < lines; ++line) {
        std::vector<fft::reference::Complex> expected;
        std::vector<fft::reference::Complex> actual;
        for (std::size_t index = static_cast<std::size_t>(line) * 8192; index < (line + 1U) * 8192; index += 2) {
            expected.emplace_back(values[index], values[index + 1]);
            actual.emplace_back(output[index], output[index + 1]);
        }
        fft::reference::transform_line(expected, desc.direction);
        EXPECT_LT(fft::reference::error_norms(actual, expected).relative_l2, fft::fp32_gate) << "line " << line;
    }
}

TEST_F(FftTuned, RefusesAScheduleOfAnotherTransform) {
    const TransformDesc desc{.size = 64, .algorithm = fft::Algorithm::tuned, .layers = 3};
    TunedSchedule schedule = fft::default_schedule(desc, device().limits).value();
    EXPECT_NO_THROW(fft::Plan(desc, schedule, library(), device().limits));
    TransformDesc other = desc;
    other.size = 128;
    EXPECT_THROW(fft::Plan(other, schedule, library(), device().limits), Error);
    other = desc;
    other.storage = Storage::buffer;
    EXPECT_THROW(fft::Plan(other, schedule, library(), device().limits), Error);
    schedule.rows.layers = 2; // three layers are no multiple of two
    EXPECT_THROW(fft::Plan(desc, schedule, library(), device().limits), Error);
}

} // namespace
} // namespace spindrift
