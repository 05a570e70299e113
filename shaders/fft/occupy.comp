#version 450 core
// Keeps the GPU occupied for some ten microseconds without touching its caches: the benchmark dispatches it in front of
// each sample, so that the GPU never waits for the CPU between the two timestamps.

layout(local_size_x = 1) in;

layout(location = 0) uniform int iterations;

layout(std430, binding = 0) restrict buffer ResultBuffer {
    uint result;
};

void main() {
    // Each step needs the one before, and the result is stored: no compiler can shorten it.
    uint value = uint(iterations);
    for (int step = 0; step < iterations; ++step) {
        value = value * 1664525u + 1013904223u;
    }
    result = value;
}
