// `heddle bench start` and `heddle bench external`: the options, the tables and the aims. The
// scripts scripts/start.py and scripts/external.py measure.

#include <unistd.h>

#include <algorithm>

#include "bench/bench.h"
#include "bench/scenarios.h"
#include "bench/workbench.h"
#include "cli/base/policy_link.h"
#include "common/file.h"
#include "common/installed.h"
#include "core/policy/registry.h"
#include "yaml/write.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr double kAimEnd_s = 2;

void judge_starts(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows) {
    const std::string who = row.at("nodes").dump() + " nodes: ";
    aims.at_most(who + "end after an interrupt, s", row.at("end_s"), kAimEnd_s);
    aims.at_most(who + "end after an interrupt during the start, s", row.at("early_end_s"),
                 kAimEnd_s);
  }
}

const BenchForm kStartForm = {"start",
                              {{"nodes", "nodes"}},
                              {{"start_s", "start s", 1, Better::kLess},
                               {"memory_mib", "memory MiB", 0, Better::kLess},
                               {"node_mib", "MiB/node", 2, Better::kLess},
                               {"end_s", "end s", 2, Better::kLess},
                               {"early_end_s", "early end s", 2, Better::kLess}},
                              judge_starts};

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
    return bench_results(kStartForm,
                         measure_each(
                             nodes_, [](int nodes) { return std::to_string(nodes) + " nodes"; },
                             [&](int nodes) {
                               std::vector<std::string> words = {
                                   program_path("heddle"), std::to_string(nodes), bench.new_path()};
                               if (cgroup_) words.insert(words.end(), {"--cgroup", *cgroup_});
                               return bench.script("start.py", words);
                             }));
  }

  std::vector<int> nodes_ = {100, 500, 2000};
};

constexpr double kAimX = 1.5;
constexpr const char* kPython = "/usr/bin/python3";

void judge_programs(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows)
    aims.at_most(row.at("policy").get<std::string>() +
                     ": round trip without the policy's own time, divided by the echo's",
                 row.at("x"), kAimX);
}

const BenchForm kExternalForm = {"external",
                                 {{"policy", "policy"}, {"tasks", "tasks"}},
                                 {{"requests", "requests"},
                                  {"request_bytes", "bytes"},
                                  {"round_trip_us/p50", "round trip p50 us", 0, Better::kLess},
                                  {"round_trip_us/p99", "p99", 0, Better::kLess},
                                  {"outside_us/p50", "outside p50 us", 0, Better::kLess},
                                  {"echo_us/p50", "echo p50 us", 0, Better::kNeither},
                                  {"echo_us/p99", "p99", 0, Better::kNeither},
                                  {"x", "x", 2, Better::kLess},
                                  {"seconds", "simulation s", 2, Better::kLess},
                                  {"own_seconds", "fifo s", 2, Better::kNeither}},
                                 judge_programs};

ExternalSpec program(const std::string& path, std::vector<std::string> arguments = {}) {
  return {ExternalSpec::Protocol::kHeddle, path, std::move(arguments), "", ""};
}

/// A policy to measure.
struct Subject {
  std::string name;
  PolicySpec policy;
  Json options = Json::array();  ///< of `heddle simulate`
};

/// Simulates with external policies, and exchanges messages of the same sizes with a bare echo.
class ExternalBench : public Bench {
 public:
  ExternalBench(std::vector<std::string> policies, std::optional<std::string> task_user)
      : Bench({.form = kExternalForm, .quick = "200 tasks on 20 nodes only"}),
        policies_(std::move(policies)),
        task_user_(std::move(task_user)) {}

 private:
  static constexpr int kMostNodes = 20'000, kMostTasks = 1'000'000;

  void add_own_options(Command word) override {
    add_texts(word, "--policies", policies_, "POLICY,...",
              "exec:PATH or external=ENDPOINT, separated by commas (default: fifo in Python and in "
              "C++)");
    word.add_option("--task-user", task_user_, "user of these programs (default: auto)")
        .type_name("USER");
    add_number(word, "--nodes", nodes_, 1, kMostNodes, "number of nodes");
    add_number(word, "--tasks", tasks_, 1, kMostTasks, "number of tasks");
  }

  Json measure() override {
    if (quick_) nodes_ = 20, tasks_ = 200;
    SimLoad load{.nodes = nodes_, .tasks_per_node = std::max(1, tasks_ / nodes_)};
    const Scenario scenario = sim_scenario(load);
    // All policies are checked before the first is measured.
    std::vector<Subject> subjects;
    if (policies_.empty()) subjects = examples();
    for (const std::string& text : policies_) subjects.push_back(subject_of(text, scenario));
    Workbench bench;
    const std::string file = bench.new_path() + ".yaml";
    need(replace_file(file, write_scenario(scenario)));
    return bench_results(
        kExternalForm,
        measure_each(
            subjects, [](const Subject& subject) { return subject.name; },
            [&](const Subject& subject) {
              Json row = {{"policy", subject.name}, {"tasks", load.nodes * load.tasks_per_node}};
              row.update(measure(subject, file, bench));
              return row;
            }));
  }

  static Json measure(const Subject& subject, const std::string& scenario, Workbench& bench) {
    const ExternalSpec& external = *subject.policy.external;
    PolicySpec relayed = subject.policy;
    relayed.external = program(kPython);
    std::vector<std::string> words = {program_path("heddle"),
                                      scenario,
                                      bench.new_path(),
                                      policy_text(subject.policy),
                                      policy_text(relayed),
                                      subject.options.dump(),
                                      external.program + external.endpoint};
    words.insert(words.end(), external.arguments.begin(), external.arguments.end());
    return bench.script("external.py", words);
  }

  /// Returns Heddle's own examples, which may run as root.
  static std::vector<Subject> examples() {
    Json options = Json::array();
    if (::geteuid() == 0) options = {"--task-user=root", "--allow-root-commands"};
    PolicySpec policy = *parse_policy("external=ipc:///none+reduce_early_start=1");
    std::vector<Subject> all = {{"fifo.py", policy, options},
                                {"heddle-example-fifo", policy, options}};
    all[0].policy.external = program(kPython, {data_path("python") + "/examples/fifo.py"});
    all[1].policy.external = program(program_path("heddle-example-fifo"));
    return all;
  }

  Subject subject_of(const std::string& text, Scenario scenario) const {
    scenario.policy = naming("--policies", [&] { return need(parse_policy(text)); });
    const std::optional<ExternalSpec>& external = scenario.policy.external;
    if (!external || external->protocol != ExternalSpec::Protocol::kHeddle)
      throw Failed(usage_error("--policies " + text +
                               ": is no external policy in Heddle's protocol; expected exec:PATH "
                               "or external=ENDPOINT"));
    need(cli::settle_policy({.scenario = "", .named = true, .task_user = task_user_}, scenario));
    Json options = Json::array();
    if (task_user_) options = {"--task-user=" + *task_user_};
    return {text, scenario.policy, options};
  }

  std::vector<std::string> policies_;
  std::optional<std::string> task_user_;
  int nodes_ = 100, tasks_ = 10'000;
};

}  // namespace

std::unique_ptr<Bench> start_bench() { return std::make_unique<StartBench>(); }

std::unique_ptr<Bench> external_bench(std::vector<std::string> policies,
                                      std::optional<std::string> task_user) {
  return std::make_unique<ExternalBench>(std::move(policies), std::move(task_user));
}

}  // namespace heddle::bench
