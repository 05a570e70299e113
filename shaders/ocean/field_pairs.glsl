// The eight fields of a texel as four complex numbers:
//   pair 0 = Dx + i Dz, pair 1 = h + i Dxz, pair 2 = dh/dx + i dh/dz, pair 3 = Dxx + i Dzz

struct FieldPairs {
    vec2 pair[4];
};
