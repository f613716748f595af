#include "yaml/parents.h"

#include <algorithm>
#include <map>

#include "common/cycle.h"
#include "common/text.h"

namespace heddle {
namespace {

/// Returns the word with its article: "a queue", "an account".
std::string one(const std::string& what) { return (what.front() == 'a' ? "an " : "a ") + what; }

/// Returns the index of each member's parent. The index is -1 if the member is directly below the
/// root. Reports missing parents.
std::vector<int> find_parents(const std::vector<TreeRow>& rows, const std::string& what) {
  std::vector<std::string> names;
  for (const TreeRow& row : rows) names.push_back(row.name);
  std::map<std::string, int> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(names[i], static_cast<int>(i));
  std::vector<int> parents;
  for (const TreeRow& row : rows) {
    const std::string& wanted = row.parent;
    auto it = places.find(wanted);
    parents.push_back(wanted.empty() || it == places.end() ? -1 : it->second);
    if (!wanted.empty() && it == places.end())
      row.section.get("parent")->error(
          row.section.field().findings().full() ? ""
          : wanted == "root" ? "the root is not " + one(what) + "; expected no parent for " +
                                   one(what) + " directly below the root"
                             : with_nearest("no " + what + " is called \"" + wanted +
                                                "\"; expected one of " + join(names),
                                            wanted, names));
  }
  return parents;
}

}  // namespace

void check_tree(const std::vector<TreeRow>& rows, const std::string& what) {
  const std::vector<int> parents = find_parents(rows, what);
  const std::vector<std::size_t> cycle = find_cycle(rows.size(), [&](std::size_t i) {
    return parents[i] < 0 ? std::vector<std::size_t>()
                          : std::vector{static_cast<std::size_t>(parents[i])};
  });
  if (cycle.empty()) return;
  const auto first = std::ranges::min_element(cycle);
  std::string text;
  const auto add = [&](std::size_t i) { text += rows[i].name + " below "; };
  std::for_each(first, cycle.end(), add);
  std::for_each(cycle.begin(), first, add);
  rows[*first].section.get("parent")->error("the parents form a cycle: " + text +
                                            rows[*first].name + "; expected a tree");
}

}  // namespace heddle
