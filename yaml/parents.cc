#include "yaml/parents.h"

#include <map>

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
          wanted == "root" ? "the root is not " + one(what) + "; expected no parent for " +
                                 one(what) + " directly below the root"
                           : with_nearest("no " + what + " is called \"" + wanted +
                                              "\"; expected one of " + join(names),
                                          wanted, names));
  }
  return parents;
}

/// Returns a text such as "a below b below a" if the member is its own ancestor. Returns "" if it
/// is not.
std::string circle_from(int start, const std::vector<TreeRow>& rows,
                        const std::vector<int>& parents) {
  std::string path;
  int at = start;
  for (std::size_t steps = 0; at >= 0 && steps < rows.size(); ++steps) {
    path += rows[static_cast<std::size_t>(at)].name + " below ";
    at = parents[static_cast<std::size_t>(at)];
    if (at == start) return path + rows[static_cast<std::size_t>(at)].name;
  }
  return "";
}

}  // namespace

void check_tree(const std::vector<TreeRow>& rows, const std::string& what) {
  const std::vector<int> parents = find_parents(rows, what);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string circle = circle_from(static_cast<int>(i), rows, parents);
    if (circle.empty()) continue;
    return rows[i].section.get("parent")->error("the parents form a cycle: " + circle +
                                                "; expected a tree");
  }
}

}  // namespace heddle
