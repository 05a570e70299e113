// Cosine and sine to float rounding. Some drivers' own are good to 1e-3 only, and lose more as the angle grows.

// The angle is turns * 2^-32 of a full circle. Integers reduce it to +-45 degrees exactly; on that range the Taylor
// polynomials below are in error by less than 2e-9.
vec2 cos_sin_of_turns(uint turns) {
    uint quadrant = (turns + 0x20000000u) >> 30u;
    int remainder = int(turns - (quadrant << 30u));
    float angle = float(remainder) * 1.46291807926715968e-9; // 2 pi / 2^32
    float square = angle * angle;
    float sine =
        angle + angle * square *
                    (-0.16666666666666667 +
                     square * (0.0083333333333333333 + square * (-1.9841269841269841e-4 + square * 2.7557319223985891e-6)));
    float cosine = 1.0 + square * (-0.5 + square * (0.041666666666666667 +
                                                    square * (-0.0013888888888888889 +
                                                              square * (2.4801587301587302e-5 - square * 2.7557319223985888e-7))));
    vec2 result = (quadrant & 1u) == 0u ? vec2(cosine, sine) : vec2(-sine, cosine);
    return (quadrant & 2u) == 0u ? result : -result;
}
