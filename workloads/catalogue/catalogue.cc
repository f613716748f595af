#include "workloads/catalogue/catalogue.h"

#include <algorithm>

#include "common/text.h"
#include "workloads/catalogue/parts.h"

namespace heddle::workloads {
namespace {

// Bounds that the scenario reader sets for one job.
constexpr std::size_t kMostTasks = 1000000, kMostPhases = 1000, kMostStages = 10000;
constexpr double kMostBytes = 0x1p50, kMostCpu = 10000 * 3600e6;

std::vector<WorkloadSize> sizes_over_input(const std::string& iterations) {
  std::vector<WorkloadSize> sizes = {
      {"input", "2GiB", "bytes read; a map reads a block of it"},
      {"maps", "input / block_size", "number of maps (tasks of a stage that reads)"},
      {"cpu", "by the block's size", "core-seconds per map"},
      {"reduces", "one per 512MiB handed over", "reduces of a pass (tasks of other stages)"}};
  if (!iterations.empty()) sizes.push_back({"iterations", iterations, "passes over the data"});
  return sizes;
}

WorkloadInfo one_pass(const char* name, const char* shape,
                      std::vector<WorkloadSize> sizes = sizes_over_input("")) {
  return {.name = name, .kind = "MapReduce", .shape = shape, .sizes = std::move(sizes)};
}

WorkloadInfo mix(const char* name, const char* shape, std::vector<WorkloadSize> sizes) {
  return {.name = name,
          .kind = "mix",
          .shape = shape,
          .mix = true,
          .drawn = true,
          .sizes = std::move(sizes)};
}

/// Describes a workload that can run as MapReduce or as Spark. `iterations`: the default, or "" if
/// the number of iterations can't be chosen.
WorkloadInfo either(const char* name, const char* kind, const char* shape,
                    const std::string& iterations) {
  WorkloadInfo info{.name = name,
                    .kind = kind,
                    .shape = shape,
                    .spark = true,
                    .sizes = sizes_over_input(iterations)};
  info.sizes.push_back({"executors", "one per GiB of input, 2 to 16",
                        "with framework: spark; a map of count, cores, memory"});
  return info;
}

std::vector<WorkloadInfo> make_table() {
  WorkloadInfo scan = one_pass("scan", "maps only, I/O-bound: copies a table");
  std::erase_if(scan.sizes, [](const WorkloadSize& size) { return size.key == "reduces"; });
  WorkloadInfo query{
      .name = "hive-query",
      .kind = "chain",
      .shape = "1 to 6 jobs one after the other, the last small",
      .drawn = true,
      .sizes = {{"input", "2GiB", "bytes of the tables; a query reads a fifth to all of it"},
                {"iterations", "1 to 6, drawn", "number of jobs in the chain"}}};
  return {
      one_pass("wordcount", "CPU-bound maps, little shuffle (combiner), short reduce"),
      one_pass("grep", "I/O-bound maps with light CPU, almost no shuffle"),
      one_pass("sort", "I/O- and network-bound, shuffle = input, long reduce"),
      one_pass("terasort", "as sort, with more CPU to find partitions"),
      scan,
      one_pass("join", "two inputs, shuffle of both"),
      one_pass("pi", "CPU only, no input, one short reduce",
               {{"maps", "8", "number of maps"}, {"cpu", "10s", "core-seconds per map"}}),
      either("bayes", "two passes", "Zipf-skewed partitions", ""),
      either("kmeans", "iterative", "equal iterations, CPU-bound, tiny shuffle", "5"),
      either("logistic-regression", "iterative", "as kmeans, with less CPU", "5"),
      either("pagerank", "iterative", "memory-heavy, shuffle every iteration, skew", "3"),
      either("nweight", "iterative", "as pagerank, and the data grows", "2"),
      either("index", "one pass", "memory-heavy, large shuffle, skew", ""),
      query,
      mix("msd", "wordcount, terasort, grep with heavy-tailed inputs",
          {{"jobs", "87", "how many"}, {"input", "2GiB", "bytes that the median job reads"}}),
      mix("usage-slack", "short batch jobs that request far more than they use",
          {{"jobs", "100", "how many; some 18 tasks each"}}),
  };
}

/// Checks that a plan is within the bounds of scenarios.
class Bounds {
 public:
  explicit Bounds(std::string_view name) : name_(name) {}

  Result<void> check(const WorkloadPlan& plan) const {
    HEDDLE_TRY(most(plan.phases.size(), kMostPhases, "phases"));
    HEDDLE_TRY(most(plan.stages.size(), kMostStages, "stages"));
    for (const PhaseSpec& phase : plan.phases) HEDDLE_TRY(check_tasks(phase));
    for (const StageSpec& stage : plan.stages) HEDDLE_TRY(check_tasks(stage));
    return {};
  }

 private:
  template <class Tasks>
  Result<void> check_tasks(const Tasks& tasks) const {
    HEDDLE_TRY(
        most(static_cast<std::size_t>(tasks.tasks), kMostTasks, "tasks in one phase or stage"));
    const double bytes = std::max({tasks.input.mean, tasks.shuffle.mean, tasks.output.mean});
    if (bytes <= kMostBytes && tasks.cpu.mean <= kMostCpu) return {};
    return error("makes tasks of more than 1024TiB or 10000h");
  }
  Result<void> most(std::size_t have, std::size_t allowed, const char* what) const {
    if (have <= allowed) return {};
    return error("makes " + std::to_string(have) + " " + what + "; expected at most " +
                 std::to_string(allowed));
  }
  Error error(const std::string& what) const {
    return usage_error("workload \"" + std::string(name_) + "\" with these parameters " + what);
  }

  std::string_view name_;
};

Result<void> check_framework(const WorkloadInfo& info, Framework framework) {
  if (framework == Framework::kMapReduce || info.spark) return {};
  std::vector<std::string> others;
  for (const WorkloadInfo& other : workloads())
    if (other.spark) others.push_back(other.name);
  return usage_error("workload \"" + info.name + "\" cannot run as a Spark job; expected one of " +
                     join(others));
}

}  // namespace

const std::vector<WorkloadInfo>& workloads() {
  static const std::vector<WorkloadInfo> table = make_table();
  return table;
}

Result<const WorkloadInfo*> find_workload(std::string_view name) {
  std::vector<std::string> known;
  for (const WorkloadInfo& info : workloads()) {
    if (info.name == name) return &info;
    known.push_back(info.name);
  }
  std::string near = name.size() > 64 ? "" : nearest_word(name, known);
  return usage_error("unknown workload \"" + std::string(name.substr(0, 80)) +
                     "\"; expected one of " + join(known) +
                     (near.empty() ? "" : "; did you mean \"" + near + "\"?"));
}

Result<WorkloadPlan> expand_workload(std::string_view name, const WorkloadSizes& sizes,
                                     const WorkloadContext& context) {
  auto info = find_workload(name);
  if (!info) return std::move(info).error();
  HEDDLE_TRY(check_framework(**info, context.framework));
  if ((*info)->mix)
    return usage_error("workload \"" + std::string(name) + "\" is a mix of many jobs");
  const bool spark = context.framework == Framework::kSpark;
  const bool chain = (*info)->kind == "iterative" || name == "bayes" || name == "hive-query";
  WorkloadPlan plan = (spark   ? expand_spark
                       : chain ? expand_chain
                               : expand_mapreduce)(name, sizes, context);
  plan.iterative = (*info)->kind == "iterative";
  HEDDLE_TRY(Bounds(name).check(plan));
  return plan;
}

Result<std::vector<MixJob>> expand_mix(std::string_view name, const WorkloadSizes& sizes,
                                       const WorkloadContext& context) {
  auto info = find_workload(name);
  if (!info) return std::move(info).error();
  HEDDLE_TRY(check_framework(**info, context.framework));
  if (!(*info)->mix) return usage_error("workload \"" + std::string(name) + "\" is not a mix");
  std::vector<MixJob> mix = make_mix(name, sizes, context);
  for (const MixJob& job : mix) HEDDLE_TRY(Bounds(name).check(job.plan));
  return mix;
}

}  // namespace heddle::workloads
