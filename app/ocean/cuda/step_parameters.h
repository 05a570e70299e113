// What the kernels of step.cu are given besides memory, the same bytes for the CPU's compiler and for CUDA's.
#pragma once

namespace spindrift::ocean::cuda {

struct EvolveParameters {
    int log2_size;          ///< of texels along an edge
    unsigned loop_fraction; ///< time / loop period, fraction of 2^32
    float wave_number_step; ///< 2 pi / tile length, rad/m
};

struct AssembleParameters {
    int log2_size;
    float choppiness;
    float foam_threshold;
    float foam_strength;
    float foam_decay;        ///< exp(-rate dt)
    float smallest_jacobian; ///< slopes are computed with J no smaller than this,
    float largest_slope;     ///< and then limited to this steepness
};

} // namespace spindrift::ocean::cuda
