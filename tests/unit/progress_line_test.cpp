// The line that long commands overwrite on a terminal.
#include "app/progress_line.h"

#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

namespace spindrift {
namespace {

/// Standard error is `descriptor` meanwhile.
class StandardErrorIs {
public:
    explicit StandardErrorIs(int descriptor) : before_(::dup(STDERR_FILENO)) { ::dup2(descriptor, STDERR_FILENO); }
    StandardErrorIs(const StandardErrorIs&) = delete;
    StandardErrorIs& operator=(const StandardErrorIs&) = delete;
    ~StandardErrorIs() {
        ::dup2(before_, STDERR_FILENO);
        ::close(before_);
    }

private:
    int before_;
};

TEST(ProgressLine, OverwritesItselfOnATerminalAndIsGoneAtTheEnd) {
    const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
    if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) GTEST_SKIP() << "no pseudo-terminals here";
    const int terminal = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
    ASSERT_GE(terminal, 0);
    {
        const StandardErrorIs redirected(terminal);
        const ProgressLine line;
        EXPECT_TRUE(line.visible());
        line.show("one");
        line.show(std::string(200, 'x'));
    }
    const std::string erase = "\r\x1b[K";
    const std::string expected = erase + "one" + erase + std::string(110, 'x') + erase;
    // What was written comes through the kernel in pieces, when it likes.
    std::string read;
    pollfd ready{.fd = master, .events = POLLIN, .revents = 0};
    while (read.size() < expected.size() && ::poll(&ready, 1, 5000) == 1) {
        char buffer[1024];
        const ssize_t count = ::read(master, buffer, sizeof buffer);
        if (count <= 0) break;
        read.append(buffer, static_cast<std::size_t>(count));
    }
    EXPECT_EQ(read, expected);
    ::close(terminal);
    ::close(master);
}

TEST(ProgressLine, IsSilentElsewhere) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    {
        const StandardErrorIs redirected(ends[1]);
        const ProgressLine line;
        EXPECT_FALSE(line.visible());
        line.show("one");
    }
    ::close(ends[1]);
    char buffer[8];
    EXPECT_EQ(::read(ends[0], buffer, sizeof buffer), 0);
    ::close(ends[0]);
}

TEST(ProgressLine, BarsHaveTheirWidth) {
    EXPECT_EQ(progress_bar(5, 10, 17), "[#####.....] 5/10");
    EXPECT_EQ(progress_bar(0, 0, 11), "[.....] 0/0");
    EXPECT_EQ(progress_bar(3, 2, 11), "[#####] 3/2");
    EXPECT_EQ(progress_bar(1, 2, 0), "[] 1/2");
}

} // namespace
} // namespace spindrift
