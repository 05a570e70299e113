// The table of sea parameters, what it refuses, and the named seas.
#include "app/ocean/sea_state.h"
#include "app/ocean/simulation.h"
#include "app/ocean/spectrum.h"

#include "app/assets.h"
#include "app/parameters.h"
#include "engine/error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>

namespace spindrift::ocean {
namespace {

TEST(OceanSeaState, DefaultsAreValidAndEveryNumberIsInTheTable) {
    EXPECT_EQ(why_invalid(SeaState{}), std::nullopt);
    std::set<std::string_view> names;
    SeaState changed;
    for (const SeaParameter& parameter : sea_parameters()) {
        EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
        EXPECT_FALSE(parameter.help.empty());
        EXPECT_EQ(find_sea_parameter(parameter.name), &parameter);
        parameter.set(changed, parameter.maximum);
        EXPECT_EQ(parameter.get(changed), parameter.maximum) << parameter.name;
        EXPECT_NE(changed, SeaState{}) << parameter.name;
    }
    EXPECT_EQ(find_sea_parameter("wind"), nullptr);
    EXPECT_EQ(why_invalid(changed), std::nullopt);
}

TEST(OceanSeaState, OutOfRangeNamesFieldValueAndLimit) {
    for (const SeaParameter& parameter : sea_parameters()) {
        if (parameter.is_integer()) continue; // cannot hold a value out of its range
        for (const double value : {parameter.minimum - 0.5, parameter.maximum * 1.01 + 0.5,
                                   std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
            SeaState sea;
            parameter.set(sea, value);
            const auto reason = why_invalid(sea);
            ASSERT_TRUE(reason) << parameter.name << " " << value;
            EXPECT_EQ(reason->find(parameter.name), 0U) << *reason;
            EXPECT_NE(reason->find(parameter.limit()), std::string::npos) << *reason;
            EXPECT_THROW(validate(sea), Error);
        }
    }
    EXPECT_EQ(*why_invalid({.wind_speed = 90}), "wind_speed is 90, must be 0 to 60 m/s");
    try {
        validate({.loop_period = 0});
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.exit_code(), ExitCode::usage);
    }
}

TEST(OceanSeaState, SpectrumNamesReadBack) {
    for (const std::string_view name : spectrum_names) EXPECT_EQ(to_string(*parse_spectrum(name)), name);
    EXPECT_EQ(parse_spectrum("jonswop"), std::nullopt);
}

TEST(OceanSeaState, NamedSeasDifferAndAreWhatTheySay) {
    std::map<std::string, double> heights;
    for (const NamedSea& named : named_seas()) {
        Settings settings;
        apply_sea(settings, std::string(named.name));
        EXPECT_EQ(why_invalid(settings.sea), std::nullopt) << named.name;
        EXPECT_TRUE(notes(settings.sea).empty()) << named.name << ": " << notes(settings.sea)[0];
        heights[std::string(named.name)] = make_initial_spectrum(settings.sea, 256).significant_height();
    }
    EXPECT_GE(heights.size(), 6U);
    EXPECT_LT(heights.at("calm"), 0.6);
    EXPECT_NEAR(heights.at("moderate"), 2.3, 0.2);
    EXPECT_GT(heights.at("gale"), 4);
    EXPECT_GT(heights.at("storm"), 8);
    EXPECT_LT(heights.at("shallow"), heights.at("moderate"));
}

TEST(OceanTime, LoopFractionIsExactAndWraps) {
    EXPECT_EQ(loop_fraction(0, 200), 0U);
    EXPECT_EQ(loop_fraction(50, 200), 0x40000000U);
    EXPECT_EQ(loop_fraction(-50, 200), 0xC0000000U);
    EXPECT_EQ(loop_fraction(200, 200), 0U);
    EXPECT_EQ(loop_fraction(200.0 * 1e9 + 100, 200), 0x80000000U);
    EXPECT_EQ(loop_fraction(std::nextafter(200.0, 0.0), 200), 0U); // rounds up to a whole turn
}

} // namespace
} // namespace spindrift::ocean
