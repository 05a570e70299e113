// The kernel: load, the stages of SCHEDULE, store, as often as TURNS says. Stockham's order by high radices: before and
// after every stage an invocation holds the elements position + m * LINE_INVOCATIONS, and only shared memory sees
// another order.
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

// Slots of shared memory, in which an element of a line has one for each line and sharer of the group. Exchange number n
// leaves EXCHANGE_PADDINGS[n] elements free after every 2^EXCHANGE_PERIODS[n]: writes at its stride then meet all banks,
// as reads side by side do anyway (fft/tuned.h, ExchangePadding).
const int exchange_paddings[] = int[](EXCHANGE_PADDINGS);
const int exchange_periods[] = int[](EXCHANGE_PERIODS);
#define PADDED(element, number) ((element) + ((element) >> exchange_periods[number]) * exchange_paddings[number])
#define EXCHANGE_SLOTS (LINE_SLOTS * LINES * SHARERS)

shared Part exchange[EXCHANGE_BUFFERS * EXCHANGE_SLOTS];

#ifdef HORIZONTAL
#define SLOT_STEP SHARERS
#define SLOT_BASE (line_in_group * LINE_SLOTS * SHARERS + sharer)
#else
#define SLOT_STEP (LINES * SHARERS)
#define SLOT_BASE (line_in_group * SHARERS + sharer)
#endif
#define SLOT(element, number) (PADDED(element, number) * SLOT_STEP + SLOT_BASE)

// SLOT(first + offset), offset being a constant. The padding of the sum is the sum of the paddings, because nothing is
// carried into the bits that choose it: a butterfly's elements lie within one period, and the elements that are read
// are multiples of LINE_INVOCATIONS apart, while `first` is less. So one address may serve all slots of a butterfly.
#ifdef SLOT_OFFSETS
#define SLOT_AT_OFFSET(first, offset, number) (SLOT(first, number) + PADDED(offset, number) * SLOT_STEP)
#else
#define SLOT_AT_OFFSET(first, offset, number) SLOT((first) + (offset), number)
#endif

#define EXCHANGE_AREA(number, round) (((number) * EXCHANGE_ROUNDS + (round)) % EXCHANGE_BUFFERS * EXCHANGE_SLOTS)

// With one area, nobody may write before everybody has read what was there. With two, the barrier of the exchange in
// between says so.
#if EXCHANGE_BUFFERS == 1
#define WAIT_FOR_READERS(number, round) \
    if ((number) * EXCHANGE_ROUNDS + (round) > 0) { \
        barrier(); \
    }
#else
#define WAIT_FOR_READERS(number, round)
#endif
// A turn begins with the shared memory that the one before it has used.
#if TURNS > 1
#define WAIT_FOR_LAST_TURN \
    barrier();
#else
#define WAIT_FOR_LAST_TURN
#endif

// Lists to unroll: DO for each number below n. Points, rounds, butterflies and factors have lists of their own, because
// the preprocessor expands no macro within itself.
#define POINTS_BELOW_2(DO, a, b) \
    DO(0, a, b) DO(1, a, b)
#define POINTS_BELOW_4(DO, a, b) \
    POINTS_BELOW_2(DO, a, b) DO(2, a, b) DO(3, a, b)
#define POINTS_BELOW_8(DO, a, b) \
    POINTS_BELOW_4(DO, a, b) DO(4, a, b) DO(5, a, b) DO(6, a, b) DO(7, a, b)
#define POINTS_BELOW_16(DO, a, b) \
    POINTS_BELOW_8(DO, a, b) DO(8, a, b) DO(9, a, b) DO(10, a, b) DO(11, a, b) DO(12, a, b) DO(13, a, b) \
    DO(14, a, b) DO(15, a, b)
#define ROUNDS_BELOW_1(DO, a, b, c) \
    DO(0, a, b, c)
#define ROUNDS_BELOW_2(DO, a, b, c) \
    ROUNDS_BELOW_1(DO, a, b, c) DO(1, a, b, c)
#define ROUNDS_BELOW_4(DO, a, b, c) \
    ROUNDS_BELOW_2(DO, a, b, c) DO(2, a, b, c) DO(3, a, b, c)
#define ROUNDS_BELOW_8(DO, a, b, c) \
    ROUNDS_BELOW_4(DO, a, b, c) DO(4, a, b, c) DO(5, a, b, c) DO(6, a, b, c) DO(7, a, b, c)
#define BUTTERFLIES_BELOW_1(DO, a, b, c) \
    DO(0, a, b, c)
#define BUTTERFLIES_BELOW_2(DO, a, b, c) \
    BUTTERFLIES_BELOW_1(DO, a, b, c) DO(1, a, b, c)
#define BUTTERFLIES_BELOW_4(DO, a, b, c) \
    BUTTERFLIES_BELOW_2(DO, a, b, c) DO(2, a, b, c) DO(3, a, b, c)
#define BUTTERFLIES_BELOW_8(DO, a, b, c) \
    BUTTERFLIES_BELOW_4(DO, a, b, c) DO(4, a, b, c) DO(5, a, b, c) DO(6, a, b, c) DO(7, a, b, c)
// Values 1 and up of a butterfly, those with a twiddle.
#define FACTORS_BELOW_2(DO, radix, b, a, c, d) \
    DO(radix, b, 1, a, c, d)
#define FACTORS_BELOW_4(DO, radix, b, a, c, d) \
    FACTORS_BELOW_2(DO, radix, b, a, c, d) DO(radix, b, 2, a, c, d) DO(radix, b, 3, a, c, d)
#define FACTORS_BELOW_8(DO, radix, b, a, c, d) \
    FACTORS_BELOW_4(DO, radix, b, a, c, d) DO(radix, b, 4, a, c, d) DO(radix, b, 5, a, c, d) \
    DO(radix, b, 6, a, c, d) DO(radix, b, 7, a, c, d)
#define FACTORS_BELOW_16(DO, radix, b, a, c, d) \
    FACTORS_BELOW_8(DO, radix, b, a, c, d) DO(radix, b, 8, a, c, d) DO(radix, b, 9, a, c, d) \
    DO(radix, b, 10, a, c, d) DO(radix, b, 11, a, c, d) DO(radix, b, 12, a, c, d) DO(radix, b, 13, a, c, d) \
    DO(radix, b, 14, a, c, d) DO(radix, b, 15, a, c, d)

#if POINTS == 2
#define EACH_POINT POINTS_BELOW_2
#define EACH_BUTTERFLY_2 BUTTERFLIES_BELOW_1
#elif POINTS == 4
#define EACH_POINT POINTS_BELOW_4
#define EACH_BUTTERFLY_2 BUTTERFLIES_BELOW_2
#define EACH_BUTTERFLY_4 BUTTERFLIES_BELOW_1
#elif POINTS == 8
#define EACH_POINT POINTS_BELOW_8
#define EACH_BUTTERFLY_2 BUTTERFLIES_BELOW_4
#define EACH_BUTTERFLY_4 BUTTERFLIES_BELOW_2
#define EACH_BUTTERFLY_8 BUTTERFLIES_BELOW_1
#elif POINTS == 16
#define EACH_POINT POINTS_BELOW_16
#define EACH_BUTTERFLY_2 BUTTERFLIES_BELOW_8
#define EACH_BUTTERFLY_4 BUTTERFLIES_BELOW_4
#define EACH_BUTTERFLY_8 BUTTERFLIES_BELOW_2
#define EACH_BUTTERFLY_16 BUTTERFLIES_BELOW_1
#endif

#if EXCHANGE_ROUNDS == 1
#define EACH_ROUND ROUNDS_BELOW_1
#elif EXCHANGE_ROUNDS == 2
#define EACH_ROUND ROUNDS_BELOW_2
#elif EXCHANGE_ROUNDS == 4
#define EACH_ROUND ROUNDS_BELOW_4
#elif EXCHANGE_ROUNDS == 8
#define EACH_ROUND ROUNDS_BELOW_8
#endif

// Value q of butterfly b.
#define IN_BUTTERFLY(radix, b, q) v[(b) + (q) * (POINTS / radix)]
#define BUTTERFLY_INDEX(b) (position + (b) * LINE_INVOCATIONS)

#define BUTTERFLY_2(b, unused_1, unused_2, unused_3) \
    butterfly2(IN_BUTTERFLY(2, b, 0), IN_BUTTERFLY(2, b, 1));
#define BUTTERFLY_4(b, unused_1, unused_2, unused_3) \
    butterfly4(IN_BUTTERFLY(4, b, 0), IN_BUTTERFLY(4, b, 1), IN_BUTTERFLY(4, b, 2), IN_BUTTERFLY(4, b, 3));
#define BUTTERFLY_8(b, unused_1, unused_2, unused_3) \
    butterfly8(IN_BUTTERFLY(8, b, 0), IN_BUTTERFLY(8, b, 1), IN_BUTTERFLY(8, b, 2), IN_BUTTERFLY(8, b, 3), \
                IN_BUTTERFLY(8, b, 4), IN_BUTTERFLY(8, b, 5), IN_BUTTERFLY(8, b, 6), IN_BUTTERFLY(8, b, 7));
#define BUTTERFLY_16(b, unused_1, unused_2, unused_3) \
    butterfly16(IN_BUTTERFLY(16, b, 0), IN_BUTTERFLY(16, b, 1), IN_BUTTERFLY(16, b, 2), IN_BUTTERFLY(16, b, 3), \
                IN_BUTTERFLY(16, b, 4), IN_BUTTERFLY(16, b, 5), IN_BUTTERFLY(16, b, 6), IN_BUTTERFLY(16, b, 7), \
                IN_BUTTERFLY(16, b, 8), IN_BUTTERFLY(16, b, 9), IN_BUTTERFLY(16, b, 10), \
                IN_BUTTERFLY(16, b, 11), IN_BUTTERFLY(16, b, 12), IN_BUTTERFLY(16, b, 13), \
                IN_BUTTERFLY(16, b, 14), IN_BUTTERFLY(16, b, 15));

// Twiddle q of butterfly b; there is none for q = 0.
#define TWIDDLE(radix, b, q) w[(b) + ((q) - 1) * (POINTS / radix)]
#ifdef TWIDDLE_PRODUCTS
#define IS_IN_TABLE(q) (((q) & ((q) - 1)) == 0)
#else
#define IS_IN_TABLE(q) true
#endif
#define LARGEST_POWER(q) ((q) >= 8 ? 8 : (q) >= 4 ? 4 : (q) >= 2 ? 2 : 1)
#define REST(q) ((q) > LARGEST_POWER(q) ? (q) - LARGEST_POWER(q) : 1) // 1 is not used: it only keeps the index legal
#define LOAD_TWIDDLE(radix, b, q, stride, table, unused) \
    if (IS_IN_TABLE(q)) \
        TWIDDLE(radix, b, q) = twiddles[(table) + ((q) - 1) * (stride) + (BUTTERFLY_INDEX(b) & ((stride) - 1))];
#define TURN(radix, b, q, unused_1, unused_2, unused_3) \
    if (!IS_IN_TABLE(q)) \
        TWIDDLE(radix, b, q) = complex_multiply(TWIDDLE(radix, b, LARGEST_POWER(q)), TWIDDLE(radix, b, REST(q))); \
    IN_BUTTERFLY(radix, b, q) = complex_multiply(TWIDDLE(radix, b, q), IN_BUTTERFLY(radix, b, q));

// Value q of a butterfly goes to element base + q * stride, in blocks of radix * stride.
#define BASE_OF(radix, b, stride) \
    (BUTTERFLY_INDEX(b) - (BUTTERFLY_INDEX(b) & ((stride) - 1))) * radix + (BUTTERFLY_INDEX(b) & ((stride) - 1))
#define PUT(radix, b, q, stride, round, number) \
    exchange[EXCHANGE_AREA(number, round) + SLOT_AT_OFFSET(base, (q) * (stride), number)] = \
        PART_OF(IN_BUTTERFLY(radix, b, q), round);
#define GET(m, round, number) \
    { \
        Part part = exchange[EXCHANGE_AREA(number, round) + \
                             SLOT_AT_OFFSET(position, (m) * LINE_INVOCATIONS, number)]; \
        SET_PART(v[m], round, part) \
    }
#define EXCHANGE_ROUND(round, PUT_BUTTERFLIES, stride, number) \
    WAIT_FOR_READERS(number, round) \
    PUT_BUTTERFLIES(stride, round, number) \
    barrier(); \
    EACH_POINT(GET, round, number)

#define LOAD_TWIDDLES_2(b, stride, table, unused) FACTORS_BELOW_2(LOAD_TWIDDLE, 2, b, stride, table, 0)
#define TURNED_BUTTERFLY_2(b, unused_1, unused_2, unused_3) \
    FACTORS_BELOW_2(TURN, 2, b, 0, 0, 0) \
    BUTTERFLY_2(b, 0, 0, 0)
#define PUT_BUTTERFLY_2(b, stride, round, number) \
    { \
        int base = BASE_OF(2, b, stride); \
        PUT(2, b, 0, stride, round, number) \
        FACTORS_BELOW_2(PUT, 2, b, stride, round, number) \
    }
#define PUT_BUTTERFLIES_2(stride, round, number) EACH_BUTTERFLY_2(PUT_BUTTERFLY_2, stride, round, number)
#define FIRST_2 EACH_BUTTERFLY_2(BUTTERFLY_2, 0, 0, 0)
#define TWIDDLES_2(stride, table) EACH_BUTTERFLY_2(LOAD_TWIDDLES_2, stride, table, 0)
#define STAGE_2 EACH_BUTTERFLY_2(TURNED_BUTTERFLY_2, 0, 0, 0)
#define EXCHANGE_2(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_2, stride, number)
#define LOAD_TWIDDLES_4(b, stride, table, unused) FACTORS_BELOW_4(LOAD_TWIDDLE, 4, b, stride, table, 0)
#define TURNED_BUTTERFLY_4(b, unused_1, unused_2, unused_3) \
    FACTORS_BELOW_4(TURN, 4, b, 0, 0, 0) \
    BUTTERFLY_4(b, 0, 0, 0)
#define PUT_BUTTERFLY_4(b, stride, round, number) \
    { \
        int base = BASE_OF(4, b, stride); \
        PUT(4, b, 0, stride, round, number) \
        FACTORS_BELOW_4(PUT, 4, b, stride, round, number) \
    }
#define PUT_BUTTERFLIES_4(stride, round, number) EACH_BUTTERFLY_4(PUT_BUTTERFLY_4, stride, round, number)
#define FIRST_4 EACH_BUTTERFLY_4(BUTTERFLY_4, 0, 0, 0)
#define TWIDDLES_4(stride, table) EACH_BUTTERFLY_4(LOAD_TWIDDLES_4, stride, table, 0)
#define STAGE_4 EACH_BUTTERFLY_4(TURNED_BUTTERFLY_4, 0, 0, 0)
#define EXCHANGE_4(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_4, stride, number)
#define LOAD_TWIDDLES_8(b, stride, table, unused) FACTORS_BELOW_8(LOAD_TWIDDLE, 8, b, stride, table, 0)
#define TURNED_BUTTERFLY_8(b, unused_1, unused_2, unused_3) \
    FACTORS_BELOW_8(TURN, 8, b, 0, 0, 0) \
    BUTTERFLY_8(b, 0, 0, 0)
#define PUT_BUTTERFLY_8(b, stride, round, number) \
    { \
        int base = BASE_OF(8, b, stride); \
        PUT(8, b, 0, stride, round, number) \
        FACTORS_BELOW_8(PUT, 8, b, stride, round, number) \
    }
#define PUT_BUTTERFLIES_8(stride, round, number) EACH_BUTTERFLY_8(PUT_BUTTERFLY_8, stride, round, number)
#define FIRST_8 EACH_BUTTERFLY_8(BUTTERFLY_8, 0, 0, 0)
#define TWIDDLES_8(stride, table) EACH_BUTTERFLY_8(LOAD_TWIDDLES_8, stride, table, 0)
#define STAGE_8 EACH_BUTTERFLY_8(TURNED_BUTTERFLY_8, 0, 0, 0)
#define EXCHANGE_8(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_8, stride, number)
#define LOAD_TWIDDLES_16(b, stride, table, unused) FACTORS_BELOW_16(LOAD_TWIDDLE, 16, b, stride, table, 0)
#define TURNED_BUTTERFLY_16(b, unused_1, unused_2, unused_3) \
    FACTORS_BELOW_16(TURN, 16, b, 0, 0, 0) \
    BUTTERFLY_16(b, 0, 0, 0)
#define PUT_BUTTERFLY_16(b, stride, round, number) \
    { \
        int base = BASE_OF(16, b, stride); \
        PUT(16, b, 0, stride, round, number) \
        FACTORS_BELOW_16(PUT, 16, b, stride, round, number) \
    }
#define PUT_BUTTERFLIES_16(stride, round, number) EACH_BUTTERFLY_16(PUT_BUTTERFLY_16, stride, round, number)
#define FIRST_16 EACH_BUTTERFLY_16(BUTTERFLY_16, 0, 0, 0)
#define TWIDDLES_16(stride, table) EACH_BUTTERFLY_16(LOAD_TWIDDLES_16, stride, table, 0)
#define STAGE_16 EACH_BUTTERFLY_16(TURNED_BUTTERFLY_16, 0, 0, 0)
#define EXCHANGE_16(stride, number) EACH_ROUND(EXCHANGE_ROUND, PUT_BUTTERFLIES_16, stride, number)

#define LOAD(m, unused_1, unused_2) \
    loaded[m] = load_elements(position, (m) * LINE_INVOCATIONS, line, first_layer, lane);
#define TAKE_UP(m, unused_1, unused_2) \
    v[m] = value_of(loaded[m], position + (m) * LINE_INVOCATIONS, line, first_layer, lane);

#ifdef RESULT_SCALE
#define SCALED(value) (RESULT_SCALE * (value))
#else
#define SCALED(value) (value)
#endif
#define STORE(m, line, unused) \
    store_value(position, (m) * LINE_INVOCATIONS, line, first_layer, lane, SCALED(v[m]));
#if !defined(STORE_ELEMENTS) || SHARERS == 1
#define STORE_POINTS(line) EACH_POINT(STORE, line, 0)
#else
// A store that needs all of an element at once, by a function of the including file:
//   void store_element(int element, int line, Value parts[SHARERS])
// Of SHARERS points, each of the sharers gets all parts of one. The odd slot keeps their rows out of each other's banks.
#define GATHERED_ROW (LINE_INVOCATIONS * LINES * SHARERS + 1)
shared Value gathered[SHARERS * GATHERED_ROW];
#define GIVE(m, first, unused) \
    if ((m) / SHARERS == (first)) gathered[(m) % SHARERS * GATHERED_ROW + int(gl_LocalInvocationID.x)] = SCALED(v[m]);
#define TAKE(first, line, unused_1, unused_2) \
    if ((first) > 0) { \
        barrier(); \
    } \
    EACH_POINT(GIVE, first, 0) \
    barrier(); \
    { \
        Value parts[SHARERS]; \
        for (int part = 0; part < SHARERS; ++part) { \
            parts[part] = gathered[sharer * GATHERED_ROW + int(gl_LocalInvocationID.x) - sharer + part]; \
        } \
        store_element(position + ((first) * SHARERS + sharer) * LINE_INVOCATIONS, line, parts); \
    }
#if POINTS / SHARERS == 1
#define EACH_TAKE ROUNDS_BELOW_1
#elif POINTS / SHARERS == 2
#define EACH_TAKE ROUNDS_BELOW_2
#elif POINTS / SHARERS == 4
#define EACH_TAKE ROUNDS_BELOW_4
#elif POINTS / SHARERS == 8
#define EACH_TAKE ROUNDS_BELOW_8
#endif
#define STORE_POINTS(line) EACH_TAKE(TAKE, line, 0, 0)
#endif

// Neighbouring groups of LINES lines are different work groups' at the same time: their elements share cache lines.
#define GROUP_OF_LINES(turn) (int(gl_WorkGroupID.x) + (turn) * (SIZE / LINES / TURNS))

void main() {
    int sharer = sharer_of_invocation();
    int position = position_in_line();
    int line_in_group = line_of_group();
    int lane = sharer % LANES;
    int first_layer = (int(gl_WorkGroupID.z) * LAYER_LANES + sharer / LANES) * LAYERS;
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
