#include "workloads/catalogue.h"

#include <algorithm>

#include "common/text.h"

namespace heddle {
namespace {

constexpr std::int64_t kMiB = 1LL << 20;

Drawn constant(double value) { return {Drawn::Dist::kConstant, value, 0}; }

/// Hadoop's `pi` example: every map counts random points with nothing to read and next to nothing
/// to hand over; one short reduce adds the counts up. Requests are MapReduce's defaults (1 core,
/// 1 GiB); use is that of a small JVM. 10 core-seconds a map: a map is long against the heartbeat.
std::vector<PhaseSpec> expand_pi(const WorkloadSizes& sizes) {
  PhaseSpec map;
  map.name = "map";
  map.kind = PhaseKind::kMap;
  map.tasks = sizes.maps.value_or(8);
  map.request = {Millicores(1000), EmuBytes(1024 * kMiB)};
  map.cpu = sizes.cpu.value_or(constant(10e6));
  map.memory = {{0.0, constant(static_cast<double>(400 * kMiB))}};
  PhaseSpec reduce = map;
  reduce.name = "reduce";
  reduce.kind = PhaseKind::kReduce;
  reduce.tasks = 1;
  reduce.after = {0};
  reduce.cpu = constant(1e6);
  return {map, reduce};
}

std::vector<WorkloadInfo> make_table() {
  auto later = [](const char* name, const char* kind, const char* shape) {
    return WorkloadInfo{name, kind, shape, false, {}};
  };
  return {
      later("wordcount", "MapReduce", "map CPU-bound; combiner, so little shuffle; short reduce"),
      later("grep", "MapReduce", "map I/O-bound with light CPU, almost no shuffle"),
      later("sort", "MapReduce", "I/O- and network-bound, shuffle as large as input, long reduce"),
      later("terasort", "MapReduce", "as sort, over ordered partitions"),
      later("scan", "MapReduce (Hive)", "map only, I/O-bound"),
      later("join", "MapReduce (Hive)", "two inputs, shuffle of both"),
      {"pi",
       "MapReduce",
       "CPU only, no input, one short reduce",
       true,
       {{"maps", "8", "number of maps"}, {"cpu", "10s", "core-seconds per map"}}},
      later("bayes", "MapReduce or Spark", "two stages, Zipf-skewed partitions"),
      later("kmeans", "iterative; MapReduce or Spark", "equal iterations, CPU-bound, tiny shuffle"),
      later("logistic-regression", "iterative; MapReduce or Spark",
            "equal iterations, CPU-bound, tiny shuffle"),
      later("pagerank", "iterative; MapReduce or Spark",
            "memory-heavy, shuffle every iteration, skew"),
      later("nweight", "iterative; MapReduce or Spark",
            "memory-heavy, shuffle every iteration, skew"),
      later("index", "one pass; MapReduce or Spark", "memory-heavy, large shuffle, skew"),
      later("hive-query", "chain of MapReduce jobs", "1 to 6 chained jobs, some very small"),
      later("msd", "mix", "87 wordcount, terasort and grep jobs with heavy-tailed input sizes"),
      later("usage-slack", "mix", "short batch jobs that request far more than they use"),
  };
}

}  // namespace

const std::vector<WorkloadInfo>& workloads() {
  static const std::vector<WorkloadInfo> table = make_table();
  return table;
}

Result<std::vector<PhaseSpec>> expand_workload(std::string_view name, const WorkloadSizes& sizes) {
  const auto& table = workloads();
  auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& w) { return w.name == name; });
  if (row == table.end()) {
    std::vector<std::string> known;
    for (const WorkloadInfo& info : table) known.push_back(info.name);
    std::string near = nearest_word(name, known);
    return usage_error("unknown workload \"" + std::string(name) + "\"; expected one of " +
                       join(known) + (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
  }
  if (name == "pi") return expand_pi(sizes);
  return usage_error("workload \"" + std::string(name) + "\" is not built yet; built: pi");
}

}  // namespace heddle
