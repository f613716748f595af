#include "cli/base/browser.h"

#include "cli/batch/demo.h"
#include "common/file.h"
#include "tests/support/matchers.h"

namespace heddle::cli::browser_test {

TEST(BrowserCommand, TheFirstOfBrowser) {
  EXPECT_THAT(*browser_command({"firefox", true}, "/a b.html"),
              ElementsAre("firefox", "/a b.html"));
  EXPECT_THAT(*browser_command({"w3m:firefox", false}, "/a.html"), ElementsAre("w3m", "/a.html"));
  EXPECT_THAT(*browser_command({"chromium --app=%s --new", true}, "http://h:1/?t=%s"),
              ElementsAre("chromium", "--app=http://h:1/?t=%s", "--new"));
}

TEST(BrowserCommand, XdgOpenIfThereIsADisplay) {
  for (const char* none : {"", " ", ":firefox"})
    EXPECT_THAT(*browser_command({none, true}, "/a.html"), ElementsAre("xdg-open", "/a.html"));
  const auto nothing = browser_command({"", false}, "/a.html");
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().kind, Error::Kind::kMachine);
  EXPECT_THAT(nothing.error().text, HasSubstr("no display"));
}

TEST(Demo, HasTheScenarioOfTheLesson) {
  EXPECT_EQ(demo_scenario(), *read_file(HEDDLE_SOURCE_DIR "/scenarios/lessons/drf-example.yaml"));
}

}  // namespace heddle::cli::browser_test
