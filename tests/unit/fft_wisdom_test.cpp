// Wisdom: written, read back, and refused with a word when it is foreign, old or damaged.
#include "engine/error.h"
#include "fft/fused_plan.h"
#include "fft/tuner.h"
#include "fft/wisdom.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace spindrift {
namespace {

using fft::Effort;
using fft::TransformDesc;
using fft::Wisdom;
using fft::WisdomEntry;
using Json = nlohmann::json;

gl::DeviceInfo device() {
    gl::DeviceInfo info;
    info.vendor = "Vendor";
    info.renderer = "Card 1";
    info.version = "4.6 driver 5";
    return info;
}

WisdomEntry entry_of(int size, Effort effort = Effort::measure, double microseconds = 12.5) {
    const TransformDesc desc{
        .size = size, .algorithm = fft::Algorithm::tuned, .layers = 2, .storage = fft::Storage::buffer};
    return {.desc = desc,
            .effort = effort,
            .schedule = fft::default_schedule(desc, {}).value(),
            .microseconds = microseconds,
            .relative_l2 = 1.5e-7};
}

Wisdom sample() {
    Wisdom wisdom(device(), "abc");
    wisdom.add(entry_of(128));
    wisdom.add(entry_of(512));
    return wisdom;
}

/// The sentence of the refusal; empty when the text was accepted.
std::string refusal(const std::string& text, const gl::DeviceInfo& info = device(), const std::string& hash = "abc") {
    try {
        Wisdom::parse(text, info, hash);
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

std::string changed(const Json::json_pointer& place, const Json& value) {
    Json json = Json::parse(sample().to_json());
    json[place] = value;
    return json.dump();
}

WisdomEntry fused_entry_of(int size) {
    WisdomEntry entry = entry_of(size);
    entry.fused = true;
    entry.schedule = fft::default_fused_schedule(entry.desc, {}).value();
    entry.microseconds = 30;
    return entry;
}

TEST(FftWisdom, FusedStepsHaveEntriesOfTheirOwn) {
    Wisdom wisdom = sample();
    EXPECT_EQ(wisdom.find_fused(entry_of(128).desc), nullptr);
    wisdom.add(fused_entry_of(128));
    ASSERT_EQ(wisdom.entries().size(), 3U);
    const Wisdom back = Wisdom::parse(wisdom.to_json(), device(), "abc");
    EXPECT_EQ(back.find(entry_of(128).desc)->microseconds, 12.5);
    TransformDesc desc = entry_of(128).desc;
    desc.storage = fft::Storage::image; // of no account: what lies between the axes is the schedule's matter
    ASSERT_NE(back.find_fused(desc), nullptr);
    EXPECT_EQ(back.find_fused(desc)->schedule, fused_entry_of(128).schedule);
    EXPECT_EQ(back.find_fused(desc, Effort::patient), nullptr);
    EXPECT_EQ(back.find_fused(entry_of(512).desc), nullptr);
    // Each kind of schedule is none of the other kind.
    Json json = Json::parse(wisdom.to_json());
    json["entries"][0]["fused"] = true;
    EXPECT_NE(refusal(json.dump()), "");
    json["entries"][0].erase("fused");
    EXPECT_NE(refusal(json.dump()).find("fused"), std::string::npos);
}

TEST(FftWisdom, AFusedPlanFollowsItWhereItFits) {
    const TransformDesc desc = entry_of(128).desc;
    auto wisdom = std::make_shared<Wisdom>(sample());
    WisdomEntry entry = fused_entry_of(128);
    entry.schedule.rows.exchange_buffers = 2;
    wisdom->add(entry);
    fft::set_active_wisdom(wisdom);
    EXPECT_EQ(fft::fused_schedule_for(desc, {}), entry.schedule);
    EXPECT_TRUE(fft::needs_measuring(desc, Effort::patient, true));
    EXPECT_FALSE(fft::needs_measuring(desc, Effort::measure, true));
    gl::DeviceLimits limits;
    limits.max_shared_memory_bytes = static_cast<int>(entry.schedule.rows.shared_memory_bytes()) - 1;
    EXPECT_NE(fft::fused_schedule_for(desc, limits), entry.schedule);
    fft::set_active_wisdom(nullptr);
    EXPECT_EQ(fft::fused_schedule_for(desc, {}), fft::default_fused_schedule(desc, {}));
}

TEST(FftWisdom, DefaultFusedSchedulesFitSmallDevices) {
    for (const int size : {16, 64, 128, 256, 512, 1024, 2048})
        for (const fft::Packing packing : fft::all_packings) {
            const TransformDesc desc{.size = size,
                                     .algorithm = fft::Algorithm::tuned,
                                     .packing = packing,
                                     .layers = packing == fft::Packing::vec4 ? 2 : 4,
                                     .storage = fft::Storage::buffer};
            for (const int shared : {16384, 32768, 49152}) {
                gl::DeviceLimits limits;
                limits.max_shared_memory_bytes = shared;
                if (const auto schedule = fft::default_fused_schedule(desc, limits)) {
                    EXPECT_EQ(fft::why_no_fused_schedule(*schedule, desc, limits), std::nullopt);
                    EXPECT_EQ(schedule->rows.group_layers(), desc.layers);
                } else {
                    EXPECT_GE(size, 1024) << "at least these fit into " << shared;
                }
            }
        }
}

TEST(FftWisdom, ComesBackAsItWas) {
    const Wisdom wisdom = Wisdom::parse(sample().to_json(), device(), "abc");
    ASSERT_EQ(wisdom.entries().size(), 2U);
    const WisdomEntry* entry = wisdom.find(entry_of(512).desc);
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(entry->schedule, entry_of(512).schedule);
    EXPECT_EQ(entry->microseconds, 12.5);
    EXPECT_EQ(entry->relative_l2, 1.5e-7);
    EXPECT_EQ(entry->effort, Effort::measure);
    EXPECT_EQ(wisdom.to_json(), sample().to_json());
}

TEST(FftWisdom, AnswersOnlyForTheSameTransformAndEnoughEffort) {
    const Wisdom wisdom = sample();
    TransformDesc desc = entry_of(128).desc;
    EXPECT_NE(wisdom.find(desc), nullptr);
    EXPECT_NE(wisdom.find(desc, Effort::measure), nullptr);
    EXPECT_EQ(wisdom.find(desc, Effort::patient), nullptr);
    desc.scaling = fft::Scaling::by_n2;
    EXPECT_NE(wisdom.find(desc), nullptr);
    const auto unknown = [&wisdom](auto change) {
        TransformDesc other = entry_of(128).desc;
        change(other);
        return wisdom.find(other) == nullptr;
    };
    EXPECT_TRUE(unknown([](auto& other) { other.size = 256; }));
    EXPECT_TRUE(unknown([](auto& other) { other.layers = 1; }));
    EXPECT_TRUE(unknown([](auto& other) { other.direction = fft::Direction::forward; }));
    EXPECT_TRUE(unknown([](auto& other) { other.packing = fft::Packing::vec2; }));
    EXPECT_TRUE(unknown([](auto& other) { other.storage = fft::Storage::image; }));
    EXPECT_TRUE(unknown([](auto& other) { other.intermediate = fft::Precision::fp16; }));
}

TEST(FftWisdom, MoreEffortReplacesLess) {
    Wisdom wisdom = sample();
    wisdom.add(entry_of(128, Effort::patient, 9));
    wisdom.add(entry_of(128, Effort::measure, 11));
    EXPECT_EQ(wisdom.entries().size(), 2U);
    EXPECT_EQ(wisdom.find(entry_of(128).desc)->microseconds, 9);
    wisdom.add(entry_of(128, Effort::patient, 8));
    EXPECT_EQ(wisdom.find(entry_of(128).desc)->microseconds, 8);
}

TEST(FftWisdom, ForeignAndOldIsRefusedWithAWord) {
    const std::string text = sample().to_json();
    EXPECT_EQ(refusal(text), "");
    gl::DeviceInfo other = device();
    other.renderer = "Card 2";
    EXPECT_NE(refusal(text, other).find("another GPU (Card 1)"), std::string::npos) << refusal(text, other);
    other = device();
    other.version = "4.6 driver 6";
    EXPECT_NE(refusal(text, other).find("another driver"), std::string::npos) << refusal(text, other);
    EXPECT_NE(refusal(text, device(), "abd").find("older or newer text"), std::string::npos);
    EXPECT_NE(refusal(changed("/schema"_json_pointer, "spindrift.wisdom/0")).find("schema"), std::string::npos);
}

TEST(FftWisdom, DamageIsRefusedWithAWord) {
    const std::string text = sample().to_json();
    for (const std::size_t length : {std::size_t{0}, std::size_t{1}, text.size() / 2, text.size() - 3})
        EXPECT_NE(refusal(text.substr(0, length)).find("damaged"), std::string::npos) << length;
    EXPECT_NE(refusal("[]"), "");
    EXPECT_NE(refusal("{\"schema\": 5}"), "");
    const auto expect = [](const char* place, const Json& value, const char* part) {
        const std::string reason = refusal(changed(Json::json_pointer(place), value));
        EXPECT_NE(reason.find(part), std::string::npos) << place << ": " << reason;
    };
    expect("/entries", 5, "entries");
    expect("/entries/0", "x", "no object");
    expect("/entries/0/size", 4097, "size");
    expect("/entries/0/size", 256, "another size");
    expect("/entries/0/packing", "vec3", "vec3");
    expect("/entries/0/rel_l2", -1, "rel_l2");
    expect("/entries/0/microseconds", nullptr, "microseconds");
    expect("/entries/0/rows/points", 3, "points");
    expect("/entries/0/rows/points", 300, "points");
    expect("/entries/0/rows/lines", 3, "lines");
    expect("/entries/0/rows/radices", Json::array({4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}), "radices");
    expect("/entries/0/rows/radices/0", -4, "radices");
    expect("/entries/0/columns/layers", 2.5, "layers");
    expect("/entries/0/columns/source/storage", "disk", "disk");
    expect("/entries/0/rows/in_place", 1, "in_place");
    Json json = Json::parse(text);
    json["entries"][1]["columns"].erase("twiddles");
    EXPECT_NE(refusal(json.dump()).find("twiddles"), std::string::npos);
}

TEST(FftWisdom, WhatThisDeviceCannotRunIsRefused) {
    gl::DeviceInfo small = device();
    small.limits.max_shared_memory_bytes = 1024;
    EXPECT_NE(refusal(sample().to_json(), small).find("shared memory"), std::string::npos);
}

TEST(FftTunerNeighbours, AreLegalDifferentAndNotTheKernelItself) {
    const WisdomEntry entry = entry_of(256);
    for (const Effort effort : {Effort::measure, Effort::patient}) {
        const auto found = fft::neighbours(entry.schedule.rows, entry.desc, effort, {});
        EXPECT_GE(found.size(), 8U);
        for (std::size_t index = 0; index < found.size(); ++index) {
            EXPECT_EQ(fft::why_no_kernel(found[index], {}), std::nullopt) << found[index].to_string();
            EXPECT_EQ(found[index].size(), 256);
            EXPECT_NE(found[index], entry.schedule.rows);
            EXPECT_EQ(found[index].source, entry.schedule.rows.source);
            for (std::size_t other = 0; other < index; ++other) EXPECT_NE(found[index], found[other]);
        }
    }
    EXPECT_GT(fft::neighbours(entry.schedule.rows, entry.desc, Effort::patient, {}).size(),
              fft::neighbours(entry.schedule.rows, entry.desc, Effort::measure, {}).size());
}

} // namespace
} // namespace spindrift
