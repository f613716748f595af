#include "report/figures.h"

#include <set>

#include "tests/support/page_rows.h"

namespace heddle::report::figures_test {

using wire::Json;

const Figure& figure(std::string_view path) {
  for (const Figure& one : figures())
    if (one.path == path && !one.shown.title.empty()) return one;
  throw std::out_of_range(std::string(path));
}

TEST(Figures, AreNumbersOfASummary) {
  const Json summary = {{"makespan_s", 12.5}, {"suspensions", {{"count", 3}}}, {"lost", nullptr}};
  EXPECT_EQ(number_of(figure("makespan_s"), summary), 12.5);
  EXPECT_EQ(number_of(figure("suspensions.count"), summary), 3);
  EXPECT_EQ(number_of(figure("suspensions.total_s"), summary), std::nullopt);
  EXPECT_EQ(number_of(figure("lost"), summary), std::nullopt);
  EXPECT_EQ(number_of(figure("preemptions"), summary), std::nullopt);
}

// 3 of 4 launches were local. One job of two did not complete. 1 + 2 + 4 memory kills.
TEST(Figures, SomeAreComputedFromAnObjectOrAList) {
  const Json summary = {{"locality", {{"local", 3}, {"rack", 0}, {"remote", 1}}},
                        {"framework_locality",
                         {{"mapreduce", {{"local", 3}, {"rack", 0}, {"remote", 1}}},
                          {"spark", {{"local", 1}, {"rack", 1}, {"remote", 0}}}}},
                        {"jobs", {{{"state", "completed"}}, {{"state", "failed"}}}},
                        {"oom_kills", {{"container", 1}, {"node", 2}, {"other", 4}}}};
  EXPECT_EQ(number_of(figure("locality"), summary), 0.75);
  EXPECT_EQ(number_of(figure("framework_locality.mapreduce"), summary), 0.75);
  EXPECT_EQ(number_of(figure("framework_locality.spark"), summary), 0.5);
  EXPECT_EQ(number_of(figure("jobs"), summary), 1);
  EXPECT_EQ(number_of(figure("oom_kills"), summary), 7);
  const Json none = {{"locality", {{"local", nullptr}, {"rack", nullptr}, {"remote", nullptr}}}};
  EXPECT_EQ(number_of(figure("locality"), none), std::nullopt);
  EXPECT_EQ(number_of(figure("framework_locality.spark"), none), std::nullopt);
  EXPECT_EQ(number_of(figure("jobs"), none), std::nullopt);
}

TEST(Figures, PathsAndKeysOfComparisonsAreUnique) {
  std::set<std::string_view> computed, compared;
  for (const Figure& one : figures()) {
    EXPECT_TRUE(!one.of || computed.insert(one.path).second) << one.path;
    EXPECT_TRUE(one.shown.compared.empty() || compared.insert(one.shown.compared).second)
        << one.shown.compared;
    EXPECT_TRUE(one.shown.compared.empty() || !one.shown.title.empty()) << one.path;
  }
  // Each figure without a function lies in an object that has one.
  for (const Figure& one : figures())
    EXPECT_TRUE(computed.contains(one.path.substr(0, one.path.find('.')))) << one.path;
}

std::string row_of(const Figure& one) {
  const auto code = [](std::string_view text) {
    return text.empty() ? std::string() : "`" + std::string(text) + "`";
  };
  constexpr std::string_view kBetter[] = {"less", "more", ""};
  std::string text = "| " + code(one.path);
  for (const std::string& cell :
       {std::string(one.help), std::string(one.shown.title), std::string(one.shown.unit),
        one.shown.title.empty() ? ""
                                : std::string(kBetter[static_cast<std::size_t>(one.shown.better)]),
        code(one.shown.compared)})
    text += " |" + (cell.empty() ? "" : " " + cell);
  return text + " |";
}

TEST(Reference, HasEachFigure) {
  std::istringstream page(*read_file(HEDDLE_SOURCE_DIR "/docs/reference/results.md"));
  std::string expected;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    inside = (inside || line.starts_with("| key | content | title |")) && !line.empty();
    if (inside && line.starts_with("| `")) continue;
    expected += line + "\n";
    if (inside && line.starts_with("|---"))
      for (const Figure& one : figures()) expected += row_of(one) + "\n";
  }
  expect_page("reference/results.md", expected);
}

}  // namespace heddle::report::figures_test
