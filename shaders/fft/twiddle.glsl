// Powers of the roots of unity from a table that the CPU computes in double precision and rounds to float: in-shader
// sin() and cos() are only good to about 1e-3 on some drivers.
//
// Defined by the program that includes this: DIRECTION, -1 = forward (exponent -), +1 = inverse (exponent +).

layout(std430, binding = 2) readonly restrict buffer TwiddleBuffer {
    vec2 twiddles[]; // exp(-2 pi i k / N) for k = 0 .. N - 1
};

// exp(DIRECTION 2 pi i k / N), 0 <= k < N.
vec2 twiddle(int k) {
    vec2 w = twiddles[k];
    return DIRECTION < 0 ? w : conjugate(w);
}
