#version 450 core
// A generated kernel: one line of N points, or several, by one work group; the points stay in registers, and the
// invocations exchange them through shared memory. The defines are listed in tuned_settings.glsl.
//
// Load and store are separate files so that a caller can put his own in their place: a kernel of four includes.
#include "fft/tuned_settings.glsl"
#include "fft/tuned_load.glsl"
#include "fft/tuned_store.glsl"
#include "fft/tuned_kernel.glsl"
