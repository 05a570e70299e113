// What every target has: libFuzzer's entry point. An input may lead to success or to spindrift::Error, which the target
// catches; whatever else leaves it is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace spindrift::fuzz {

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

/// Ends the process as a crash does, so that the input is kept: a promise of the code under test is broken.
[[noreturn]] inline void fail(const char* what) {
    std::fprintf(stderr, "fuzzing: %s\n", what);
    std::abort();
}

} // namespace spindrift::fuzz
