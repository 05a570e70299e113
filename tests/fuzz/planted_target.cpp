// A fault on purpose: shows that a finding is found, told and kept. Not part of any program.
#include "tests/fuzz/target.h"

#include <stdexcept>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (spindrift::fuzz::as_text(data, size).find("[[[") != std::string_view::npos)
        throw std::logic_error("three brackets in a row");
    return 0;
}
