#include "app/assets.h"
#include "app/parameters.h"
#include "engine/error.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace spindrift {
namespace {

std::string message_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage);
        return error.what();
    }
    return "(nothing was thrown)";
}

/// A value other than the default that the parameter accepts.
ParameterValue another_value(const Parameter& p) {
    switch (p.kind) {
    case ParameterKind::real: {
        const double middle = p.minimum + (p.maximum - p.minimum) * 0.37;
        return std::get<double>(p.default_value) == middle ? p.maximum : middle;
    }
    case ParameterKind::integer:
        return static_cast<std::int64_t>(p.power_of_two ? p.maximum : p.minimum);
    case ParameterKind::boolean:
        return !std::get<bool>(p.default_value);
    case ParameterKind::choice:
        return p.choices.front();
    case ParameterKind::text:
        return std::string();
    case ParameterKind::path:
        return "fold er/a \"b\" \\ 'c' \xC3\xA9" + (p.endings.empty() ? "" : p.endings.front());
    }
    return {};
}

Settings settings_with_everything_changed() {
    Settings settings;
    for (const Parameter& p : parameters())
        if (p.id != "sea") p.set(settings, another_value(p));
    return settings;
}

TEST(Parameters, TableIsComplete) {
    std::set<std::string> ids;
    std::set<std::string> finished_groups;
    std::string group;
    for (const Parameter& p : parameters()) {
        SCOPED_TRACE(p.id);
        EXPECT_TRUE(ids.insert(p.id).second) << "declared twice";
        EXPECT_EQ(p.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos);
        EXPECT_FALSE(p.label.empty());
        EXPECT_FALSE(p.help.empty());
        EXPECT_NE(p.help.back(), '.');
        if (p.group != group) {
            EXPECT_TRUE(finished_groups.insert(p.group).second) << "group " << p.group << " is torn apart";
            group = p.group;
        }
        EXPECT_NO_THROW(p.check(p.default_value, p.id));
        EXPECT_TRUE(p.is_default(Settings{}));
        EXPECT_EQ(p.parse(p.text(Settings{}), p.id), p.default_value) << "text of the default reads back";
        EXPECT_EQ(find_parameter(p.key()), &p);
    }
    for (const char* id : {"algorithm", "size", "wind-speed", "fetch", "seed", "vertices", "dt", "headless", "report"})
        EXPECT_NE(find_parameter(id), nullptr) << id;
    EXPECT_EQ(find_parameter("no-such-parameter"), nullptr);
}

TEST(Parameters, SetGetAndResetReachTheField) {
    Settings settings;
    parameter("wind-speed").set(settings, 7.25);
    parameter("size").set(settings, std::int64_t{128});
    parameter("algorithm").set(settings, std::string("cooley-tukey"));
    parameter("seed").set(settings, std::int64_t{4294967295});
    parameter("vsync").set(settings, false);
    EXPECT_EQ(settings.sea.wind_speed, 7.25);
    EXPECT_EQ(settings.size, 128);
    EXPECT_EQ(settings.algorithm, fft::Algorithm::cooley_tukey);
    EXPECT_EQ(settings.sea.seed, 4294967295U);
    EXPECT_FALSE(settings.vsync);
    parameter("wind-speed").reset(settings);
    EXPECT_EQ(settings.sea.wind_speed, ocean::SeaState{}.wind_speed);
    EXPECT_FALSE(same_values(settings, Settings{}));
}

TEST(Parameters, EffortTellsHowToStartAndIsNoSettingOfTheSea) {
    const Parameter& effort = parameter("effort");
    Settings settings;
    EXPECT_EQ(settings.effort, fft::Effort::estimate);
    for (const fft::Effort value : fft::all_efforts) {
        effort.set(settings, std::string(to_string(value)));
        EXPECT_EQ(settings.effort, value);
    }
    EXPECT_EQ(command_line_of(settings), "spindrift --effort patient");
    EXPECT_EQ(command_line_of(settings, CommandLineScope::look), "spindrift");
}

TEST(Parameters, EveryNumberRefusesWhatLiesOutside) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const Parameter& p : parameters()) {
        SCOPED_TRACE(p.id);
        if (p.kind == ParameterKind::real) {
            for (const double value : {std::nextafter(p.minimum, -infinity), std::nextafter(p.maximum, infinity),
                                       std::nan(""), infinity, -infinity})
                EXPECT_THROW(p.check(value, p.id), Error) << value;
        } else if (p.kind == ParameterKind::integer) {
            for (const double value : {p.minimum - 1, p.maximum + 1})
                EXPECT_THROW(p.check(static_cast<std::int64_t>(value), p.id), Error) << value;
        }
        Settings settings;
        if (p.kind != ParameterKind::boolean) {
            EXPECT_THROW(p.set(settings, true), Error) << "wrong type";
        } else {
            EXPECT_THROW(p.set(settings, 1.0), Error) << "wrong type";
        }
        EXPECT_TRUE(same_values(settings, Settings{}));
    }
}

TEST(Parameters, MessagesNameFlagValueAndLimit) {
    const auto parse = [](const char* id, const char* text) {
        return message_of([&] { parameter(id).parse(text, parameter(id).flag()); });
    };
    EXPECT_EQ(parse("size", "500"), "--size 500: must be a power of two from 16 to 2048");
    EXPECT_EQ(parse("size", "4096"), "--size 4096: must be a power of two from 16 to 2048");
    EXPECT_EQ(parse("size", "256x"), "--size 256x: must be a power of two from 16 to 2048");
    EXPECT_EQ(parse("size", ""), "--size \"\": must be a power of two from 16 to 2048");
    EXPECT_EQ(parse("vertices", "0"), "--vertices 0: must be a whole number from 1000 to 100000000");
    EXPECT_EQ(parse("wind-speed", "fast"), "--wind-speed fast: must be a number from 0 to 60 m/s");
    EXPECT_EQ(parse("wind-speed", "1,5"), "--wind-speed 1,5: must be a number from 0 to 60 m/s");
    EXPECT_EQ(parse("cascades", "2"), "--cascades 2: must be 1, other values come with a later version");
    EXPECT_EQ(parse("algorithm", "stockam-radix4"),
              "--algorithm stockam-radix4: must be one of cooley-tukey-stages, cooley-tukey, stockham-radix2, "
              "stockham-radix4, tuned, cufft; did you mean stockham-radix4?");
    EXPECT_EQ(parse("vsync", "maybe"), "--vsync maybe: must be on or off");
    EXPECT_EQ(parse("report", "a.txt"), "--report a.txt: must be the name of a .json or .csv or .html file");
}

TEST(Parameters, TomlReadsBackToTheSameSettings) {
    const Settings changed = settings_with_everything_changed();
    ASSERT_FALSE(same_values(changed, Settings{}));
    for (const Settings& original : {Settings{}, changed}) {
        Settings copy;
        read_toml(copy, to_toml(original), "dump", false);
        for (const Parameter& p : parameters()) EXPECT_EQ(p.get(copy), p.get(original)) << p.id;
    }
}

TEST(Parameters, TomlKeepsWhatWasGivenEvenAtItsDefault) {
    Settings settings;
    settings.given.insert("vertices");
    Settings copy;
    read_toml(copy, to_toml(settings), "dump", false);
    EXPECT_TRUE(copy.was_given("vertices"));
    EXPECT_FALSE(copy.was_given("size"));
}

TEST(Parameters, TomlErrorsNameFileLineKeyValueAndLimit) {
    const auto read = [](const char* text) {
        Settings settings;
        const std::string message = message_of([&] { read_toml(settings, text, "my.toml", false); });
        EXPECT_TRUE(same_values(settings, Settings{})) << "settings were changed by a file that failed";
        EXPECT_TRUE(settings.given.empty());
        return message;
    };
    EXPECT_EQ(read("[sea]\nwind_speed = 5\n[transform]\nsize = 500\n"),
              "my.toml:4: size = 500: must be a power of two from 16 to 2048");
    EXPECT_EQ(read("[sea]\nwind_speed = \"fast\"\n"),
              "my.toml:2: wind_speed = \"fast\": must be a number from 0 to 60 m/s");
    EXPECT_EQ(read("[sea]\nwind_speed = nan\n"), "my.toml:2: wind_speed = nan: must be a number from 0 to 60 m/s");
    EXPECT_EQ(read("[transform]\nsize = 256.0\n"), "my.toml:2: size = 256: must be a power of two from 16 to 2048");
    EXPECT_EQ(read("[window]\nvsync = \"on\"\n"), "my.toml:2: vsync = \"on\": must be true or false");
    EXPECT_NE(read("[sea]\nwind_sped = 5\n").find("my.toml:2: wind_sped = 5: not known here; known are sea, spectrum"),
              std::string::npos);
    EXPECT_NE(read("[sea]\nwind_sped = 5\n").find("did you mean wind_speed?"), std::string::npos);
    EXPECT_NE(read("[see]\n").find("my.toml:1: [see]: not known here"), std::string::npos);
    EXPECT_EQ(read("size = 256\n"), "my.toml:1: size = 256: belongs to the table [transform]");
    EXPECT_EQ(read("[light]\nwind_speed = 3\n"), "my.toml:2: wind_speed = 3: belongs to the table [sea]");
    EXPECT_EQ(read("sea = \"gale\"\n"), "my.toml:1: sea = \"gale\": belongs to the table [sea]");
    EXPECT_EQ(read("[[light]]\nhaze = 1\n"), "my.toml:1: light = [...]: must be one table, [light]");
    EXPECT_EQ(read("light = 3\n"), "my.toml:1: light = 3: must be a table, [light]");
    EXPECT_NE(read("[sea\n").find("my.toml:1:5: not valid TOML"), std::string::npos);
    EXPECT_NE(read("[sea]\nsea = \"no such sea\"\n").find("no such sea"), std::string::npos);
}

TEST(Parameters, SeaFilesSetTheSeaAndNothingElse) {
    Settings settings;
    read_toml(settings, "title = \"T\"\ndescription = \"D\"\n[sea]\nwind_speed = 5\n", "sea", true);
    EXPECT_EQ(settings.sea.wind_speed, 5.0);
    EXPECT_TRUE(settings.given.empty()) << "only files and flags of the user count as given";
    const auto refusal = [&settings](const char* text) {
        return message_of([&] { read_toml(settings, text, "my.toml", true); });
    };
    EXPECT_EQ(refusal("wind_speed = 5\n"), "my.toml:1: wind_speed = 5: belongs to the table [sea]")
        << "as in a configuration file";
    EXPECT_EQ(refusal("[sea]\nsea = \"gale\"\n"),
              "my.toml:2: sea = \"gale\": a sea cannot name another one to start from");
    EXPECT_EQ(refusal("[light]\nframes = 5\n"),
              "my.toml:2: frames = 5: not part of a sea; it belongs to [run] of a configuration file");
    EXPECT_EQ(refusal("title = 5\n"), "my.toml:1: title = 5: must be text");
    EXPECT_EQ(refusal("[sea]\nwindspeed = 5\n").find("known are sea,"), std::string::npos)
        << "a hint must not offer what a sea may not have";
    EXPECT_NE(message_of([&] { read_toml(settings, "[run]\nframes = 3\n", "sea", true); }).find("[run]"),
              std::string::npos);
}

TEST(Parameters, EveryNamedSeaCanBeApplied) {
    ASSERT_FALSE(named_seas().empty());
    for (const NamedSea& sea : named_seas()) {
        SCOPED_TRACE(sea.name);
        Settings settings;
        settings.sea.wind_speed = 59.0; // a value of the sea before must not survive
        ASSERT_NO_THROW(apply_sea(settings, std::string(sea.name)));
        EXPECT_EQ(settings.sea_name, sea.name);
        EXPECT_TRUE(same_values(settings, settings_of_sea(std::string(sea.name))));
        EXPECT_EQ(ocean::why_invalid(settings.sea), std::nullopt);
        EXPECT_FALSE(describe_sea(sea.toml).title.empty());
    }
}

TEST(Parameters, CommandLineIsShortAndQuoted) {
    Settings settings;
    EXPECT_EQ(command_line_of(settings), "spindrift");
    settings.size = 256;
    settings.sea.wind_direction = -30.5;
    settings.fullscreen = true;
    settings.vsync = false;
    settings.report = "it's a report.json";
    EXPECT_EQ(command_line_of(settings), "spindrift --size 256 --wind-direction -30.5 --fullscreen --vsync off "
                                         "--report 'it'\\''s a report.json'");
    EXPECT_EQ(command_line_of(settings, CommandLineScope::look),
              "spindrift --size 256 --wind-direction -30.5 --fullscreen --vsync off");
}

TEST(Parameters, CommandLineStartsFromTheSea) {
    ASSERT_FALSE(named_seas().empty());
    const std::string name{named_seas().front().name};
    Settings settings = settings_of_sea(name);
    EXPECT_EQ(command_line_of(settings), "spindrift --sea " + name);
    settings.sea.wind_speed = 3.125;
    EXPECT_EQ(command_line_of(settings), "spindrift --sea " + name + " --wind-speed 3.125");
    settings.sea_name = "/a file/that is gone.toml";
    EXPECT_EQ(command_line_of(settings).find("--sea "), std::string::npos);
}

} // namespace
} // namespace spindrift
