// The file that wisdom is kept in: a damaged one is told once, and replaced.
#include "app/wisdom_file.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <sstream>
#include <unistd.h>

namespace spindrift {
namespace {

namespace fs = std::filesystem;

class WisdomFile : public testing::Test {
protected:
    void SetUp() override {
        if (const char* cache = std::getenv("XDG_CACHE_HOME")) cache_before_ = cache;
        folder_ = fs::temp_directory_path() / fmt::format("spindrift-wisdom-{}", getpid());
        setenv("XDG_CACHE_HOME", folder_.c_str(), 1);
        file_ = wisdom_path(device_);
        fs::create_directories(file_.parent_path());
        logger_before_ = spdlog::default_logger();
        spdlog::set_default_logger(
            std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_)));
    }
    void TearDown() override {
        spdlog::set_default_logger(logger_before_);
        fft::set_active_wisdom(nullptr);
        if (cache_before_)
            setenv("XDG_CACHE_HOME", cache_before_->c_str(), 1);
        else
            unsetenv("XDG_CACHE_HOME");
        fs::remove_all(folder_);
    }

    void damage() const { std::ofstream(file_) << "damaged"; }
    std::size_t warnings() const {
        const std::string log = log_.str();
        std::size_t count = 0;
        for (std::size_t place = log.find("is refused"); place != std::string::npos;
             place = log.find("is refused", place + 1))
            ++count;
        return count;
    }

    gl::DeviceInfo device_;
    gl::ShaderSources sources_ = gl::ShaderSources::embedded();
    fs::path folder_, file_;
    std::optional<std::string> cache_before_;
    std::shared_ptr<spdlog::logger> logger_before_;
    std::ostringstream log_;
};

TEST_F(WisdomFile, ThatIsDamagedIsToldOnceAndReplaced) {
    damage();
    EXPECT_TRUE(use_wisdom(device_, sources_).refused);
    EXPECT_EQ(warnings(), 1U) << log_.str();
    const fft::TransformDesc desc{.size = 64, .algorithm = fft::Algorithm::tuned};
    const fft::WisdomEntry entry{
        .desc = desc, .schedule = fft::default_schedule(desc, {}).value(), .microseconds = 12.5, .relative_l2 = 1.5e-7};
    EXPECT_EQ(keep_wisdom(entry, device_, sources_).why_not_written, "");
    EXPECT_EQ(warnings(), 1U) << log_.str();
    EXPECT_FALSE(load_wisdom(device_, sources_).refused);
}

TEST_F(WisdomFile, ThatIsRefusedForAnotherReasonIsToldAgain) {
    std::ofstream(file_) << "{}";
    EXPECT_TRUE(use_wisdom(device_, sources_).refused);
    std::ofstream(file_) << "[]";
    EXPECT_TRUE(use_wisdom(device_, sources_).refused);
    EXPECT_TRUE(use_wisdom(device_, sources_).refused);
    EXPECT_EQ(warnings(), 2U) << log_.str();
}

} // namespace
} // namespace spindrift
