#include "core/policy/placement/fragmentation.h"

#include <algorithm>
#include <cmath>

namespace heddle {
namespace {

constexpr std::int64_t kTypicalPercent = 95;
/// Why free devices are of no use for a kind of requests. The sums are added in this order.
enum Reason {
  kLacksBoth,
  kLacksDevices,
  kLacksCores,
  kWantsNone,
  kWantsNoneLacksCores,
  kLabels,
  kReasons
};

/// Returns whether a request for so many thousandths fits into these devices.
bool fits(std::int64_t amount, std::span<const std::int32_t> devices) {
  std::int64_t missing = amount < kWholeDevice ? 1 : amount / kWholeDevice;
  for (const std::int32_t device : devices) missing -= device >= std::min(amount, kWholeDevice);
  return missing <= 0;
}

}  // namespace

bool Fragmentation::Less::operator()(const Kind& a, const Kind& b) const {
  if (a.cores != b.cores) return a.cores < b.cores;
  if (a.counts != b.counts) return a.counts < b.counts;
  const auto text = [](const Where& where) {
    std::string all;
    for (const LabelRule& rule : where) {
      all += (rule.forbids ? "!" : "") + rule.label;
      for (const std::string& value : rule.values) all += "=" + value;
    }
    return all;
  };
  return text(a.where) < text(b.where);
}

Fragmentation::Fragmentation(const Scenario& scenario, std::optional<int> window)
    : scenario_(scenario), window_(window) {
  for (std::size_t i = 0; i < scenario.cluster.resources.size(); ++i)
    if (scenario.cluster.resources[i].devices) resources_.push_back(i);
  if (window_) return;
  for (const TypicalRequest& one : scenario.typical_requests)
    count(one.request, one.where, one.count);
  if (scenario.typical_requests.empty())
    for (const JobSpec& job : scenario.jobs) count(job, 1);
  find_typical();
}

void Fragmentation::count(const JobSpec& job, int by) {
  for (const PhaseSpec& phase : job.phases)
    count(phase.request, phase.where, std::int64_t{by} * phase.tasks);
}

void Fragmentation::count(const Resources& request, const Where& where, std::int64_t by) {
  Kind kind{request.cores, {}, where};
  for (const std::size_t i : resources_) kind.counts.set(i, request.counts[i]);
  const auto at = counts_.try_emplace(std::move(kind)).first;
  at->second += by;
  if (at->second == 0) counts_.erase(at);
}

bool Fragmentation::submitted(JobId job) {
  if (!window_) return false;
  last_.push_back(job);
  count(scenario_.jobs[static_cast<std::size_t>(job.value)], 1);
  if (std::ssize(last_) > *window_) {
    count(scenario_.jobs[static_cast<std::size_t>(last_.front().value)], -1);
    last_.pop_front();
  }
  find_typical();
  return true;
}

void Fragmentation::find_typical() {
  std::vector<std::pair<Kind, std::int64_t>> kinds(counts_.begin(), counts_.end());
  // The kind with more cores comes first of equally frequent ones, and then the larger part.
  std::ranges::reverse(kinds);
  std::ranges::stable_sort(kinds, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::int64_t all = 0, some = 0;
  for (const auto& [kind, number] : kinds) all += number;
  typical_.clear();
  for (auto& [kind, number] : kinds) {
    if (100 * some >= kTypicalPercent * all) break;
    some += number;
    typical_.push_back({std::move(kind), static_cast<double>(number) / static_cast<double>(all)});
  }
  if (typical_.size() == kinds.size()) return;
  for (Typical& one : typical_) one.share /= static_cast<double>(some) / static_cast<double>(all);
}

double Fragmentation::thousandths(const NodeSpec& node, const Resources& free) const {
  double sum = 0;
  for (const std::size_t i : resources_) sum += of(node, free.cores, i, free.counts.devices(i));
  return sum;
}

double Fragmentation::of(const NodeSpec& node, Millicores cores, std::size_t resource,
                         std::span<const std::int32_t> devices) const {
  std::int64_t free = 0;
  for (const std::int32_t device : devices) free += device;
  std::array<double, kReasons> useless{};
  for (const auto& [kind, share] : typical_) {
    const std::int64_t amount = kind.counts[resource].count();
    const bool enough = cores >= kind.cores;
    if (amount == 0) {
      useless[enough ? kWantsNone : kWantsNoneLacksCores] += share * static_cast<double>(free);
    } else if (!kind.where.empty() && !meets(kind.where, node.labels)) {
      useless[kLabels] += share * static_cast<double>(free);
    } else if (fits(amount, devices)) {
      if (enough) {
        std::int64_t small = 0;
        for (const std::int32_t device : devices)
          if (device < std::min(amount, kWholeDevice)) small += device;
        useless[kLacksDevices] += share * static_cast<double>(small);
      } else {
        useless[kLacksCores] += share * static_cast<double>(free);
      }
    } else {
      useless[enough ? kLacksDevices : kLacksBoth] += share * static_cast<double>(free);
    }
  }
  double sum = 0;
  for (const double part : useless) sum += part;
  return sum;
}

Fragmentation::Unusable Fragmentation::unusable(const NodeSpec& node, const Resources& free) const {
  bool any = false, any_with_devices = false;
  for (const auto& [kind, share] : typical_) {
    const bool fit = free.cores >= kind.cores && meets(kind.where, node.labels) &&
                     kind.counts.fit_in(free.counts);
    any |= fit;
    any_with_devices |= fit && !kind.counts.none();
  }
  Unusable unusable{thousandths(node, free), 0, any ? Millicores(0) : free.cores};
  if (!any_with_devices)
    for (const std::size_t i : resources_) unusable.stranded_devices += free.counts[i].count();
  return unusable;
}

Fragmentation::Placement Fragmentation::place(const Resources& size, const NodeSpec& node,
                                              const Resources& free, bool whole) const {
  const double before = thousandths(node, free);
  const auto score_after = [&](const Resources& left) {
    const double less = (before - thousandths(node, left)) / static_cast<double>(kWholeDevice);
    const double score = 1 / (1 + std::exp(-less)) * 100;
    return whole ? std::floor(score) : score;
  };
  Placement best{-1, {}};
  for (const std::size_t i : resources_) {
    const std::int64_t amount = size.counts[i].count();
    if (amount == 0 || amount >= kWholeDevice) continue;
    const std::span<const std::int32_t> devices = free.counts.devices(i);
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto same = std::ranges::find(devices.first(d), devices[d]);
      if (devices[d] < amount || same != devices.first(d).end()) continue;
      Counts::Devices held(devices.size());
      held[d] = static_cast<std::int32_t>(amount);
      Resources on = size;
      on.counts.set_devices(i, std::move(held));
      const double score = score_after(free - on);
      if (score > best.score) best = {score, on.counts};
    }
    break;  // of several resources, the default rule chooses the other devices
  }
  if (!best.devices) best.score = score_after(free - size);
  return best;
}

}  // namespace heddle
