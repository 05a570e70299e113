// Complex arithmetic on vec2 (re, im) and on vec4, two complex numbers side by side (re0, im0, re1, im1).

// The products are written as w.x * v + w.y * (i v): one NVIDIA compiler (580.159) miscompiled the same product, without a
// message, when it was assembled from swizzles and w was a constant.

vec2 multiply_by_i(vec2 v) {
    return vec2(-v.y, v.x);
}

vec4 multiply_by_i(vec4 v) {
    return vec4(-v.y, v.x, -v.w, v.z);
}

vec2 complex_multiply(vec2 w, vec2 v) {
    return w.x * v + w.y * multiply_by_i(v);
}

// w times each of the two numbers in v.
vec4 complex_multiply(vec2 w, vec4 v) {
    return w.x * v + w.y * multiply_by_i(v);
}

vec2 conjugate(vec2 v) {
    return vec2(v.x, -v.y);
}

vec4 conjugate(vec4 v) {
    return vec4(v.x, -v.y, v.z, -v.w);
}
