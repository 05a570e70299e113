#pragma once

#include <string>
#include <string_view>

namespace spindrift::test {

/// The path of a file or folder of this source tree, for example source_path("shaders").
std::string source_path(std::string_view path);

} // namespace spindrift::test
