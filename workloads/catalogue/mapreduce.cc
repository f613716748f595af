// Workloads of one map and reduce pass. docs/reference/workloads.md explains the numbers.

#include <array>

#include "workloads/catalogue/parts.h"

namespace heddle::workloads {
namespace {

/// Returns the memory of a reduce that merges. The memory rises while the reduce reads its
/// partitions in order.
std::vector<std::pair<double, Drawn>> rising(double from_mib, double to_mib) {
  return {{0.0, bytes(from_mib * kMiB)}, {0.5, bytes(to_mib * kMiB)}};
}

struct Row {
  std::string_view name;
  PassCost cost;
};

const std::array<Row, 12>& rows() {
  static const Resources one = cores_and_mib(1, 1024);
  static const Resources two = cores_and_mib(1, 2048);
  static const Resources three = cores_and_mib(1, 3072);
  // name: CPU of maps, handed over, CPU of reduces, written, skew, request, use of maps and reduces
  static const std::array<Row, 12> table{{
      {"wordcount", {0.117, 0.05, 0.040, 0.5, 0, one, 700, use_of(600)}},
      {"grep", {0.010, 0.001, 0.010, 1, 0, two, 900, use_of(500)}},
      {"sort", {0.016, 1, 0.025, 1, 0, two, 1400, rising(700, 1700)}},
      {"terasort", {0.024, 1, 0.030, 1, 0, two, 1400, rising(700, 1700)}},
      {"scan", {0.012, 0, 0, 1, 0, two, 1000, {}}},
      {"join", {0.030, 0.6, 0.040, 0.2, 0.3, two, 1200, rising(700, 1600)}},
      {"bayes", {0.060, 0.4, 0.050, 0.5, 0.5, two, 1300, rising(700, 1600)}},
      {"kmeans", {0.065, 0.0001, 0.010, 1, 0, one, 800, use_of(500)}},
      {"logistic-regression", {0.050, 0.0001, 0.010, 1, 0, one, 800, use_of(500)}},
      {"pagerank", {0.030, 0.8, 0.030, 0.25, 0.4, three, 2200, rising(1000, 2700)}},
      {"nweight", {0.040, 1.2, 0.030, 1, 0.4, three, 2400, rising(1000, 2800)}},
      {"index", {0.070, 0.7, 0.040, 0.8, 0.3, three, 2000, rising(1000, 2600)}},
  }};
  return table;
}

/// Expands Hadoop's `pi` example. Every map counts random points, reads nothing and hands over
/// almost nothing. One short reduce adds up the counts. Requests are MapReduce's defaults (1 core,
/// 1 GiB). The tasks use as much as a small JVM. A map takes 10 core-seconds, which is long
/// compared with the heartbeat interval.
WorkloadPlan expand_pi(const WorkloadSizes& sizes) {
  PhaseSpec map;
  map.name = "map";
  map.kind = PhaseKind::kMap;
  map.tasks = sizes.maps.value_or(8);
  map.request = cores_and_mib(1, 1024);
  map.cpu = sizes.cpu.value_or(seconds(10));
  map.memory = use_of(400);
  PhaseSpec reduce = map;
  reduce.name = "reduce";
  reduce.kind = PhaseKind::kReduce;
  reduce.tasks = 1;
  reduce.after = {0};
  reduce.cpu = seconds(1);
  return {{map, reduce}, {}};
}

/// Expands a join of a large table (four fifths of the input) and a small table. All data of both
/// tables goes to the reduces.
WorkloadPlan expand_join(const WorkloadSizes& sizes, const WorkloadContext& context) {
  const double input = input_of(sizes);
  const PassCost large = cost_of("join");
  PassCost small = large;
  small.shuffle = 1;
  const double handed = input * (0.8 * large.shuffle + 0.2);
  WorkloadSizes of_small = sizes;
  of_small.maps.reset();
  WorkloadPlan plan;
  plan.phases = {map_phase("map-large", 0.8 * input, large, sizes, context),
                 map_phase("map-small", 0.2 * input, small, of_small, context),
                 reduce_phase("reduce", handed, large, sizes)};
  plan.phases[2].after = {0, 1};
  return plan;
}

}  // namespace

PassCost cost_of(std::string_view name) {
  for (const Row& row : rows())
    if (row.name == name) return row.cost;
  return {};
}

WorkloadPlan expand_mapreduce(std::string_view name, const WorkloadSizes& sizes,
                              const WorkloadContext& context) {
  if (name == "pi") return expand_pi(sizes);
  if (name == "join") return expand_join(sizes, context);
  WorkloadPlan plan;
  add_pass(plan, "", input_of(sizes), cost_of(name), sizes, context);
  return plan;
}

}  // namespace heddle::workloads
