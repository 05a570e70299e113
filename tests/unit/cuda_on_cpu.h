// Just enough of CUDA's language for a compiler of the CPU to run simple kernels, thread after thread: no shared memory
// and no barriers. Include it before the .cu file.
#pragma once

#include <math.h> // NOLINT(modernize-deprecated-headers): sqrtf and its like without a namespace, as in CUDA

#define __device__
#define __global__
#define __forceinline__ inline
#define __launch_bounds__(threads)

struct float2 {
    float x, y;
};
struct alignas(16) float4 {
    float x, y, z, w;
};
inline float2 make_float2(float x, float y) {
    return {x, y};
}
inline float4 make_float4(float x, float y, float z, float w) {
    return {x, y, z, w};
}

struct ThreadIndex {
    unsigned x = 0, y = 0, z = 0;
};
inline ThreadIndex blockIdx, blockDim, threadIdx;

/// Time flies: each look at the clock is a thousand cycles later.
inline long long clock64() {
    static long long cycles = 0;
    return cycles += 1000;
}

/// Runs every thread of a launch in one dimension.
template <class Kernel, class... Arguments>
void launch_on_cpu(unsigned groups, unsigned threads, Kernel kernel, Arguments... arguments) {
    blockDim = {threads, 1, 1};
    for (blockIdx.x = 0; blockIdx.x < groups; ++blockIdx.x)
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x) kernel(arguments...);
}
