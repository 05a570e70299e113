// The kernel: load, the stages of SCHEDULE, store, as often as TURNS says. Stockham's order by high radices: before and after every stage an
// invocation holds the elements position + m * LINE_INVOCATIONS, and only shared memory sees another order.
//
// Everything is unrolled by the preprocessor, so that every index into the registers is a literal: an array that is
// indexed by a variable would live in memory.
//
// SCHEDULE is a list of
//   FIRST_r                   butterflies of radix r, without twiddles
//   EXCHANGE_r(stride, n)     exchange number n, after butterflies of radix r at that stride
//   TWIDDLES_r(stride, table) loads the twiddles of the stage that comes next, from that place of the table on
//   STAGE_r                   multiplies by these and computes butterflies of radix r
// stride is the product of the radices before: the length of the transforms that are finished. Twiddles may be loaded
// before the exchange or behind it: before, their latency hides in it, and they occupy registers meanwhile.

#include "fft/butterflies.glsl"

layout(std430, binding = 2) readonly restrict buffer TwiddleBuffer {
    // For each stage but the first, of radix r and stride s: exp(DIRECTION 2 pi i q k / (r s)) for q = 1 .. r - 1, and
    // for each q, k = 0 .. s - 1, so that neighbouring invocations read neighbours.
    vec2 twiddles[];
};

#define EXCHANGE_ROUNDS_PER_LAYER (WIDTH / EXCHANGE_COMPONENTS)
#define EXCHANGE_ROUNDS (LAYERS * EXCHANGE_ROUNDS_PER_LAYER)

#if LAYERS == 1
#define LAYER_IN_ROUND(value, round) value
#else
#define LAYER_IN_ROUND(value, round) value[(round) / EXCHANGE_ROUNDS_PER_LAYER]
#endif

#if EXCHANGE_COMPONENTS == WIDTH
#define Part Texel
#define PART_OF(value, round) LAYER_IN_ROUND(value, round)
#define SET_PART(value, round, part) LAYER_IN_ROUND(value, round) = part;
#elif EXCHANGE_COMPONENTS == 2
#define Part vec2
#define PART_OF(value, round) \
    vec2(LAYER_IN_ROUND(value, round)[2 * ((round) % 2)], LAYER_IN_ROUND(value, round)[2 * ((round) % 2) + 1])
#define SET_PART(value, round, part) \
    LAYER_IN_ROUND(value, round)[2 * ((round) % 2)] = part.x; \
    LAYER_IN_ROUND(value, round)[2 * ((round) % 2) + 1] = part.y;
#else
#define Part float
#define PART_OF(value, round) LAYER_IN_ROUND(value, round)[(round) % WIDTH]
#define SET_PART(value, round, part) LAYER_IN_ROUND(value, round)[(round) % WIDTH] = part;
#endif

// Slots of shared memory. Without padding, the power-of-two strides of the writes would meet in a few banks.
#if PADDING_SHIFT == 0
#define PADDED(slot) (slot)
#else
#define PADDED(slot) ((slot) + ((slot) >> PADDING_SHIFT))
#endif
#define PADDING_PERIOD (1 << PADDING_SHIFT)
#define EXCHANGE_SLOTS PADDED(SIZE * LINES * SHARERS)

shared Part exchange[EXCHANGE_BUFFERS * EXCHANGE_SLOTS];

#ifdef HORIZONTAL
#define SLOT_STEP SHARERS
#define SLOT_BASE (line_in_group * SIZE * SHARERS + sharer)
#else
#define SLOT_STEP (LINES * SHARERS)
#define SLOT_BASE (line_in_group * SHARERS + sharer)
#endif
#define SLOT(element) PADDED((element) * SLOT_STEP + SLOT_BASE)

// SLOT(element + offset). Where the offset is a multiple of the padding period, or stays within one, the padding of the
// sum is known without computing it; all operands but the first are constants. `block` is an aligned power of two that
// holds both elements.
#define SLOT_AT_OFFSET(element, offset, block) \
    ((offset) * SLOT_STEP % PADDING_PERIOD == 0 ? SLOT(element) + PADDED((offset) * SLOT_STEP) \
     : (block) * SLOT_STEP <= PADDING_PERIOD    ? SLOT(element) + (offset) * SLOT_STEP \
                                                : SLOT((element) + (offset)))

#define EXCHANGE_AREA(number, round) (((number) * EXCHANGE_ROUNDS + (round)) % EXCHANGE_BUFFERS * EXCHANGE_SLOTS)

// With one area, nobody may write before everybody has read what was there. With two, the barrier of the exchange in
// between says so.
#if EXCHANGE_BUFFERS == 1
#define WAIT_FOR_READERS(number, round) \
    if ((number) * EXCHANGE_ROUNDS + (round) > 0) { \
        memoryBarrierShared(); \
        barrier(); \
    }
#else
#define WAIT_FOR_READERS(number, round)
#endif
// A turn begins with the shared memory that the one before it has used.
#if TURNS > 1
#define WAIT_FOR_LAST_TURN \
    memoryBarrierShared(); \
    barrier();
#else
#define WAIT_FOR_LAST_TURN
#endif

#if POINTS == 2
#define EACH_POINT(DO, a, b) \
    DO(0, a, b) DO(1, a, b)
#elif POINTS == 4
#define EACH_POINT(DO, a, b) \
    DO(0, a, b) DO(1, a, b) DO(2, a, b) DO(3, a, b)
#elif POINTS == 8
#define EACH_POINT(DO, a, b) \
    DO(0, a, b) DO(1, a, b) DO(2, a, b) DO(3, a, b) DO(4, a, b) DO(5, a, b) DO(6, a, b) DO(7, a, b)
#elif POINTS == 16
#define EACH_POINT(DO, a, b) \
    DO(0, a, b) DO(1, a, b) DO(2, a, b) DO(3, a, b) DO(4, a, b) DO(5, a, b) DO(6, a, b) DO(7, a, b) DO(8, a, b) \
    DO(9, a, b) DO(10, a, b) DO(11, a, b) DO(12, a, b) DO(13, a, b) DO(14, a, b) DO(15, a, b)
#endif

#if EXCHANGE_ROUNDS == 1
#define EACH_ROUND(DO, a, b, c) \
    DO(0, a, b, c)
#elif EXCHANGE_ROUNDS == 2
#define EACH_ROUND(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c)
#elif EXCHANGE_ROUNDS == 4
#define EACH_ROUND(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c) DO(2, a, b, c) DO(3, a, b, c)
#elif EXCHANGE_ROUNDS == 8
#define EACH_ROUND(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c) DO(2, a, b, c) DO(3, a, b, c) DO(4, a, b, c) DO(5, a, b, c) DO(6, a, b, c) \
    DO(7, a, b, c)
#endif

// The butterflies of a radix that an invocation computes.
#if POINTS / 2 == 1
#define EACH_BUTTERFLY_2(DO, a, b, c) \
    DO(0, a, b, c)
#elif POINTS / 2 == 2
#define EACH_BUTTERFLY_2(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c)
#elif POINTS / 2 == 4
#define EACH_BUTTERFLY_2(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c) DO(2, a, b, c) DO(3, a, b, c)
#elif POINTS / 2 == 8
#define EACH_BUTTERFLY_2(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c) DO(2, a, b, c) DO(3, a, b, c) DO(4, a, b, c) DO(5, a, b, c) DO(6, a, b, c) \
    DO(7, a, b, c)
#endif
#if POINTS / 4 == 1
#define EACH_BUTTERFLY_4(DO, a, b, c) \
    DO(0, a, b, c)
#elif POINTS / 4 == 2
#define EACH_BUTTERFLY_4(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c)
#elif POINTS / 4 == 4
#define EACH_BUTTERFLY_4(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c) DO(2, a, b, c) DO(3, a, b, c)
#endif
#if POINTS / 8 == 1
#define EACH_BUTTERFLY_8(DO, a, b, c) \
    DO(0, a, b, c)
#elif POINTS / 8 == 2
#define EACH_BUTTERFLY_8(DO, a, b, c) \
    DO(0, a, b, c) DO(1, a, b, c)
#endif
#if POINTS / 16 == 1
#define EACH_BUTTERFLY_16(DO, a, b, c) \
    DO(0, a, b, c)
#endif

// Value q of butterfly b.
#define IN_BUTTERFLY(radix, b, q) v[(b) + (q) * (POINTS / radix)]
#define BUTTERFLY_INDEX(b) (position + (b) * LINE_INVOCATIONS)

#define FIRST_BUTTERFLY_2(b, unused_1, unused_2, unused_3) \
    butterfly2(IN_BUTTERFLY(2, b, 0), IN_BUTTERFLY(2, b, 1));
#define FIRST_BUTTERFLY_4(b, unused_1, unused_2, unused_3) \
    butterfly4(IN_BUTTERFLY(4, b, 0), IN_BUTTERFLY(4, b, 1), IN_BUTTERFLY(4, b, 2), IN_BUTTERFLY(4, b, 3));
#define FIRST_BUTTERFLY_8(b, unused_1, unused_2, unused_3) \
    butterfly8(IN_BUTTERFLY(8, b, 0), IN_BUTTERFLY(8, b, 1), IN_BUTTERFLY(8, b, 2), IN_BUTTERFLY(8, b, 3), \
                IN_BUTTERFLY(8, b, 4), IN_BUTTERFLY(8, b, 5), IN_BUTTERFLY(8, b, 6), IN_BUTTERFLY(8, b, 7));
#define FIRST_BUTTERFLY_16(b, unused_1, unused_2, unused_3) \
    butterfly16(IN_BUTTERFLY(16, b, 0), IN_BUTTERFLY(16, b, 1), IN_BUTTERFLY(16, b, 2), IN_BUTTERFLY(16, b, 3), \
                 IN_BUTTERFLY(16, b, 4), IN_BUTTERFLY(16, b, 5), IN_BUTTERFLY(16, b, 6), IN_BUTTERFLY(16, b, 7), \
                 IN_BUTTERFLY(16, b, 8), IN_BUTTERFLY(16, b, 9), IN_BUTTERFLY(16, b, 10), \
                 IN_BUTTERFLY(16, b, 11), IN_BUTTERFLY(16, b, 12), IN_BUTTERFLY(16, b, 13), \
                 IN_BUTTERFLY(16, b, 14), IN_BUTTERFLY(16, b, 15));

// Twiddle q of butterfly b; there is none for q = 0.
#define TWIDDLE(radix, b, q) w[(b) + ((q) - 1) * (POINTS / radix)]
#define LOAD_TWIDDLE(radix, b, q, stride, table) \
    TWIDDLE(radix, b, q) = twiddles[(table) + ((q) - 1) * (stride) + (BUTTERFLY_INDEX(b) & ((stride) - 1))];

#ifdef TWIDDLE_PRODUCTS
#define LOAD_TWIDDLES_2(b, stride, table, unused) \
    LOAD_TWIDDLE(2, b, 1, stride, table)
#define LOAD_TWIDDLES_4(b, stride, table, unused) \
    LOAD_TWIDDLE(4, b, 1, stride, table) \
    LOAD_TWIDDLE(4, b, 2, stride, table)
#define LOAD_TWIDDLES_8(b, stride, table, unused) \
    LOAD_TWIDDLE(8, b, 1, stride, table) \
    LOAD_TWIDDLE(8, b, 2, stride, table) \
    LOAD_TWIDDLE(8, b, 4, stride, table)
#define LOAD_TWIDDLES_16(b, stride, table, unused) \
    LOAD_TWIDDLE(16, b, 1, stride, table) \
    LOAD_TWIDDLE(16, b, 2, stride, table) \
    LOAD_TWIDDLE(16, b, 4, stride, table) \
    LOAD_TWIDDLE(16, b, 8, stride, table)
#define MULTIPLY_TWIDDLES_2(b)
#define MULTIPLY_TWIDDLES_4(b) \
    TWIDDLE(4, b, 3) = complex_multiply(TWIDDLE(4, b, 2), TWIDDLE(4, b, 1));
#define MULTIPLY_TWIDDLES_8(b) \
    TWIDDLE(8, b, 3) = complex_multiply(TWIDDLE(8, b, 2), TWIDDLE(8, b, 1)); \
    TWIDDLE(8, b, 5) = complex_multiply(TWIDDLE(8, b, 4), TWIDDLE(8, b, 1)); \
    TWIDDLE(8, b, 6) = complex_multiply(TWIDDLE(8, b, 4), TWIDDLE(8, b, 2)); \
    TWIDDLE(8, b, 7) = complex_multiply(TWIDDLE(8, b, 4), TWIDDLE(8, b, 3));
#define MULTIPLY_TWIDDLES_16(b) \
    TWIDDLE(16, b, 3) = complex_multiply(TWIDDLE(16, b, 2), TWIDDLE(16, b, 1)); \
    TWIDDLE(16, b, 5) = complex_multiply(TWIDDLE(16, b, 4), TWIDDLE(16, b, 1)); \
    TWIDDLE(16, b, 6) = complex_multiply(TWIDDLE(16, b, 4), TWIDDLE(16, b, 2)); \
    TWIDDLE(16, b, 7) = complex_multiply(TWIDDLE(16, b, 4), TWIDDLE(16, b, 3)); \
    TWIDDLE(16, b, 9) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 1)); \
    TWIDDLE(16, b, 10) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 2)); \
    TWIDDLE(16, b, 11) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 3)); \
    TWIDDLE(16, b, 12) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 4)); \
    TWIDDLE(16, b, 13) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 5)); \
    TWIDDLE(16, b, 14) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 6)); \
    TWIDDLE(16, b, 15) = complex_multiply(TWIDDLE(16, b, 8), TWIDDLE(16, b, 7));
#else
#define LOAD_TWIDDLES_2(b, stride, table, unused) \
    LOAD_TWIDDLE(2, b, 1, stride, table)
#define LOAD_TWIDDLES_4(b, stride, table, unused) \
    LOAD_TWIDDLE(4, b, 1, stride, table) \
    LOAD_TWIDDLE(4, b, 2, stride, table) \
    LOAD_TWIDDLE(4, b, 3, stride, table)
#define LOAD_TWIDDLES_8(b, stride, table, unused) \
    LOAD_TWIDDLE(8, b, 1, stride, table) \
    LOAD_TWIDDLE(8, b, 2, stride, table) \
    LOAD_TWIDDLE(8, b, 3, stride, table) \
    LOAD_TWIDDLE(8, b, 4, stride, table) \
    LOAD_TWIDDLE(8, b, 5, stride, table) \
    LOAD_TWIDDLE(8, b, 6, stride, table) \
    LOAD_TWIDDLE(8, b, 7, stride, table)
#define LOAD_TWIDDLES_16(b, stride, table, unused) \
    LOAD_TWIDDLE(16, b, 1, stride, table) \
    LOAD_TWIDDLE(16, b, 2, stride, table) \
    LOAD_TWIDDLE(16, b, 3, stride, table) \
    LOAD_TWIDDLE(16, b, 4, stride, table) \
    LOAD_TWIDDLE(16, b, 5, stride, table) \
    LOAD_TWIDDLE(16, b, 6, stride, table) \
    LOAD_TWIDDLE(16, b, 7, stride, table) \
    LOAD_TWIDDLE(16, b, 8, stride, table) \
    LOAD_TWIDDLE(16, b, 9, stride, table) \
    LOAD_TWIDDLE(16, b, 10, stride, table) \
    LOAD_TWIDDLE(16, b, 11, stride, table) \
    LOAD_TWIDDLE(16, b, 12, stride, table) \
    LOAD_TWIDDLE(16, b, 13, stride, table) \
    LOAD_TWIDDLE(16, b, 14, stride, table) \
    LOAD_TWIDDLE(16, b, 15, stride, table)
#define MULTIPLY_TWIDDLES_2(b)
#define MULTIPLY_TWIDDLES_4(b)
#define MULTIPLY_TWIDDLES_8(b)
#define MULTIPLY_TWIDDLES_16(b)
#endif

#define TWIDDLE_BUTTERFLY_2(b, unused_1, unused_2, unused_3) \
    MULTIPLY_TWIDDLES_2(b) \
    IN_BUTTERFLY(2, b, 1) = complex_multiply(TWIDDLE(2, b, 1), IN_BUTTERFLY(2, b, 1)); \
    FIRST_BUTTERFLY_2(b, 0, 0, 0)
#define TWIDDLE_BUTTERFLY_4(b, unused_1, unused_2, unused_3) \
    MULTIPLY_TWIDDLES_4(b) \
    IN_BUTTERFLY(4, b, 1) = complex_multiply(TWIDDLE(4, b, 1), IN_BUTTERFLY(4, b, 1)); \
    IN_BUTTERFLY(4, b, 2) = complex_multiply(TWIDDLE(4, b, 2), IN_BUTTERFLY(4, b, 2)); \
    IN_BUTTERFLY(4, b, 3) = complex_multiply(TWIDDLE(4, b, 3), IN_BUTTERFLY(4, b, 3)); \
    FIRST_BUTTERFLY_4(b, 0, 0, 0)
#define TWIDDLE_BUTTERFLY_8(b, unused_1, unused_2, unused_3) \
    MULTIPLY_TWIDDLES_8(b) \
    IN_BUTTERFLY(8, b, 1) = complex_multiply(TWIDDLE(8, b, 1), IN_BUTTERFLY(8, b, 1)); \
    IN_BUTTERFLY(8, b, 2) = complex_multiply(TWIDDLE(8, b, 2), IN_BUTTERFLY(8, b, 2)); \
    IN_BUTTERFLY(8, b, 3) = complex_multiply(TWIDDLE(8, b, 3), IN_BUTTERFLY(8, b, 3)); \
    IN_BUTTERFLY(8, b, 4) = complex_multiply(TWIDDLE(8, b, 4), IN_BUTTERFLY(8, b, 4)); \
    IN_BUTTERFLY(8, b, 5) = complex_multiply(TWIDDLE(8, b, 5), IN_BUTTERFLY(8, b, 5)); \
    IN_BUTTERFLY(8, b, 6) = complex_multiply(TWIDDLE(8, b, 6), IN_BUTTERFLY(8, b, 6)); \
    IN_BUTTERFLY(8, b, 7) = complex_multiply(TWIDDLE(8, b, 7), IN_BUTTERFLY(8, b, 7)); \
    FIRST_BUTTERFLY_8(b, 0, 0, 0)
#define TWIDDLE_BUTTERFLY_16(b, unused_1, unused_2, unused_3) \
    MULTIPLY_TWIDDLES_16(b) \
    IN_BUTTERFLY(16, b, 1) = complex_multiply(TWIDDLE(16, b, 1), IN_BUTTERFLY(16, b, 1)); \
    IN_BUTTERFLY(16, b, 2) = complex_multiply(TWIDDLE(16, b, 2), IN_BUTTERFLY(16, b, 2)); \
    IN_BUTTERFLY(16, b, 3) = complex_multiply(TWIDDLE(16, b, 3), IN_BUTTERFLY(16, b, 3)); \
    IN_BUTTERFLY(16, b, 4) = complex_multiply(TWIDDLE(16, b, 4), IN_BUTTERFLY(16, b, 4)); \
    IN_BUTTERFLY(16, b, 5) = complex_multiply(TWIDDLE(16, b, 5), IN_BUTTERFLY(16, b, 5)); \
    IN_BUTTERFLY(16, b, 6) = complex_multiply(TWIDDLE(16, b, 6), IN_BUTTERFLY(16, b, 6)); \
    IN_BUTTERFLY(16, b, 7) = complex_multiply(TWIDDLE(16, b, 7), IN_BUTTERFLY(16, b, 7)); \
    IN_BUTTERFLY(16, b, 8) = complex_multiply(TWIDDLE(16, b, 8), IN_BUTTERFLY(16, b, 8)); \
    IN_BUTTERFLY(16, b, 9) = complex_multiply(TWIDDLE(16, b, 9), IN_BUTTERFLY(16, b, 9)); \
    IN_BUTTERFLY(16, b, 10) = complex_multiply(TWIDDLE(16, b, 10), IN_BUTTERFLY(16, b, 10)); \
    IN_BUTTERFLY(16, b, 11) = complex_multiply(TWIDDLE(16, b, 11), IN_BUTTERFLY(16, b, 11)); \
    IN_BUTTERFLY(16, b, 12) = complex_multiply(TWIDDLE(16, b, 12), IN_BUTTERFLY(16, b, 12)); \
    IN_BUTTERFLY(16, b, 13) = complex_multiply(TWIDDLE(16, b, 13), IN_BUTTERFLY(16, b, 13)); \
    IN_BUTTERFLY(16, b, 14) = complex_multiply(TWIDDLE(16, b, 14), IN_BUTTERFLY(16, b, 14)); \
    IN_BUTTERFLY(16, b, 15) = complex_multiply(TWIDDLE(16, b, 15), IN_BUTTERFLY(16, b, 15)); \
    FIRST_BUTTERFLY_16(b, 0, 0, 0)

// Value q of a butterfly goes to element base + q * stride, in blocks of radix * stride.
#define PUT(radix, b, q, base, stride, round, number) \
    exchange[EXCHANGE_AREA(number, round) + SLOT_AT_OFFSET(base, (q) * (stride), (radix) * (stride))] = \
        PART_OF(IN_BUTTERFLY(radix, b, q), round);
#define BASE_OF(radix, b, stride) \
    (BUTTERFLY_INDEX(b) - (BUTTERFLY_INDEX(b) & ((stride) - 1))) * radix + (BUTTERFLY_INDEX(b) & ((stride) - 1))
#define PUT_BUTTERFLY_2(b, stride, round, number) \
    { \
        int base = BASE_OF(2, b, stride); \
        PUT(2, b, 0, base, stride, round, number) \
        PUT(2, b, 1, base, stride, round, number) \
    }
#define PUT_BUTTERFLY_4(b, stride, round, number) \
    { \
        int base = BASE_OF(4, b, stride); \
        PUT(4, b, 0, base, stride, round, number) \
        PUT(4, b, 1, base, stride, round, number) \
        PUT(4, b, 2, base, stride, round, number) \
        PUT(4, b, 3, base, stride, round, number) \
    }
#define PUT_BUTTERFLY_8(b, stride, round, number) \
    { \
        int base = BASE_OF(8, b, stride); \
        PUT(8, b, 0, base, stride, round, number) \
        PUT(8, b, 1, base, stride, round, number) \
        PUT(8, b, 2, base, stride, round, number) \
        PUT(8, b, 3, base, stride, round, number) \
        PUT(8, b, 4, base, stride, round, number) \
        PUT(8, b, 5, base, stride, round, number) \
        PUT(8, b, 6, base, stride, round, number) \
        PUT(8, b, 7, base, stride, round, number) \
    }
#define PUT_BUTTERFLY_16(b, stride, round, number) \
    { \
        int base = BASE_OF(16, b, stride); \
        PUT(16, b, 0, base, stride, round, number) \
        PUT(16, b, 1, base, stride, round, number) \
        PUT(16, b, 2, base, stride, round, number) \
        PUT(16, b, 3, base, stride, round, number) \
        PUT(16, b, 4, base, stride, round, number) \
        PUT(16, b, 5, base, stride, round, number) \
        PUT(16, b, 6, base, stride, round, number) \
        PUT(16, b, 7, base, stride, round, number) \
        PUT(16, b, 8, base, stride, round, number) \
        PUT(16, b, 9, base, stride, round, number) \
        PUT(16, b, 10, base, stride, round, number) \
        PUT(16, b, 11, base, stride, round, number) \
        PUT(16, b, 12, base, stride, round, number) \
        PUT(16, b, 13, base, stride, round, number) \
        PUT(16, b, 14, base, stride, round, number) \
        PUT(16, b, 15, base, stride, round, number) \
    }

#define GET(m, round, number) \
    { \
        Part part = exchange[EXCHANGE_AREA(number, round) + \
                             SLOT_AT_OFFSET(position, (m) * LINE_INVOCATIONS, SIZE)]; \
        SET_PART(v[m], round, part) \
    }
#define EXCHANGE_ROUND(round, PUT_BUTTERFLIES, stride, number) \
    WAIT_FOR_READERS(number, round) \
    PUT_BUTTERFLIES(stride, round, number) \
    memoryBarrierShared(); \
    barrier(); \
    EACH_POINT(GET, round, number)

#define FIRST_2 EACH_BUTTERFLY_2(FIRST_BUTTERFLY_2, 0, 0, 0)
#define TWIDDLES_2(stride, table) EACH_BUTTERFLY_2(LOAD_TWIDDLES_2, stride, table, 0)
#define STAGE_2 EACH_BUTTERFLY_2(TWIDDLE_BUTTERFLY_2, 0, 0, 0)
#define PUT_BUTTERFLIES_2(stride, round, number) EACH_BUTTERFLY_2(PUT_BUTTERFLY_2, stride, round, number)
#define EXCHANGE_2(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_2, stride, number)
#define FIRST_4 EACH_BUTTERFLY_4(FIRST_BUTTERFLY_4, 0, 0, 0)
#define TWIDDLES_4(stride, table) EACH_BUTTERFLY_4(LOAD_TWIDDLES_4, stride, table, 0)
#define STAGE_4 EACH_BUTTERFLY_4(TWIDDLE_BUTTERFLY_4, 0, 0, 0)
#define PUT_BUTTERFLIES_4(stride, round, number) EACH_BUTTERFLY_4(PUT_BUTTERFLY_4, stride, round, number)
#define EXCHANGE_4(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_4, stride, number)
#define FIRST_8 EACH_BUTTERFLY_8(FIRST_BUTTERFLY_8, 0, 0, 0)
#define TWIDDLES_8(stride, table) EACH_BUTTERFLY_8(LOAD_TWIDDLES_8, stride, table, 0)
#define STAGE_8 EACH_BUTTERFLY_8(TWIDDLE_BUTTERFLY_8, 0, 0, 0)
#define PUT_BUTTERFLIES_8(stride, round, number) EACH_BUTTERFLY_8(PUT_BUTTERFLY_8, stride, round, number)
#define EXCHANGE_8(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_8, stride, number)
#define FIRST_16 EACH_BUTTERFLY_16(FIRST_BUTTERFLY_16, 0, 0, 0)
#define TWIDDLES_16(stride, table) EACH_BUTTERFLY_16(LOAD_TWIDDLES_16, stride, table, 0)
#define STAGE_16 EACH_BUTTERFLY_16(TWIDDLE_BUTTERFLY_16, 0, 0, 0)
#define PUT_BUTTERFLIES_16(stride, round, number) EACH_BUTTERFLY_16(PUT_BUTTERFLY_16, stride, round, number)
#define EXCHANGE_16(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_16, stride, number)

#define LOAD(m, unused_1, unused_2) \
    loaded[m] = load_elements(position + (m) * LINE_INVOCATIONS, line, first_layer, lane);
#define TAKE_UP(m, unused_1, unused_2) \
    v[m] = value_of(loaded[m], position + (m) * LINE_INVOCATIONS, line, first_layer, lane);

#ifdef RESULT_SCALE
#define SCALED(value) (RESULT_SCALE * (value))
#else
#define SCALED(value) (value)
#endif
#define STORE(m, line, unused) \
    store_value(position + (m) * LINE_INVOCATIONS, line, first_layer, lane, SCALED(v[m]));
#if !defined(STORE_ELEMENTS) || SHARERS == 1
#define STORE_POINTS(line) EACH_POINT(STORE, line, 0)
#else
// A store that needs all of an element at once: of SHARERS points, each of the sharers gets all parts of one.
#define GATHERED_ROW (SIZE / POINTS * LINES * SHARERS + 1) // the odd one keeps the sharers' rows out of each other's banks
shared Value gathered[SHARERS * GATHERED_ROW];
#define GIVE(m, first, unused) \
    if ((m) / SHARERS == (first)) gathered[(m) % SHARERS * GATHERED_ROW + int(gl_LocalInvocationID.x)] = SCALED(v[m]);
#define TAKE(first, line) \
    if ((first) > 0) { \
        memoryBarrierShared(); \
        barrier(); \
    } \
    EACH_POINT(GIVE, first, 0) \
    memoryBarrierShared(); \
    barrier(); \
    { \
        Value parts[SHARERS]; \
        for (int part = 0; part < SHARERS; ++part) { \
            parts[part] = gathered[sharer * GATHERED_ROW + int(gl_LocalInvocationID.x) - sharer + part]; \
        } \
        store_element(position + ((first) * SHARERS + sharer) * LINE_INVOCATIONS, line, parts); \
    }
#if POINTS / SHARERS == 1
#define STORE_POINTS(line) TAKE(0, line)
#elif POINTS / SHARERS == 2
#define STORE_POINTS(line) TAKE(0, line) TAKE(1, line)
#elif POINTS / SHARERS == 4
#define STORE_POINTS(line) TAKE(0, line) TAKE(1, line) TAKE(2, line) TAKE(3, line)
#elif POINTS / SHARERS == 8
#define STORE_POINTS(line) \
    TAKE(0, line) TAKE(1, line) TAKE(2, line) TAKE(3, line) TAKE(4, line) TAKE(5, line) TAKE(6, line) TAKE(7, line)
#endif
#endif

// Groups of LINES lines, in turn, and of layers. What a pass has touched last is in a cache when the next one begins,
// which therefore may start at the other end.
#define GROUPS_OF_LINES (SIZE / LINES)
#ifdef BACKWARD
#define GROUP_OF_LINES(turn) (GROUPS_OF_LINES - 1 - int(gl_WorkGroupID.x) - (turn) * (GROUPS_OF_LINES / TURNS))
#define GROUP_OF_LAYERS (int(gl_NumWorkGroups.z) - 1 - int(gl_WorkGroupID.z))
#else
#define GROUP_OF_LINES(turn) (int(gl_WorkGroupID.x) + (turn) * (GROUPS_OF_LINES / TURNS))
#define GROUP_OF_LAYERS int(gl_WorkGroupID.z)
#endif

void main() {
    int sharer = sharer_of_invocation();
    int position = position_in_line();
    int line_in_group = line_of_group();
    int lane = sharer % LANES;
    int first_layer = (GROUP_OF_LAYERS * LAYER_LANES + sharer / LANES) * LAYERS;
    int line = GROUP_OF_LINES(0) * LINES + line_in_group;
    Loaded loaded[POINTS];
    Value v[POINTS];
    vec2 w[POINTS];
    EACH_POINT(LOAD, 0, 0)
    for (int turn = 0; turn < TURNS; ++turn) {
        EACH_POINT(TAKE_UP, 0, 0)
        int present_line = line;
        if (turn + 1 < TURNS) {
            line = GROUP_OF_LINES(turn + 1) * LINES + line_in_group;
            EACH_POINT(LOAD, 0, 0)
        }
        SCHEDULE
        STORE_POINTS(present_line)
        WAIT_FOR_LAST_TURN
    }
}
