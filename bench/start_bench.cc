// `heddle bench start`: the options, the table and the aims. scripts/start.py measures.

#include "bench/bench.h"
#include "bench/workbench.h"
#include "common/installed.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr double kAimEnd_s = 2;

const BenchForm kStartForm = {"start",
                              {{"nodes", "nodes"}},
                              {{"start_s", "start s", 1, Better::kLess},
                               {"memory_mib", "memory MiB", 0, Better::kLess},
                               {"node_mib", "MiB/node", 2, Better::kLess},
                               {"end_s", "end s", 2, Better::kLess},
                               {"early_end_s", "early end s", 2, Better::kLess}}};

/// Measures real runs without containers, for each number of nodes.
class StartBench : public Bench {
 public:
  StartBench() : Bench({.form = kStartForm, .quick = "20 nodes only", .makes_groups = true}) {}

 private:
  static constexpr int kMostNodes = 20'000;  ///< maximum of a scenario

  void add_own_options(Command word) override {
    add_numbers(word, "--nodes", nodes_, 1, kMostNodes, "numbers of nodes, separated by commas");
  }

  Json measure() override {
    if (quick_) nodes_ = {20};
    Workbench bench;
    std::vector<Json> rows = measure_each(
        nodes_, [](int nodes) { return std::to_string(nodes) + " nodes"; },
        [&](int nodes) {
          std::vector<std::string> words = {program_path("heddle"), std::to_string(nodes),
                                            bench.new_path()};
          if (cgroup_) words.insert(words.end(), {"--cgroup", *cgroup_});
          return bench.script("start.py", words);
        });
    Json aims = Json::array();
    for (const Json& row : rows) {
      const std::string who = row.at("nodes").dump() + " nodes: ";
      aims.push_back(aim_at_most(who + "end after an interrupt, s", row.at("end_s"), kAimEnd_s));
      aims.push_back(aim_at_most(who + "end after an interrupt during the start, s",
                                 row.at("early_end_s"), kAimEnd_s));
    }
    return bench_results(kStartForm, std::move(rows), std::move(aims));
  }

  std::vector<int> nodes_ = {100, 500, 2000};
};

}  // namespace

std::unique_ptr<Bench> start_bench() { return std::make_unique<StartBench>(); }

}  // namespace heddle::bench
