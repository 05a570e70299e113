// Discrete Fourier transforms of 2, 4, 8 and 16 values in registers, in place, natural order in and out.
// Needs Value, DIRECTION, and multiply_by_i and complex_multiply for Value.

// Multiplies by DIRECTION i: the forward butterfly needs -i where the inverse needs +i.
Value turn_quarter(Value v) {
    return DIRECTION < 0 ? -multiply_by_i(v) : multiply_by_i(v);
}

void butterfly2(inout Value a, inout Value b) {
    Value difference = a - b;
    a = a + b;
    b = difference;
}

void butterfly4(inout Value a, inout Value b, inout Value c, inout Value d) {
    butterfly2(a, c);
    butterfly2(b, d);
    Value turned = turn_quarter(d);
    Value first_sum = a + b;
    Value first_difference = a - b;
    a = first_sum;
    b = c + turned;
    d = c - turned;
    c = first_difference;
}

// The larger ones transform the values of even and of odd index, and combine: X(k) = E(k) + w^k O(k) and
// X(k + half) = E(k) - w^k O(k), w = exp(DIRECTION 2 pi i / count).
void combine(inout Value even, inout Value odd) {
    butterfly2(even, odd);
}

const float SQRT_HALF = 0.707106781186547524;
const float COS_PI_8 = 0.923879532511286756;
const float SIN_PI_8 = 0.382683432365089772;

void butterfly8(inout Value v0, inout Value v1, inout Value v2, inout Value v3, inout Value v4, inout Value v5,
                inout Value v6, inout Value v7) {
    butterfly4(v0, v2, v4, v6);
    butterfly4(v1, v3, v5, v7);
    v3 = SQRT_HALF * (v3 + turn_quarter(v3));
    v5 = turn_quarter(v5);
    v7 = SQRT_HALF * (turn_quarter(v7) - v7);
    combine(v0, v1); // X0, X4
    combine(v2, v3); // X1, X5
    combine(v4, v5); // X2, X6
    combine(v6, v7); // X3, X7
    Value x4 = v1;
    Value x1 = v2;
    Value x5 = v3;
    Value x2 = v4;
    Value x6 = v5;
    Value x3 = v6;
    v1 = x1;
    v2 = x2;
    v3 = x3;
    v4 = x4;
    v5 = x5;
    v6 = x6;
}

void butterfly16(inout Value v0, inout Value v1, inout Value v2, inout Value v3, inout Value v4, inout Value v5,
                 inout Value v6, inout Value v7, inout Value v8, inout Value v9, inout Value v10, inout Value v11,
                 inout Value v12, inout Value v13, inout Value v14, inout Value v15) {
    butterfly8(v0, v2, v4, v6, v8, v10, v12, v14);
    butterfly8(v1, v3, v5, v7, v9, v11, v13, v15);
    v3 = complex_multiply(vec2(COS_PI_8, float(DIRECTION) * SIN_PI_8), v3);
    v5 = SQRT_HALF * (v5 + turn_quarter(v5));
    v7 = complex_multiply(vec2(SIN_PI_8, float(DIRECTION) * COS_PI_8), v7);
    v9 = turn_quarter(v9);
    v11 = complex_multiply(vec2(-SIN_PI_8, float(DIRECTION) * COS_PI_8), v11);
    v13 = SQRT_HALF * (turn_quarter(v13) - v13);
    v15 = complex_multiply(vec2(-COS_PI_8, float(DIRECTION) * SIN_PI_8), v15);
    combine(v0, v1); // X0, X8
    combine(v2, v3);
    combine(v4, v5);
    combine(v6, v7);
    combine(v8, v9);
    combine(v10, v11);
    combine(v12, v13);
    combine(v14, v15);
    Value x8 = v1;
    Value x1 = v2;
    Value x9 = v3;
    Value x2 = v4;
    Value x10 = v5;
    Value x3 = v6;
    Value x11 = v7;
    Value x4 = v8;
    Value x12 = v9;
    Value x5 = v10;
    Value x13 = v11;
    Value x6 = v12;
    Value x14 = v13;
    Value x7 = v14;
    v1 = x1;
    v2 = x2;
    v3 = x3;
    v4 = x4;
    v5 = x5;
    v6 = x6;
    v7 = x7;
    v8 = x8;
    v9 = x9;
    v10 = x10;
    v11 = x11;
    v12 = x12;
    v13 = x13;
    v14 = x14;
}
