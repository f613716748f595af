#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace heddle {

/// Returns the nodes of a cycle in a graph, each before the one that it comes after. Returns an
/// empty list if there is no cycle. `before(i)` returns the list of the nodes that come before node
/// i, of `count` in all.
template <class Before>
std::vector<std::size_t> find_cycle(std::size_t count, const Before& before) {
  std::vector<std::vector<std::size_t>> after(count);
  std::vector<std::size_t> open(count), ready;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::size_t other : before(i)) after[other].push_back(i), ++open[i];
    if (open[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t done = ready.back();
    ready.pop_back();
    for (const std::size_t next : after[done])
      if (--open[next] == 0) ready.push_back(next);
  }
  const auto first = std::ranges::find_if(open, [](std::size_t left) { return left > 0; });
  if (first == open.end()) return {};
  // Each node that is left comes after another such node. Those who follow them get into a cycle.
  std::vector<std::size_t> next(count);
  for (std::size_t i = 0; i < count; ++i)
    for (const std::size_t other : before(i))
      if (open[other] > 0) next[i] = other;
  auto at = static_cast<std::size_t>(first - open.begin());
  for (std::size_t i = 0; i < count; ++i) at = next[at];
  std::vector<std::size_t> cycle;
  for (std::size_t i = at; cycle.empty() || i != at; i = next[i]) cycle.push_back(i);
  return cycle;
}

}  // namespace heddle
