// docs/policies.md and the table of parts, presets and options say the same.

#include <gtest/gtest.h>

#include <map>

#include "common/file.h"
#include "common/text.h"
#include "core/policy/table.h"
#include "tests/core/page_rows.h"

namespace heddle {
namespace {

std::string row_of(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |";
}

std::string told(const std::string& summary, bool built) {
  return built ? summary : summary + " (not built yet)";
}

TEST(PolicyPage, HasExactlyTheRowsOfTheTable) {
  std::map<std::string, std::vector<std::string>> expected;
  for (const PolicyPreset& preset : policy_presets())
    expected["Presets"].push_back(
        row_of({"`" + preset.name + "`", told(preset.summary, preset.built)}));
  for (const PartChoice& choice : part_choices())
    expected["Parts"].push_back(row_of(
        {"`" + choice.part + "`", "`" + choice.name + "`", told(choice.summary, choice.built)}));
  for (const PolicyOption& option : policy_options()) {
    std::string by_default = option.default_value;
    for (const auto& [choice, value] : option.other_defaults)
      by_default += "; " + choice + ": " + value;
    expected["Options"].push_back(
        row_of({"`" + option.name + "`", values_of(option), by_default,
                option.only_with.empty() ? "all" : join(option.only_with), option.help}));
  }
  EXPECT_EQ(rows_of_page("policies.md"), expected);
}

TEST(PolicyPage, HasASectionForEveryBuiltScheduler) {
  const std::string page = *read_file(HEDDLE_SOURCE_DIR "/docs/policies.md");
  for (const PartChoice& choice : part_choices()) {
    if (choice.part != "scheduler" || !choice.built) continue;
    const std::size_t begin = page.find("\n## " + choice.name + "\n");
    ASSERT_NE(begin, std::string::npos) << choice.name;
    const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
    EXPECT_NE(section.find("\n- Good at: "), std::string::npos) << choice.name;
    EXPECT_NE(section.find("\n- Bad at: "), std::string::npos) << choice.name;
  }
}

}  // namespace
}  // namespace heddle
