#include "tests/source_tree.h"

namespace spindrift::test {

std::string source_path(std::string_view path) {
    return SPINDRIFT_SOURCE_DIR "/" + std::string(path);
}

} // namespace spindrift::test
