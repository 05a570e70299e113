// Value noise from an integer hash (PCG by O'Neill 2014, in the form of Jarzynski and Olano, "Hash Functions for GPU
// Rendering", 2020): the same on every driver, unlike sin-based hashes.
uint hash_integer(uint value) {
    uint state = value * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

float hash_unit(ivec2 cell) {
    return float(hash_integer(uint(cell.x) + hash_integer(uint(cell.y))) >> 8u) * (1.0 / 16777216.0);
}

// 0 to 1, twice differentiable across cells; repeats after `period` cells when period is above zero.
float value_noise(vec2 position, int period) {
    ivec2 cell = ivec2(floor(position));
    vec2 inside = position - vec2(cell);
    vec2 blend = inside * inside * inside * (inside * (inside * 6.0 - 15.0) + 10.0);
    ivec2 next = cell + 1;
    if (period > 0) {
        cell = ivec2(uvec2(cell + period * 1024) % uint(period));
        next = ivec2(uvec2(next + period * 1024) % uint(period));
    }
    float lower = mix(hash_unit(cell), hash_unit(ivec2(next.x, cell.y)), blend.x);
    float upper = mix(hash_unit(ivec2(cell.x, next.y)), hash_unit(next), blend.x);
    return mix(lower, upper, blend.y);
}

// Sum of octaves, each turned so that lattice lines do not add up; 0 to 1.
float fractal_noise(vec2 position, int octaves) {
    const mat2 turn = mat2(0.8, 0.6, -0.6, 0.8);
    float sum = 0.0, amplitude = 0.5, total = 0.0;
    for (int octave = 0; octave < octaves; ++octave) {
        sum += amplitude * value_noise(position, 0);
        total += amplitude;
        amplitude *= 0.5;
        position = turn * position * 2.03 + 17.3;
    }
    return sum / total;
}
