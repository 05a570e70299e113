// What the kernels with one dispatch per axis have in common: one work group transforms one line (a row or a column),
// and its invocations exchange the values between stages through the stores, hence coherent memory.
//
// Defined by the program that includes this, beside the defines of storage.glsl and twiddle.glsl:
//   LOG2_SIZE     log2 N
//   INVOCATIONS   work group size: N / radix / BUTTERFLIES
//   BUTTERFLIES   butterflies that an invocation computes in each stage
//   FIRST_STORE   the store that holds the input of stage 0: 0 = data, 1 = scratch
//   RESULT_SCALE  factor of the last stage's results; only where they are scaled

#define SIZE (1 << LOG2_SIZE)
#define EXCHANGE_QUALIFIER coherent

layout(local_size_x = INVOCATIONS) in;

#include "common/complex.glsl"
#include "fft/storage.glsl"
#include "fft/twiddle.glsl"

int source_of(int stage) {
    return (FIRST_STORE + stage) & 1;
}

int target_of(int stage) {
    return (FIRST_STORE + stage + 1) & 1;
}

Complex read(int stage, int element) {
    return load(source_of(stage), element, int(gl_WorkGroupID.x), int(gl_WorkGroupID.z));
}

void write(int stage, int element, Complex value) {
    save(target_of(stage), element, int(gl_WorkGroupID.x), int(gl_WorkGroupID.z), value);
}

void write_last(int stage, int element, Complex value) {
#ifdef RESULT_SCALE
    value *= RESULT_SCALE;
#endif
    write(stage, element, value);
}

// Called by all invocations of the group: makes this stage's writes visible to the next stage's reads. barrier() alone
// orders execution, not memory.
void end_stage() {
    storage_barrier();
    barrier();
}
