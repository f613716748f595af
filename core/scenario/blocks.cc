#include "core/scenario/blocks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <string>

#include "core/scenario/draw.h"

namespace heddle {
namespace {

// Parts of the keys of draws. The numbers must never change.
constexpr std::uint64_t kBlock = 0x626c6f636bU, kPlace = 0x706c616365U;

// Maximum numbers of nodes that are examined for one copy. First, kDrawnLooks drawn nodes are
// examined. In most cases, one of them is suitable. If not, kLooksInARow consecutive nodes are
// examined, starting at a drawn node.
constexpr std::int64_t kDrawnLooks = 32, kLooksInARow = 1024;

// Number of terms up to which the sum below is computed term by term.
constexpr std::int64_t kTerms = 64;

/// Returns 1 + 1/2^z + … + 1/n^z. The terms after kTerms are computed by the Euler-Maclaurin
/// formula, with an error of about 1e-13.
double harmonic(std::int64_t n, double z) {
  double sum = 0;
  for (std::int64_t i = 1; i <= std::min(n, kTerms); ++i)
    sum += std::pow(static_cast<double>(i), -z);
  if (n <= kTerms) return sum;
  const auto a = static_cast<double>(kTerms), b = static_cast<double>(n);
  const double fa = std::pow(a, -z), fb = std::pow(b, -z), logs = std::log(b / a);
  const double integral = z == 1 ? logs : a * fa * std::expm1((1 - z) * logs) / (1 - z);
  // (fb - fa) / 2 is f(b)/2 - f(a)/2, because f(a) is already in the sum. The terms with the first
  // and third derivatives follow.
  return sum + integral + (fb - fa) / 2 - z / 12 * (fb / b - fa / a) +
         z * (z + 1) * (z + 2) / 720 * (fb / (b * b * b) - fa / (a * a * a));
}

/// Returns the Zipf weight of a task. The mean of the weights of all tasks is 1.
double zipf_weight(const Skew& skew, int tasks, int index) {
  if (skew.zipf == 0) return 1;
  return std::pow(index + 1.0, -skew.zipf) * tasks / harmonic(tasks, skew.zipf);
}

/// Returns the sum of the skew factors of the first `count` tasks.
double factors_before(const Skew& skew, int tasks, int count) {
  if (count == 0) return 0;
  double sum =
      skew.zipf == 0 ? count : harmonic(count, skew.zipf) * tasks / harmonic(tasks, skew.zipf);
  sum += skew_factor(skew, tasks, 0) - zipf_weight(skew, tasks, 0);
  if (count == tasks && tasks > 1)
    sum += skew_factor(skew, tasks, tasks - 1) - zipf_weight(skew, tasks, tasks - 1);
  return sum;
}

/// Returns a node that is wanted. Returns nullopt if no such node was found.
std::optional<NodeId> find_node(const ClusterSpec& cluster, std::uint64_t key,
                                const std::function<bool(NodeId)>& wanted) {
  const std::int64_t nodes = std::ssize(cluster.nodes);
  auto drawn = [&](std::int64_t look) {
    const std::uint64_t value = draw_key(key, {static_cast<std::uint64_t>(look)});
    return static_cast<std::int64_t>(value % static_cast<std::uint64_t>(nodes));
  };
  for (std::int64_t look = 0; look < kDrawnLooks; ++look)
    if (NodeId node{drawn(look)}; wanted(node)) return node;
  const std::int64_t start = drawn(kDrawnLooks);
  for (std::int64_t look = 0; look < std::min(nodes, kLooksInARow); ++look)
    if (NodeId node{(start + look) % nodes}; wanted(node)) return node;
  return std::nullopt;
}

/// Adds nodes to the chosen nodes until there are `replicas` nodes.
void place_others(const ClusterSpec& cluster, int replicas, std::uint64_t key,
                  std::vector<NodeId>& chosen) {
  auto rack = [&](NodeId node) -> const std::string& {
    return cluster.nodes[static_cast<std::size_t>(node.value)].rack;
  };
  auto free = [&](NodeId node) {
    return std::find(chosen.begin(), chosen.end(), node) == chosen.end();
  };
  const std::int64_t most = std::min<std::int64_t>(replicas, std::ssize(cluster.nodes));
  while (std::ssize(chosen) < most) {
    const std::size_t number = chosen.size();
    const std::uint64_t at = draw_key(key, {kPlace, number});
    std::optional<NodeId> node;
    if (number == 1)
      node = find_node(cluster, at, [&](NodeId n) { return rack(n) != rack(chosen[0]); });
    else if (number == 2)
      node =
          find_node(cluster, at, [&](NodeId n) { return free(n) && rack(n) == rack(chosen[1]); });
    if (!node) node = find_node(cluster, at, free);
    if (!node) return;
    chosen.push_back(*node);
  }
}

}  // namespace

double skew_factor(const Skew& skew, int tasks, int index) {
  double factor = zipf_weight(skew, tasks, index);
  if (index == 0) factor *= skew.trailing;
  if (index == tasks - 1) factor *= skew.heading;
  return factor;
}

Share partition(EmuBytes total, const Skew& skew, int tasks, int first, int count) {
  const double all = factors_before(skew, tasks, tasks);
  auto begin = [&](int index) {
    if (index == tasks) return total.count();
    const double part = factors_before(skew, tasks, index) / all;
    return std::min(total.count(),
                    static_cast<std::int64_t>(static_cast<double>(total.count()) * part));
  };
  const std::int64_t offset = begin(first);
  return {EmuBytes(offset), EmuBytes(begin(first + count) - offset)};
}

std::uint64_t block_object(std::uint64_t seed, TaskId task) {
  return draw_key(seed, {kBlock, static_cast<std::uint64_t>(task.phase.job.value),
                         static_cast<std::uint64_t>(task.phase.phase),
                         static_cast<std::uint64_t>(task.index)}) >>
         1;
}

std::vector<NodeId> place_block(const ClusterSpec& cluster, int replicas, std::uint64_t key) {
  std::vector<NodeId> chosen;
  if (cluster.nodes.empty()) return chosen;
  auto first = find_node(cluster, draw_key(key, {kPlace, 0}), [](NodeId) { return true; });
  chosen.push_back(*first);
  place_others(cluster, replicas, key, chosen);
  return chosen;
}

std::vector<NodeId> place_copies(const ClusterSpec& cluster, NodeId writer, int replicas,
                                 std::uint64_t key) {
  std::vector<NodeId> chosen{writer};
  place_others(cluster, replicas, key, chosen);
  chosen.erase(chosen.begin());
  return chosen;
}

}  // namespace heddle
