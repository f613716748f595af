// docs/reference/policies.md is generated from the registry where it describes parts, presets and
// options.

#include <gtest/gtest.h>

#include "common/text.h"
#include "core/policy/registry.h"
#include "tests/support/page_rows.h"

namespace heddle::policy_page_test {

constexpr std::size_t kColumns = 100;

std::string row_of(const std::vector<std::string_view>& cells) {
  return "| " + join(std::vector<std::string>(cells.begin(), cells.end()), " | ") + " |\n";
}

std::string code(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string preset_rows() {
  std::string rows;
  for (const PolicyPreset& preset : policy_presets())
    rows += row_of({code(preset.name), preset.summary});
  return rows;
}

std::string part_rows() {
  std::string rows;
  for (const PartKind& kind : part_kinds())
    for (const PartText* part : kind.choices)
      rows += row_of({code(kind.name), code(part->name), part->summary});
  return rows;
}

std::string option_rows() {
  std::string rows;
  for (const Option* option : policy_options()) {
    std::string by_default(option->by_default);
    for (const auto& [part, value] : other_defaults(*option))
      by_default += "; " + part + ": " + value;
    const std::vector<std::string> by = readers(*option);
    rows += row_of({code(option->name), option->values(), by_default, by.empty() ? "all" : join(by),
                    option->help});
  }
  return rows;
}

/// Returns a list item such as "- Good at: …", in lines of at most kColumns.
std::string item_of(const std::string& title, std::string_view text) {
  std::string item, line = "- " + title;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (line.size() + 1 + word.size() > kColumns) {
      item += line + "\n";
      line = " ";
    }
    line += " " + word;
  }
  return item + line + "\n";
}

std::string items_of(const PartText& part) {
  return item_of("Good at:", part.good_at) + item_of("Bad at:", part.bad_at);
}

/// Returns the place of the section with that title in the page; the page's end if it is missing.
std::pair<std::size_t, std::size_t> section_of(const std::string& page, std::string_view title) {
  const std::size_t begin = page.find("\n## " + std::string(title) + "\n");
  if (begin == std::string::npos) {
    ADD_FAILURE() << "section \"" << title << "\" is missing";
    return {page.size(), page.size()};
  }
  return {begin, std::min(page.find("\n## ", begin + 1), page.size())};
}

/// Replaces the lines of the section that begin with `start`, and their continuation lines, by
/// `lines`.
void replace_lines(std::string& page, std::string_view title, std::string_view start,
                   const std::string& lines) {
  const auto [begin, end] = section_of(page, title);
  const std::size_t first = page.find("\n" + std::string(start), begin);
  if (first >= end) {
    ADD_FAILURE() << title << ": no line begins with " << start;
    return;
  }
  // A block ends at an empty line or at the end of the section.
  const std::size_t last = std::min(page.find("\n\n", first), end);
  page.replace(first + 1, last - first, lines);
}

TEST(PolicyPage, IsMadeOfTheRegistry) {
  std::string page = *read_file(HEDDLE_SOURCE_DIR "/docs/reference/policies.md");
  replace_lines(page, "Presets", "| `", preset_rows());
  replace_lines(page, "Parts", "| `", part_rows());
  replace_lines(page, "Options", "| `", option_rows());
  for (const PartText* part : part_kinds().front().choices)
    replace_lines(page, part->name, "- Good at:", items_of(*part));
  expect_page("reference/policies.md", page);
}

}  // namespace heddle::policy_page_test
