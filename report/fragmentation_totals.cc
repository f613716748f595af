#include "report/fragmentation_totals.h"

#include <algorithm>

#include "wire/values.h"

namespace heddle::report {

using wire::Json;
using wire::rounded;

FragmentationTotals::FragmentationTotals(const Scenario& scenario, RunRows* rows)
    : scenario_(scenario), rows_(rows) {
  const CountNames& counted = scenario.cluster.resources;
  if (std::ranges::none_of(counted, &CountedResource::devices)) return;
  fragmentation_ = std::make_unique<Fragmentation>(scenario, std::nullopt);
  from_ = scenario.jobs.empty()
              ? EmuTime(0)
              : std::ranges::min_element(scenario.jobs, {}, &JobSpec::submit)->submit;
  at_ = from_;
  for (const NodeSpec& spec : scenario.cluster.nodes) {
    nodes_.push_back({spec.allowance});
    change(NodeId{std::ssize(nodes_) - 1}, from_);
    all_.stranded_cores += static_cast<double>(spec.allowance.cores.count());
    for (std::size_t i = 0; i < counted.size(); ++i)
      if (counted[i].devices)
        all_.unusable += static_cast<double>(spec.allowance.counts[i].count());
  }
  all_.stranded_devices = all_.unusable;
}

void FragmentationTotals::took(NodeId node, const Resources& held, EmuTime at) {
  if (!fragmentation_) return;
  Resources& free = nodes_[node.value].free;
  free = free - held;
  change(node, at);
}

void FragmentationTotals::gave_back(NodeId node, const Resources& held, EmuTime at) {
  if (!fragmentation_) return;
  Resources& free = nodes_[node.value].free;
  free = free + held;
  change(node, at);
}

void FragmentationTotals::usable(NodeId node, bool usable, EmuTime at) {
  if (!fragmentation_ || nodes_[node.value].usable == usable) return;
  nodes_[node.value].usable = usable;
  change(node, at);
}

void FragmentationTotals::advance(EmuTime at) {
  if (at <= at_) return;
  const double span = to_seconds(at - at_);
  sum_.unusable += now_.unusable * span;
  sum_.stranded_devices += now_.stranded_devices * span;
  sum_.stranded_cores += now_.stranded_cores * span;
  at_ = at;
}

void FragmentationTotals::change(NodeId id, EmuTime at) {
  advance(at);
  Node& node = nodes_[id.value];
  const Fragmentation::Unusable before = node.unusable;
  node.unusable = {};
  if (node.usable)
    node.unusable =
        fragmentation_->unusable(scenario_.cluster.nodes[id.value], max(node.free, Resources{}));
  now_.unusable += node.unusable.devices - before.devices;
  now_.stranded_devices +=
      static_cast<double>(node.unusable.stranded_devices - before.stranded_devices);
  now_.stranded_cores +=
      static_cast<double>((node.unusable.stranded_cores - before.stranded_cores).count());
  if (rows_ && rows_->thin_states)
    rows_->state_series.add(scenario_, at, "fragmentation",
                            {{"unusable devices", now_.unusable / kWholeDevice},
                             {"stranded devices", now_.stranded_devices / kWholeDevice},
                             {"stranded cores", now_.stranded_cores / 1e3}});
}

Json FragmentationTotals::json(EmuTime until) const {
  if (!fragmentation_) return Json::value_t::discarded;
  const double span = to_seconds(until - from_), since = to_seconds(until - at_);
  const auto mean = [&](double Sums::*part) -> Json {
    const double whole = all_.*part * span;
    return whole > 0 ? Json(rounded((sum_.*part + now_.*part * since) / whole)) : Json();
  };
  return {{"unusable_devices", mean(&Sums::unusable)},
          {"stranded_devices", mean(&Sums::stranded_devices)},
          {"stranded_cores", mean(&Sums::stranded_cores)}};
}

}  // namespace heddle::report
