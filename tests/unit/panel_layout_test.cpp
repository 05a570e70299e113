// What is kept of the panel's layout: only what a hand has changed.
#include "app/panel/layout.h"

#include <gtest/gtest.h>

namespace spindrift {
namespace {

constexpr PanelPlace usual{.position = {9, 9}, .size = {351, 546}};

TEST(PanelLayout, KeepsOnlyWhatAHandHasChanged) {
    PanelLayout layout;
    layout.follow("Spindrift", usual, false);
    layout.follow("Spindrift", {.position = {0, 0}, .size = {92, 131}}, false); // the framebuffer has become too small
    EXPECT_EQ(layout.text(), "");
    layout.follow("Spindrift", {.position = {40, 0}, .size = {92, 131}}, true); // dragged
    EXPECT_EQ(layout.text(), "[Window][Spindrift]\nPos=40,0\n\n") << "nobody chose the size";
    layout.follow("Spindrift", {.position = {12, 0}, .size = {92, 131}}, false); // moved back inside
    EXPECT_EQ(layout.place_of("Spindrift", usual).position, (std::array{40, 0}));
    EXPECT_EQ(layout.place_of("Spindrift", usual).size, usual.size);
    EXPECT_EQ(layout.place_of("Picture", usual).position, usual.position);
}

TEST(PanelLayout, TheFirstFrameIsNoChange) {
    PanelLayout layout;
    layout.follow("Spindrift", usual, true); // the mouse is down while the window appears
    EXPECT_EQ(layout.text(), "");
}

TEST(PanelLayout, ATitleIsNoSize) {
    PanelLayout layout;
    layout.follow("Spindrift", usual, false);
    layout.follow("Spindrift", {.position = {9, 9}, .size = {351, 19}, .collapsed = true}, true);
    EXPECT_EQ(layout.text(), "[Window][Spindrift]\nCollapsed=1\n\n");
    layout.follow("Spindrift", usual, true);
    EXPECT_EQ(layout.text(), "[Window][Spindrift]\nCollapsed=0\n\n");
}

TEST(PanelLayout, ComesBackFromItsText) {
    const std::string text = "[Window][Measurements (ms)]\nPos=-5,20\nSize=300,400\nCollapsed=1\n\n"
                             "[Window][Spindrift]\nSize=351,600\n\n";
    const PanelLayout layout = PanelLayout::parse(text);
    EXPECT_EQ(layout.text(), text);
    EXPECT_EQ(layout.place_of("Measurements (ms)", usual).position, (std::array{-5, 20}));
    EXPECT_TRUE(layout.place_of("Measurements (ms)", usual).collapsed);
    EXPECT_EQ(layout.place_of("Spindrift", usual).position, usual.position);
    EXPECT_EQ(layout.place_of("Spindrift", usual).size, (std::array{351, 600}));
}

TEST(PanelLayout, PassesOverWhatItCannotUse) {
    const PanelLayout layout = PanelLayout::parse("Pos=1,1\n[Window][Spindrift]\nPos=1\nPos=1,x\nSize=0,10\nSize=-1,5\n"
                                                  "Size=9999999999,5\nCollapsed=2\nDock=3\nno\n=\n"
                                                  "[Table][0x1]\nPos=3,3\n[Window][Spindrift");
    const PanelPlace place = layout.place_of("Spindrift", usual);
    EXPECT_EQ(place.position, usual.position);
    EXPECT_EQ(place.size, usual.size);
    EXPECT_FALSE(place.collapsed);
}

} // namespace
} // namespace spindrift
