#include "core/policy/placement/node_rank.h"

#include <algorithm>
#include <cmath>

#include "core/scenario/draw.h"

namespace heddle {
namespace {

/// Sizes of requests for which scores are kept.
constexpr std::size_t kMostSizes = 1024;

/// Calls f with what is requested, what is free, and the largest amount, of each resource that
/// scores compare. `counted`: how many the cluster counts.
template <class F>
void each_scored(const Resources& size, const Resources& free, const Resources& largest,
                 std::size_t counted, const F& f) {
  const auto call = [&](auto asked, auto has, auto most) {
    if (most.count() > 0)
      f(static_cast<double>(asked.count()), static_cast<double>(has.count()),
        static_cast<double>(most.count()));
  };
  call(size.cores, free.cores, largest.cores);
  if (largest.counts.none()) return call(size.memory, free.memory, largest.memory);
  for (std::size_t i = 0; i < counted; ++i) call(size.counts[i], free.counts[i], largest.counts[i]);
}

}  // namespace

NodeRank::NodeRank(const Scenario& scenario)
    : scenario_(scenario),
      order_(value(scenario.policy, kNodeOrder)),
      whole_(value(scenario.policy, kNodeScores) == NodeScores::kWhole),
      counted_(scenario.cluster.resources.size()) {
  if (!scores()) return;
  const CountNames& counted = scenario.cluster.resources;
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (counted[i].devices) device_.push_back(i);
  for (const NodeSpec& node : scenario.cluster.nodes) {
    nodes_.push_back(NodeId{std::ssize(nodes_)});
    largest_ = max(largest_, addable(node.allowance, counted));
  }
  if (value(scenario.policy, kNodeTies) == NodeTies::kDrawn)
    std::ranges::stable_sort(nodes_, {}, [&](NodeId node) {
      return draw_key(scenario.seed, {0x6e6f6465, static_cast<std::uint64_t>(node.value)});
    });
  each_scored(largest_, largest_, largest_, counted_, [&](double, double, double) { ++scored_; });
  place_.resize(nodes_.size());
  for (int i = 0; i < std::ssize(nodes_); ++i) place_[nodes_[i].value] = i;
  running_.resize(nodes_.size());
  if (order_ == NodeOrder::kFgd)
    fragmentation_ = std::make_unique<Fragmentation>(scenario, value(scenario.policy, kFgdWindow));
}

NodeRank::~NodeRank() = default;

void NodeRank::refresh(const View& view, std::span<const Event> events,
                       const FreeNodeIndex& free_nodes) {
  index_ = &free_nodes;
  for (const Event& event : events)
    if (const auto* job = std::get_if<JobSubmitted>(&event.what);
        job && fragmentation_ && fragmentation_->submitted(job->job))
      scores_.clear();
  if (order_ == NodeOrder::kClustering)
    for (NodeId node : view.changed_nodes) count_running(view, node);
}

void NodeRank::count_running(const View& view, NodeId node) {
  Running& running = running_[node.value];
  running.kinds.clear();
  for (ContainerId id : view.cluster.node(node).containers)
    if (const std::int64_t kind = kind_of(view.cluster.container(id)->resources); kind > 0)
      ++running.kinds[kind];
  ++running.version;
}

void NodeRank::launched(NodeId node, const Resources& size) {
  if (order_ != NodeOrder::kClustering) return;
  if (const std::int64_t kind = kind_of(size); kind > 0) ++running_[node.value].kinds[kind];
  ++running_[node.value].version;
}

std::int64_t NodeRank::devices_of(const Resources& amounts) const {
  std::int64_t sum = 0;
  for (const std::size_t i : device_) sum += amounts.counts[i].count();
  return sum;
}

std::int64_t NodeRank::kind_of(const Resources& size) const {
  const std::int64_t amount = devices_of(size);
  return amount > 0 && amount < kWholeDevice ? 1 : amount;
}

Resources NodeRank::scored_size(const Request& request) const {
  Resources size = request.resources;
  if (!largest_.counts.none()) size.memory = EmuBytes(0);
  return size;
}

NodeRank::Scores& NodeRank::scores_for(const Request& request) const {
  const Resources size = scored_size(request);
  if (scores_.size() >= kMostSizes && !scores_.contains(size)) scores_.clear();
  Scores& scores = scores_[size];
  scores.of_node.resize(nodes_.size());
  return scores;
}

double NodeRank::score(const Request& request, NodeId node, const Draft& draft,
                       Scores& scores) const {
  if (order_ == NodeOrder::kRandom) return random(request, node, draft);
  const Resources& free = draft.free_nodes().free(node);
  Score& known = scores.of_node[node.value];
  const std::uint64_t running = running_[node.value].version;
  if (known.running != running || known.free != free) {
    known = {free, running, -1};
    const Resources size = scored_size(request);
    if (size.fits_in(free)) known.score = rounded(compute(size, node, free));
  }
  return known.score;
}

const std::vector<std::pair<double, int>>& NodeRank::sorted(const Request& request,
                                                            const Draft& draft,
                                                            Scores& scores) const {
  std::vector<std::pair<double, int>>& best_first = scores.best_first;
  const FreeNodeIndex& index = draft.free_nodes();
  const Resources size = scored_size(request);
  const auto score_of = [&](NodeId node) {
    return index.has_room(node, size) ? score(request, node, draft, scores) : -1;
  };
  const bool follows = &index == index_ && order_ != NodeOrder::kRandom;
  auto changed = follows && scores.sorted ? index.changed_since(scores.seen) : std::nullopt;
  if (changed && changed->size() > nodes_.size() / 4) changed.reset();
  if (!changed) {
    best_first.clear();
    scores.listed.assign(nodes_.size(), -1);
    for (const NodeId node : nodes_) {
      const double score = scores.listed[node.value] = score_of(node);
      if (score >= 0) best_first.emplace_back(-score, place_[node.value]);
    }
    std::ranges::sort(best_first);
  } else {
    for (const NodeId node : *changed) {
      double& listed = scores.listed[node.value];
      const double score = score_of(node);
      if (score == listed) continue;
      const auto at = [&](double of) {
        return std::ranges::lower_bound(best_first, std::pair(-of, place_[node.value]));
      };
      if (listed >= 0) best_first.erase(at(listed));
      if (score >= 0) best_first.emplace(at(score), -score, place_[node.value]);
      listed = score;
    }
  }
  scores.sorted = follows;
  scores.seen = index.changes();
  return best_first;
}

std::optional<NodeId> NodeRank::best(const Request& request, const Draft& draft,
                                     const FreeIndex::May& may) const {
  for (const auto& [score, place] : sorted(request, draft, scores_for(request)))
    if (const NodeId node = nodes_[place];
        draft.free_nodes().has_room(node, request.resources) && may(node))
      return node;
  return std::nullopt;
}

std::vector<NodeId> NodeRank::best_first(const Request& request, const Draft& draft,
                                         std::vector<NodeId> nodes) const {
  Scores& scores = scores_for(request);
  std::ranges::sort(nodes, {}, [&](NodeId node) {
    return std::pair(-score(request, node, draft, scores), place_[node.value]);
  });
  return nodes;
}

bool NodeRank::good(const Request& request, NodeId node, const Draft& draft) const {
  Scores& scores = scores_for(request);
  const std::vector<std::pair<double, int>>& nodes = sorted(request, draft, scores);
  const Where& where = draft.where(request.phase);
  const auto at = std::ranges::lower_bound(
      nodes, std::pair(-score(request, node, draft, scores), place_[node.value]));
  if (where.empty() && scored_size(request) == request.resources &&
      !draft.view().cluster.reservations().any())
    return 3 * (at - nodes.begin()) < std::max<std::ptrdiff_t>(std::ssize(nodes), 1);
  std::int64_t all = 0, better = 0;
  for (auto other = nodes.begin(); other != nodes.end(); ++other) {
    const NodeId id = nodes_[other->second];
    if (!draft.free_nodes().has_room(id, request.resources) ||
        !meets(where, draft.view().cluster.node(id).spec->labels) ||
        draft.view().cluster.reserved_for_others(request.phase.job, id, draft.view().now))
      continue;
    ++all;
    better += other < at;
  }
  return 3 * better < std::max<std::int64_t>(all, 1);
}

Resources NodeRank::placed(const Request& request, const Resources& size, NodeId node,
                           const Draft& draft) const {
  const bool chooses = order_ == NodeOrder::kFgd || order_ == NodeOrder::kRandom;
  if (!chooses || size.counts.has_devices()) return size;
  const Resources free = draft.free(node);
  if (!size.fits_in(free)) return size;
  Resources placed = size;
  if (order_ == NodeOrder::kRandom) {
    placed.counts = drawn_devices(request, size.counts, node, draft);
  } else {
    const NodeSpec& spec = scenario_.cluster.nodes[static_cast<std::size_t>(node.value)];
    placed.counts = fragmentation_->place(size, spec, free, whole_).devices.value_or(size.counts);
  }
  return placed;
}

Counts NodeRank::drawn_devices(const Request& request, const Counts& asked, NodeId node,
                               const Draft& draft) const {
  Counts placed = asked;
  const Resources free = draft.free(node);
  for (const std::size_t i : device_) {
    const std::int64_t amount = asked[i].count();
    if (amount == 0 || amount >= kWholeDevice) continue;
    const std::span<const std::int32_t> devices = free.counts.devices(i);
    double most = -1;
    std::size_t chosen = 0;
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const double number = random(request, node, draft, static_cast<int>(d));
      if (devices[d] < amount || number <= most) continue;
      most = number;
      chosen = d;
    }
    Counts::Devices held(devices.size());
    held[chosen] = static_cast<std::int32_t>(amount);
    placed.set_devices(i, std::move(held));
  }
  return placed;
}

double NodeRank::rounded(double score) const { return whole_ ? std::floor(score) : score; }

double NodeRank::compute(const Resources& size, NodeId node, const Resources& free) const {
  switch (order_) {
    case NodeOrder::kBestFit:
      return fit(size, free);
    case NodeOrder::kWorstFit:
      return 100 - fit(size, free);
    case NodeOrder::kDotProduct:
      return dot_product(size, free);
    case NodeOrder::kPacking:
      return packing(size, node, free);
    case NodeOrder::kClustering:
      return clustering(size, node, free);
    default:
      return fragmentation_
          ->place(size, scenario_.cluster.nodes[static_cast<std::size_t>(node.value)], free, whole_)
          .score;
  }
}

double NodeRank::fit(const Resources& size, const Resources& free) const {
  double left = 0;
  each_scored(size, free, largest_, counted_, [&](double asked, double has, double most) {
    left += (has - asked) / most / scored_;
  });
  return (1 - left) * 100;
}

double NodeRank::dot_product(const Resources& size, const Resources& free) const {
  double sum = 0;
  each_scored(size, free, largest_, counted_,
              [&](double asked, double has, double most) { sum += has / most * (asked / most); });
  return 100 * (1 - sum / scored_);
}

double NodeRank::packing(const Resources& size, NodeId node, const Resources& free) const {
  const std::int64_t asked = devices_of(size);
  if (asked == 0) return 0;
  const Counts& of_node =
      scenario_.cluster.nodes[static_cast<std::size_t>(node.value)].allowance.counts;
  std::int64_t devices = 0, unused = 0;
  for (const std::size_t i : device_) {
    devices += static_cast<std::int64_t>(of_node.devices(i).size());
    for (const std::int32_t device : free.counts.devices(i)) unused += device >= kWholeDevice;
  }
  if (unused == devices) return static_cast<double>(33 - devices);
  std::int64_t whole = 0, hundredths = 0;
  const Counts placed = size.counts.placed_in(free.counts);
  for (const std::size_t i : device_)
    for (const int number : numbers_of(placed.devices(i))) {
      const std::int32_t has = free.counts.devices(i)[static_cast<std::size_t>(number)];
      whole += has >= kWholeDevice;
      hundredths += has / 10;
    }
  if (whole > 0) return static_cast<double>(std::max<std::int64_t>(33, 50 - whole));
  return static_cast<double>(std::max<std::int64_t>(50, 100 - hundredths / 10));
}

double NodeRank::clustering(const Resources& size, NodeId node, const Resources& free) const {
  const std::int64_t kind = kind_of(size);
  if (kind == 0) return 0;
  const std::map<std::int64_t, int>& kinds = running_[node.value].kinds;
  const int k = kinds.contains(kind) ? (kinds.size() == 1 ? 3 : 2) : kinds.empty() ? 1 : 0;
  const auto most = static_cast<double>(devices_of(largest_));
  return 25 * k + 25 * (most - static_cast<double>(devices_of(free))) / most;
}

double NodeRank::random(const Request& request, NodeId node, const Draft& draft, int device) const {
  const auto part = [](auto number) { return static_cast<std::uint64_t>(number); };
  return static_cast<double>(
      draw_key(scenario_.seed,
               {0x72616e64, part(request.phase.job.value), part(request.phase.phase),
                part(draft.pending(request)), part(node.value), part(device)}) >>
      11);
}

}  // namespace heddle
