// A copy of the shaders in which one piece of text is another: a kernel with a fault in it.
#pragma once

#include "engine/gl/program.h"
#include "tests/source_tree.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>

namespace spindrift::test {

class BrokenShaders {
public:
    /// The first `right` in the file becomes `wrong`; there must be one.
    BrokenShaders(const std::string& file, const std::string& right, const std::string& wrong)
        : folder_(std::filesystem::temp_directory_path() / fmt::format("spindrift-broken-shaders-{}", getpid())) {
        std::filesystem::copy(source_path("shaders"), folder_, std::filesystem::copy_options::recursive);
        std::stringstream text;
        text << std::ifstream(folder_ / file).rdbuf();
        std::string content = text.str();
        const std::size_t position = content.find(right);
        EXPECT_NE(position, std::string::npos) << file << " has no: " << right;
        if (position != std::string::npos) content.replace(position, right.size(), wrong);
        std::ofstream(folder_ / file) << content;
    }
    ~BrokenShaders() { std::filesystem::remove_all(folder_); }
    BrokenShaders(const BrokenShaders&) = delete;
    BrokenShaders& operator=(const BrokenShaders&) = delete;

    gl::ProgramLibrary library() const { return gl::ProgramLibrary(gl::ShaderSources::directory(folder_)); }
    std::string folder() const { return folder_.string(); }

private:
    std::filesystem::path folder_;
};

} // namespace spindrift::test
