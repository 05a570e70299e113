// Every algorithm x packing x storage x direction x size against the double-precision reference.
#include "tests/gl/fft_fixture.h"

namespace spindrift {
namespace {

using fft::Algorithm;
using fft::Direction;
using fft::Packing;
using fft::Storage;
using fft::TransformDesc;

struct Variant {
    Algorithm algorithm;
    Packing packing;
    Storage storage;
    Direction direction;
};

std::vector<Variant> all_variants() {
    std::vector<Variant> variants;
    for (const Algorithm algorithm : fft::all_algorithms)
        for (const Packing packing : fft::all_packings)
            for (const Storage storage : fft::all_storages)
                for (const Direction direction : fft::all_directions)
                    variants.push_back({algorithm, packing, storage, direction});
    return variants;
}

std::string variant_name(const ::testing::TestParamInfo<Variant>& info) {
    std::string name = fmt::format("{}_{}_{}_{}", to_string(info.param.algorithm), to_string(info.param.packing),
                                   to_string(info.param.storage), to_string(info.param.direction));
    for (char& character : name)
        if (character == '-') character = '_';
    return name;
}

class FftVariant : public test::FftTest, public ::testing::WithParamInterface<Variant> {
protected:
    static TransformDesc desc_of(int size, int layers) {
        const Variant& variant = GetParam();
        return {.size = size,
                .direction = variant.direction,
                .algorithm = variant.algorithm,
                .packing = variant.packing,
                .layers = layers,
                .storage = variant.storage};
    }
};

INSTANTIATE_TEST_SUITE_P(All, FftVariant, ::testing::ValuesIn(all_variants()), variant_name);

TEST_P(FftVariant, RandomInputMeetsTheGateAtEverySize) {
    for (const int size : test::tested_sizes()) {
        // Several layers are tested where they are cheap; 3 is odd and shares no factor with the packing.
        const TransformDesc desc = desc_of(size, size <= 64 ? 3 : size <= 128 ? 2 : 1);
        const auto norms = measure(desc, test::random_texels(desc, 11U + static_cast<unsigned>(size)));
        EXPECT_LT(norms.relative_l2, test::fp32_gate) << test::describe(desc);
        EXPECT_GT(norms.relative_l2, 0.0) << "no float transform is exact: was it executed? " << test::describe(desc);
    }
}

} // namespace
} // namespace spindrift
