// What a generated kernel is made of: sizes, types, and who computes what. First include of every tuned kernel.
//
// Defined by the program, one for each field of fft::KernelParameters (fft/tuned.h):
//   SCHEDULE              the stages and exchanges of one line, macros of tuned_kernel.glsl in order
//   LOG2_SIZE             log2 N
//   POINTS                elements of a line that an invocation keeps in registers
//   LINES                 lines (rows or columns) that a work group transforms at once
//   TURNS                 times that it does so; it loads the lines of the next turn before it transforms those it has
//   LAYERS                layers that an invocation transforms side by side
//   LAYER_LANES           so many times LAYERS layers are a work group's: as many invocations share an element
//   LANES                 2: the two complex numbers of a vec4 go to two invocations; else 1
//   PACKING               2 = vec2, one complex number per texel; 4 = vec4, two
//   HORIZONTAL            lines are rows; without it, columns
//   DIRECTION             -1 = forward (exponent -), +1 = inverse (exponent +)
//   EXCHANGE_COMPONENTS   floats of a value that go through shared memory at once: 4, 2 or 1
//   EXCHANGE_BUFFERS      2: exchanges take turns between two areas and need half the barriers; else 1
//   EXCHANGE_PADDINGS, EXCHANGE_PERIODS   for each exchange, elements left free, and log2 of after how many; a list each
//   LINE_SLOTS            elements of shared memory that a line takes, those left free included
//   SLOT_OFFSETS          slots of a butterfly at constant offsets from its first; without it, each is computed
//   TWIDDLE_PRODUCTS      loads the twiddles whose exponent is a power of two and multiplies for the others
//   SOURCE_IMAGE, SOURCE_HALF, TARGET_IMAGE, TARGET_HALF, IN_PLACE   the two ends, for tuned_load.glsl, tuned_store.glsl
//   RESULT_SCALE          factor of the results; only where they are scaled

#define SIZE (1 << LOG2_SIZE)
#define LINE_INVOCATIONS (SIZE / POINTS)

// Invocations that share what the group holds of one element; they are neighbours.
#define SHARERS (LANES * LAYER_LANES)

layout(local_size_x = LINE_INVOCATIONS * LINES * SHARERS) in;

// A value is one element of a line in all the layers of the group. Matrices add, subtract and scale by components, so a
// column for each layer lets the same text transform several layers, with one twiddle for all.
#define WIDTH (PACKING / LANES)
#if WIDTH == 4
#define Texel vec4
#if LAYERS == 1
#define Value vec4
#else
#define Value mat2x4
#endif
#else
#define Texel vec2
#if LAYERS == 1
#define Value vec2
#elif LAYERS == 2
#define Value mat2
#else
#define Value mat4x2
#endif
#endif

#include "common/complex.glsl"

#if LAYERS > 1
Value multiply_by_i(Value v) {
#if LAYERS == 2
    return Value(multiply_by_i(v[0]), multiply_by_i(v[1]));
#else
    return Value(multiply_by_i(v[0]), multiply_by_i(v[1]), multiply_by_i(v[2]), multiply_by_i(v[3]));
#endif
}

Value complex_multiply(vec2 w, Value v) {
    return w.x * v + w.y * multiply_by_i(v);
}
#endif

// Where this invocation stands, in unsigned arithmetic: a signed remainder of a power of two takes more instructions.
// Element `position + m * LINE_INVOCATIONS` of the line is point m of the invocation, when it is loaded, after every
// exchange, and when it is stored: so a kernel may write where it has read.
int sharer_of_invocation() {
    return int(gl_LocalInvocationID.x % uint(SHARERS));
}

#ifdef HORIZONTAL
// Neighbouring invocations hold neighbouring elements of a row.
int position_in_line() {
    return int(gl_LocalInvocationID.x / uint(SHARERS) % uint(LINE_INVOCATIONS));
}
int line_of_group() {
    return int(gl_LocalInvocationID.x / uint(SHARERS * LINE_INVOCATIONS));
}
#else
// Neighbouring invocations hold neighbouring columns of a row.
int position_in_line() {
    return int(gl_LocalInvocationID.x / uint(SHARERS * LINES));
}
int line_of_group() {
    return int(gl_LocalInvocationID.x / uint(SHARERS) % uint(LINES));
}
#endif

// Element `element` of line `line` lies at this column and row, and at this index of a layer in a buffer.
#ifdef HORIZONTAL
#define PLACE(element, line) ivec2(element, line)
#define INDEX_IN_LAYER(element, line) ((line) * SIZE + (element))
#define INDEX_STEP LANES
#else
#define PLACE(element, line) ivec2(line, element)
#define INDEX_IN_LAYER(element, line) ((element) * SIZE + (line))
#define INDEX_STEP (SIZE * LANES)
#endif
