// Workloads of several map and reduce passes, one after the other.

#include <algorithm>
#include <cmath>

#include "core/scenario/draw.h"
#include "workloads/catalogue/parts.h"

namespace heddle::workloads {
namespace {

constexpr int kMostQueryJobs = 6;

std::string numbered(int n) { return "-" + std::to_string(n); }

/// Expands passes. Each pass reads the same data. In some workloads, it reads what the previous
/// pass has written.
WorkloadPlan expand_passes(std::string_view name, const WorkloadSizes& sizes,
                           const WorkloadContext& context) {
  const bool results = name == "bayes" || name == "nweight";
  WorkloadPlan plan;
  double input = input_of(sizes);
  for (int n = 1; n <= iterations_of(name, sizes); ++n) {
    const double written = add_pass(plan, numbered(n), input, cost_of(name), sizes, context);
    if (results) input = written;
  }
  return plan;
}

/// Expands a query. Each job filters and groups the output of the previous job, so the last jobs
/// are small.
WorkloadPlan expand_query(const WorkloadSizes& sizes, const WorkloadContext& context) {
  const auto drawn =
      static_cast<int>(draw_between(1, kMostQueryJobs + 1, draw_key(context.key, {0})));
  const int jobs = sizes.iterations.value_or(std::min(drawn, kMostQueryJobs));
  double input = std::max(input_of(sizes) * draw_between(0.2, 1, draw_key(context.key, {1})), 1.0);
  WorkloadPlan plan;
  for (int n = 1; n <= jobs; ++n) {
    auto part = [&](double least, double most, std::uint64_t what) {
      return draw_between(least, most,
                          draw_key(context.key, {static_cast<std::uint64_t>(n) * 16 + what}));
    };
    PassCost cost;
    cost.map_cpu = part(0.015, 0.05, 0);
    cost.shuffle = part(0.1, 0.6, 1);
    cost.reduce_cpu = part(0.02, 0.06, 2);
    cost.output = part(0.3, 1, 3);
    cost.request = cores_and_mib(1, 2048);
    cost.map_use = std::round(part(600, 1100, 4));
    cost.reduce_use = use_of(std::round(part(700, 1200, 5)));
    input = std::max(add_pass(plan, numbered(n), input, cost, sizes, context), 1.0);
  }
  return plan;
}

}  // namespace

int iterations_of(std::string_view name, const WorkloadSizes& sizes) {
  const int passes = name == "kmeans" || name == "logistic-regression" ? 5
                     : name == "bayes" || name == "nweight"            ? 2
                     : name == "index"                                 ? 1
                                                                       : 3;
  return sizes.iterations.value_or(passes);
}

WorkloadPlan expand_chain(std::string_view name, const WorkloadSizes& sizes,
                          const WorkloadContext& context) {
  return name == "hive-query" ? expand_query(sizes, context) : expand_passes(name, sizes, context);
}

}  // namespace heddle::workloads
