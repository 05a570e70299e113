// The sea's step in CUDA: evolve and assemble around a cuFFT plan, in linear memory. The formulas are those of
// shaders/ocean/evolve.glsl and assemble.glsl, and what they mean is said there; a change there is one here.
//
// One texel to a thread, neighbours in x to neighbouring threads: every access of a warp is one run of memory.
// `_planar`: four fields of complex numbers one after the other. `_interleaved`: two layers of float4, two complex
// numbers each. Index of a texel in all memory: row * size + column.

#include "app/ocean/cuda/step_parameters.h"

using spindrift::ocean::cuda::AssembleParameters;
using spindrift::ocean::cuda::EvolveParameters;

namespace {

constexpr int group_threads = 256;

struct FieldPairs {
    float2 pair[4]; // Dx + i Dz, h + i Dxz, dh/dx + i dh/dz, Dxx + i Dzz
};

__device__ __forceinline__ int texel_of_thread() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ __forceinline__ float2 complex_multiply(float2 a, float2 b) {
    return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

/// As in shaders/common/sincos.glsl: an exact reduction of turns * 2^-32 of a circle to +-45 degrees, then polynomials.
__device__ __forceinline__ float2 cos_sin_of_turns(unsigned turns) {
    const unsigned quadrant = (turns + 0x20000000U) >> 30U;
    const int remainder = static_cast<int>(turns - (quadrant << 30U));
    const float angle = static_cast<float>(remainder) * 1.46291807926715968e-9F; // 2 pi / 2^32
    const float square = angle * angle;
    const float sine =
        angle +
        angle * square *
            (-0.16666666666666667F +
             square * (0.0083333333333333333F + square * (-1.9841269841269841e-4F + square * 2.7557319223985891e-6F)));
    const float cosine =
        1.0F +
        square * (-0.5F + square * (0.041666666666666667F +
                                    square * (-0.0013888888888888889F +
                                              square * (2.4801587301587302e-5F - square * 2.7557319223985888e-7F))));
    const float2 result = (quadrant & 1U) == 0U ? make_float2(cosine, sine) : make_float2(-sine, cosine);
    return (quadrant & 2U) == 0U ? result : make_float2(-result.x, -result.y);
}

__device__ __forceinline__ int wave_index(int index, int size) {
    return index < size / 2 ? index : index - size;
}

/// `initial` is h0(k) and conj(h0(-k)), `omega_index` m of w = m 2 pi / loop period.
__device__ __forceinline__ FieldPairs evolve(const EvolveParameters& parameters, int texel, float4 initial,
                                             unsigned omega_index) {
    const int size = 1 << parameters.log2_size;
    const float2 phase = cos_sin_of_turns(omega_index * parameters.loop_fraction);
    const float2 along = complex_multiply(make_float2(phase.x, -phase.y), make_float2(initial.x, initial.y));
    const float2 against = complex_multiply(phase, make_float2(initial.z, initial.w));
    const float2 h = make_float2(along.x + against.x, along.y + against.y);

    const float2 k =
        make_float2(parameters.wave_number_step * static_cast<float>(wave_index(texel & (size - 1), size)),
                    parameters.wave_number_step * static_cast<float>(wave_index(texel >> parameters.log2_size, size)));
    const float magnitude = sqrtf(k.x * k.x + k.y * k.y);
    const float inverse = magnitude > 0.0F ? 1.0F / magnitude : 0.0F;
    const float2 direction = make_float2(k.x * inverse, k.y * inverse);

    FieldPairs fields;
    fields.pair[0] = complex_multiply(make_float2(-direction.y, direction.x), h);
    fields.pair[1] = complex_multiply(make_float2(1.0F, -k.x * direction.y), h);
    fields.pair[2] = complex_multiply(make_float2(-k.y, k.x), h);
    fields.pair[3] = complex_multiply(make_float2(-k.x * direction.x, -k.y * direction.y), h);
    return fields;
}

/// Displacement (lambda Dx, h, lambda Dz, J), derivatives (slope_x, slope_z, foam, slope^2), and foam that remembers.
__device__ __forceinline__ void assemble(const AssembleParameters& parameters, int texel, const FieldPairs& fields,
                                         float old_coverage, float4* displacement, float4* derivatives, float* foam) {
    const float jacobian_xz = parameters.choppiness * fields.pair[1].y;
    const float2 stretch =
        make_float2(1.0F + parameters.choppiness * fields.pair[3].x, 1.0F + parameters.choppiness * fields.pair[3].y);
    const float jacobian = stretch.x * stretch.y - jacobian_xz * jacobian_xz;

    const float inverse = 1.0F / fmaxf(jacobian, parameters.smallest_jacobian);
    const float2 height_slope = fields.pair[2];
    float2 slope = make_float2((height_slope.x * stretch.y - height_slope.y * jacobian_xz) * inverse,
                               (height_slope.y * stretch.x - height_slope.x * jacobian_xz) * inverse);
    const float steepness = sqrtf(slope.x * slope.x + slope.y * slope.y);
    if (steepness > parameters.largest_slope) {
        const float shortening = parameters.largest_slope / steepness;
        slope = make_float2(slope.x * shortening, slope.y * shortening);
    }

    const float made = fminf(fmaxf((parameters.foam_threshold - jacobian) * parameters.foam_strength, 0.0F), 1.0F);
    const float coverage = fmaxf(old_coverage * parameters.foam_decay, made);

    displacement[texel] = make_float4(parameters.choppiness * fields.pair[0].x, fields.pair[1].x,
                                      parameters.choppiness * fields.pair[0].y, jacobian);
    derivatives[texel] = make_float4(slope.x, slope.y, coverage, slope.x * slope.x + slope.y * slope.y);
    foam[texel] = coverage;
}

} // namespace

extern "C" __global__ void __launch_bounds__(group_threads)
    evolve_planar(EvolveParameters parameters, const float4* __restrict__ initial,
                  const unsigned* __restrict__ omega_index, float2* __restrict__ fields) {
    const int texel = texel_of_thread(), count = 1 << 2 * parameters.log2_size;
    if (texel >= count) return;
    const FieldPairs values = evolve(parameters, texel, initial[texel], omega_index[texel]);
    for (int pair = 0; pair < 4; ++pair) fields[pair * count + texel] = values.pair[pair];
}

extern "C" __global__ void __launch_bounds__(group_threads)
    evolve_interleaved(EvolveParameters parameters, const float4* __restrict__ initial,
                       const unsigned* __restrict__ omega_index, float4* __restrict__ fields) {
    const int texel = texel_of_thread(), count = 1 << 2 * parameters.log2_size;
    if (texel >= count) return;
    const FieldPairs values = evolve(parameters, texel, initial[texel], omega_index[texel]);
    for (int layer = 0; layer < 2; ++layer) {
        const float2 first = values.pair[2 * layer], second = values.pair[2 * layer + 1];
        fields[layer * count + texel] = make_float4(first.x, first.y, second.x, second.y);
    }
}

extern "C" __global__ void __launch_bounds__(group_threads)
    assemble_planar(AssembleParameters parameters, const float2* __restrict__ fields, float4* __restrict__ displacement,
                    float4* __restrict__ derivatives, float* __restrict__ foam) {
    const int texel = texel_of_thread(), count = 1 << 2 * parameters.log2_size;
    if (texel >= count) return;
    const float old_coverage = foam[texel]; // with the fields, so that all loads are under way at once
    FieldPairs values;
    for (int pair = 0; pair < 4; ++pair) values.pair[pair] = fields[pair * count + texel];
    assemble(parameters, texel, values, old_coverage, displacement, derivatives, foam);
}

extern "C" __global__ void __launch_bounds__(group_threads)
    assemble_interleaved(AssembleParameters parameters, const float4* __restrict__ fields,
                         float4* __restrict__ displacement, float4* __restrict__ derivatives,
                         float* __restrict__ foam) {
    const int texel = texel_of_thread(), count = 1 << 2 * parameters.log2_size;
    if (texel >= count) return;
    const float old_coverage = foam[texel]; // with the fields, so that all loads are under way at once
    FieldPairs values;
    for (int layer = 0; layer < 2; ++layer) {
        const float4 value = fields[layer * count + texel];
        values.pair[2 * layer] = make_float2(value.x, value.y);
        values.pair[2 * layer + 1] = make_float2(value.z, value.w);
    }
    assemble(parameters, texel, values, old_coverage, displacement, derivatives, foam);
}

/// Keeps the stream busy for so many cycles of one multiprocessor, without touching the memory.
extern "C" __global__ void occupy(long long cycles) {
    const long long start = clock64();
    while (clock64() - start < cycles) {
    }
}
