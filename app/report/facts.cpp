// What the program and the machine say about themselves.
#include "app/report/report.h"
#include "engine/error.h"
#include "engine/files.h"

#include <algorithm>
#include <string_view>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <thread>

namespace spindrift::report {
namespace {

/// The rest of the first line that begins with `key`, without the separators and quotes around it; empty when absent.
std::string value_of(std::string_view content, std::string_view key) {
    std::size_t begin = 0;
    while (begin < content.size()) {
        const std::size_t end = std::min(content.find('\n', begin), content.size());
        const std::string_view line = content.substr(begin, end - begin);
        begin = end + 1;
        if (!line.starts_with(key)) continue;
        const std::size_t first = line.find_first_not_of(" \t:=\"", key.size());
        const std::size_t last = line.find_last_not_of(" \t\"\r");
        if (first == std::string_view::npos || last < first) return {};
        return std::string(line.substr(first, last - first + 1));
    }
    return {};
}

/// A file that is not there leaves a fact unknown, which is no reason to lose a report.
std::string content_or_empty(const char* path) {
    try {
        return read_file(path, std::size_t{4} << 20);
    } catch (const Error&) {
        return {};
    }
}

} // namespace

AppFacts app_facts() {
    return {SPINDRIFT_VERSION, SPINDRIFT_GIT, SPINDRIFT_BUILD_TYPE, SPINDRIFT_COMPILER};
}

SystemFacts system_facts() {
    SystemFacts facts;
    facts.os = value_of(content_or_empty("/etc/os-release"), "PRETTY_NAME");
    facts.cpu = value_of(content_or_empty("/proc/cpuinfo"), "model name");
    utsname name{};
    if (::uname(&name) == 0) facts.kernel = std::string(name.sysname) + " " + name.release + " " + name.machine;
    struct sysinfo memory {};
    if (::sysinfo(&memory) == 0) facts.ram_bytes = std::uint64_t{memory.totalram} * memory.mem_unit;
    facts.cpu_threads = std::thread::hardware_concurrency();
    return facts;
}

} // namespace spindrift::report
