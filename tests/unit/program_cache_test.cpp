// The files of the program cache, with invented binaries: no driver is needed.
#include "engine/files.h"
#include "engine/gl/program.h"
#include "engine/gl/program_cache.h"

#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace spindrift::gl {
namespace {

namespace fs = std::filesystem;

class ProgramCacheFiles : public ::testing::Test {
protected:
    ProgramCacheFiles() : folder_(fs::temp_directory_path() / fmt::format("spindrift-cache-{}", getpid())) {
        device_.vendor = "Acme";
        device_.renderer = "Acme 1";
        device_.version = "4.5 Acme 1.0";
        device_.program_binary_formats = {7, 0x8740};
    }
    ~ProgramCacheFiles() override { fs::remove_all(folder_); }
    ProgramCacheFiles(const ProgramCacheFiles&) = delete;
    ProgramCacheFiles& operator=(const ProgramCacheFiles&) = delete;

    ProgramCache cache(std::uintmax_t limit = ProgramCache::default_size_limit) const {
        return {folder_, device_, limit};
    }
    static std::string key(char digit) { return std::string(64, digit); }
    static ProgramBinary binary(std::size_t size = 1000) {
        ProgramBinary result{.format = 0x8740, .bytes = std::vector<std::uint8_t>(size)};
        for (std::size_t index = 0; index < size; ++index) result.bytes[index] = static_cast<std::uint8_t>(index * 31);
        return result;
    }
    static std::string key_of(const ProgramCache& cache, const std::string& text,
                              Stage::Kind kind = Stage::Kind::compute) {
        const ProgramRecipe recipe{.stages = {{kind, "a"}}, .defines = {}};
        const std::vector<ExpandedSource> sources{{.text = text, .files = {"a"}}};
        return cache.key_of(recipe, sources);
    }

    fs::path folder_;
    DeviceInfo device_;
};

TEST_F(ProgramCacheFiles, WhatIsStoredIsFoundAgain) {
    ProgramCache first = cache();
    EXPECT_FALSE(first.find(key('a')));
    EXPECT_FALSE(fs::exists(folder_)) << "looking for an entry makes no folder";
    first.store(key('a'), binary());
    first.store(key('b'), binary(1));
    const auto found = cache().find(key('a'));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->format, binary().format);
    EXPECT_EQ(found->bytes, binary().bytes);
    EXPECT_EQ(cache().find(key('b'))->bytes.size(), 1U);
    EXPECT_FALSE(cache().find(key('c')));
    first.store(key('a'), binary(5));
    EXPECT_EQ(first.find(key('a'))->bytes.size(), 5U);
}

TEST_F(ProgramCacheFiles, EverythingThatDecidesTheProgramIsInTheKey) {
    std::set<std::string> keys{key_of(cache(), "void main() {}")};
    EXPECT_EQ(keys.begin()->size(), 64U);
    EXPECT_EQ(key_of(cache(), "void main() {}"), *keys.begin());
    keys.insert(key_of(cache(), "void main() { }"));
    keys.insert(key_of(cache(), "void main() {}", Stage::Kind::vertex));
    for (std::string* text : {&device_.vendor, &device_.renderer, &device_.version}) {
        *text += "x";
        keys.insert(key_of(cache(), "void main() {}"));
        text->pop_back();
    }
    EXPECT_EQ(keys.size(), 6U);
    // Two stages do not run together into one.
    const ProgramRecipe two{.stages = {{Stage::Kind::vertex, "a"}, {Stage::Kind::fragment, "b"}}, .defines = {}};
    const std::vector<ExpandedSource> early{{"ab", {}}, {"c", {}}}, late{{"a", {}}, {"bc", {}}};
    EXPECT_NE(cache().key_of(two, early), cache().key_of(two, late));
}

TEST_F(ProgramCacheFiles, ADamagedByteAnywhereIsNoticed) {
    ProgramCache stored = cache();
    stored.store(key('a'), binary(40));
    const std::string whole = read_file(stored.path_of(key('a')));
    for (std::size_t index = 0; index < whole.size(); ++index) {
        std::string damaged = whole;
        damaged[index] = static_cast<char>(damaged[index] ^ 0x10);
        write_file_atomically(stored.path_of(key('a')), damaged);
        EXPECT_FALSE(stored.find(key('a'))) << "byte " << index;
    }
    for (std::size_t length = 0; length < whole.size(); ++length) {
        write_file_atomically(stored.path_of(key('a')), std::string_view(whole).substr(0, length));
        EXPECT_FALSE(stored.find(key('a'))) << "cut off after " << length;
    }
    write_file_atomically(stored.path_of(key('a')), whole + "x");
    EXPECT_FALSE(stored.find(key('a')));
    stored.store(key('a'), binary(40));
    EXPECT_TRUE(stored.find(key('a'))) << "a damaged entry is replaced";
}

TEST_F(ProgramCacheFiles, ForeignEntriesAreIgnored) {
    ProgramCache stored = cache();
    stored.store(key('a'), binary());
    fs::copy_file(stored.path_of(key('a')), stored.path_of(key('b')));
    EXPECT_FALSE(stored.find(key('b'))) << "another program's file under this name";
    fs::create_directory(stored.path_of(key('c')));
    EXPECT_FALSE(stored.find(key('c')));
    fs::create_symlink("/dev/zero", stored.path_of(key('d')));
    EXPECT_FALSE(stored.find(key('d')));
    device_.program_binary_formats = {7};
    EXPECT_FALSE(cache().find(key('a'))) << "a format that the driver does not take";
    EXPECT_TRUE(stored.find(key('a')));
}

TEST_F(ProgramCacheFiles, WithoutFormatsNothingIsDone) {
    device_.program_binary_formats.clear();
    ProgramCache none = cache();
    EXPECT_FALSE(none.usable());
    none.store(key('a'), binary());
    EXPECT_FALSE(none.find(key('a')));
    EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(ProgramCacheFiles, BeyondTheLimitTheLongestUnusedGo) {
    ProgramCache small = cache(3500);
    fs::create_directories(folder_);
    write_file_atomically(folder_ / "somebody else's.txt", std::string(5000, 'x'));
    const auto age = [&](char digit, int hours) {
        fs::last_write_time(small.path_of(key(digit)), fs::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    for (const char digit : {'a', 'b', 'c'}) small.store(key(digit), binary(1000));
    age('a', 3);
    age('b', 2);
    age('c', 1);
    EXPECT_TRUE(small.find(key('a'))); // used now: no longer the oldest
    small.store(key('d'), binary(1000));
    EXPECT_FALSE(small.find(key('b')));
    for (const char digit : {'a', 'c', 'd'}) EXPECT_TRUE(small.find(key(digit))) << digit;
    small.store(key('e'), binary(4000));
    EXPECT_FALSE(small.find(key('e'))) << "larger than the whole cache";
    EXPECT_TRUE(small.find(key('d')));
    EXPECT_TRUE(fs::exists(folder_ / "somebody else's.txt"));
}

TEST_F(ProgramCacheFiles, ADiskThatRefusesIsNoError) {
    write_file_atomically(folder_, std::string("a file where the folder should be"));
    ProgramCache refused = cache();
    refused.store(key('a'), binary());
    refused.store(key('b'), binary());
    EXPECT_FALSE(refused.find(key('a')));
    EXPECT_EQ(read_file(folder_), "a file where the folder should be");
}

} // namespace
} // namespace spindrift::gl
