#include "bench/launch_bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "bench/bench.h"
#include "bench/workbench.h"
#include "cgroup/ownership.h"
#include "cgroup/tree.h"
#include "common/host_clock.h"
#include "common/installed.h"
#include "common/own_usage.h"
#include "common/result_files.h"
#include "core/engine.h"
#include "host/host_resources.h"
#include "master/journal.h"
#include "wire/journal_lines.h"
#include "wire/line_checksums.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr int kAimAtOnce = 4;
constexpr double kAimBareShare = 0.78, kAimMs = 10;
/// Number of launches before the measurement. They make the pages and groups, which later launches
/// use again.
constexpr int kWarmUp = 16;
/// Number of concurrent tasks while the CPU time of launches is measured.
constexpr int kCostsAtOnce = 4;
constexpr std::chrono::milliseconds kPeerGroupLimit(1000);
/// Names of the ways.
constexpr char kBareWay[] = "bare", kGroupWay[] = "groups", kWorkerWay[] = "heddle";

void judge_launches(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows) {
    if (row.at("way") != kWorkerWay || row.at("at_once") != kAimAtOnce) continue;
    aims.at_least("share of bare starts, 4 at once", row.at("x"), kAimBareShare);
    aims.at_most("ms from decision to end, 99th percentile, 4 at once", row.at("ms").at("p99"),
                 kAimMs);
  }
}

const BenchForm kLaunchForm = {"launch",
                               {{"way", "way"}, {"at_once", "at once"}},
                               {{"tasks", "tasks"},
                                {"per_s", "per s", 0, Better::kMore},
                                {"x", "of bare", 2, Better::kMore},
                                {"ms/p50", "p50 ms", 2, Better::kLess},
                                {"ms/p99", "p99 ms", 2, Better::kLess},
                                {"ms/max", "max ms", 2, Better::kLess}},
                               judge_launches};

/// Returns the row of a way. `seconds` is the time from the first start to the last end. `ms` has
/// one time per task: from its start until this process knows its end.
Json launch_row(const std::string& way, int at_once, int count, double seconds,
                const std::vector<double>& ms) {
  return {{"way", way},
          {"at_once", at_once},
          {"tasks", count},
          {"per_s", wire::rounded(count / seconds)},
          {"ms", wire::percentiles(ms)},
          {"x", nullptr},
          {"note", ""}};
}

/// Returns the step in which a master learns that the container has ended.
std::vector<Event> end_of(std::int64_t container) {
  ContainerEnded ended;
  ended.container = ContainerId{container};
  return {{emu_seconds(1), ended}};
}

/// Returns the outcome of that step: the launch of the next task.
Step launch_of(std::int64_t container) {
  Launch launch;
  launch.phase = {JobId{0}, 0};
  launch.node = NodeId{0};
  launch.resources = {Millicores(1000), EmuBytes(64 << 20)};
  launch.container = ContainerId{container};
  launch.task = static_cast<int>(container);
  launch.attempt = 1;
  Step step;
  step.actions = {{launch, ""}};
  return step;
}

/// The ways of one measurement, and the worker that one of them uses.
class Ways {
 public:
  explicit Ways(const std::optional<std::string>& cgroup) : place_(cgroup) {
    add(kBareWay, bare_);
    add(kGroupWay, groups_);
    add(kWorkerWay, heddle_);
    for (const auto& [name, measure] : ways_)
      naming(name, [&measure = measure] { return measure(kWarmUp, kWarmUp); });
  }

  /// Adds the other programs that start containers. If one of them can't be measured, every round
  /// has a note instead.
  void add_peers() {
    for (const char* name : {"cgexec", "crun", "slurm"}) {
      const auto measure = [this, name](int at_once, int count) {
        return measure_peer(name, at_once, count);
      };
      try {
        measure(1, 1);  // a program can be installed but still not work here
        ways_.emplace_back(name, measure);
      } catch (const Failed& failed) {
        check_interrupt();
        notes_.push_back(launch_note(name, failed.error.text));
      }
    }
  }

  /// Measures one round. For each number of concurrent tasks, measures all ways immediately after
  /// each other.
  std::vector<Json> measure_round(const std::vector<int>& at_once, int tasks) const {
    std::vector<Json> rows;
    for (int many : at_once)
      for (const auto& [name, measure] : ways_) {
        try {
          rows.push_back(measure(many, tasks));
        } catch (Failed& failed) {
          check_interrupt();
          throw Failed(std::move(failed.error).in(name));
        }
        check_interrupt();
      }
    add_ratios(rows);
    rows.insert(rows.end(), notes_.begin(), notes_.end());
    return rows;
  }

  /// Measures the CPU time that a launch takes, part by part, with `count` tasks in each way.
  Json measure_parts(int count) {
    const auto run = [&](LaunchWay& way) {
      measure_launches("", way, kCostsAtOnce, count, next_id_);
      check_interrupt();
    };
    (void)bare_.take_cpu();
    (void)groups_.take_cpu();
    run(bare_);
    run(groups_);
    const double master = own_cpu_s(), worker = process_cpu_s(worker_.pid());
    run(heddle_);
    return launch_parts({.bare = bare_.take_cpu(),
                         .groups = groups_.take_cpu(),
                         .worker = process_cpu_s(worker_.pid()) - worker,
                         .master = own_cpu_s() - master,
                         .journal = journal_cpu_s(journal_path(place_.dir().path()), count),
                         .launches = count});
  }

 private:
  static constexpr int kMost = 64;

  void add(const char* name, LaunchWay& way) {
    ways_.emplace_back(name, [this, name, &way](int at_once, int count) {
      return measure_launches(name, way, at_once, count, next_id_);
    });
  }

  Json measure_peer(const std::string& name, int at_once, int count) {
    std::vector<std::string> words = {name, std::to_string(count), std::to_string(at_once), task_,
                                      place_.dir().path()};
    if (name == "cgexec") {
      const std::vector<std::string> group = peer_group();
      words.insert(words.end(), group.begin(), group.end());
    }
    const Json said = place_.bench().script("peers.py", words);
    return launch_row(name, at_once, count, said.at("seconds"), said.at("ms"));
  }

  /// Returns the version and the directories of a group for other programs. Makes the group first.
  std::vector<std::string> peer_group() {
    cgroup::Driver& driver = place_.driver();
    const std::string above = cgroup::run_group(place_.dir().run()), group = above + "/cgexec";
    if (held_.empty()) {
      need(cgroup::make_run_group(driver, above));
      held_ = need(cgroup::claim(driver, group, kPeerGroupLimit));
    }
    std::vector<std::string> words = driver.directories(group);
    words.insert(words.begin(), driver.version() == cgroup::Version::kV2 ? "v2" : "v1");
    return words;
  }

  const std::string task_ = program_path("heddle-task");
  // Each container has a whole CPU, and the node all CPUs of this machine, so that no quota slows
  // down a start.
  const wire::Welcome node_ =
      bench_node(std::min<double>(kMost, host::host_capacity().cpus.value), 1, kMost);
  BenchPlace place_;
  BareWay bare_{task_};
  GroupWay groups_{place_, node_, task_};
  BenchWorker worker_{place_, node_};
  WorkerWay heddle_{worker_};
  std::vector<Fd> held_;  ///< the group for other programs
  std::int64_t next_id_ = 1;
  /// Measures a row of a round, by the name of the way.
  std::vector<std::pair<std::string, std::function<Json(int at_once, int count)>>> ways_;
  std::vector<Json> notes_;
};

class LaunchBench : public Bench {
 public:
  LaunchBench()
      : Bench({.form = kLaunchForm, .quick = "one round of 50 tasks each", .makes_groups = true}) {}

 private:
  static constexpr int kMostAtOnce = 64, kMostTasks = 100'000, kMostRounds = 100;

  void add_own_options(Command word) override {
    add_numbers(word, "--at-once", at_once_, 1, kMostAtOnce,
                "numbers of containers that start at the same time, separated by commas");
    add_number(word, "--tasks", tasks_, 1, kMostTasks,
               "number of tasks that one measurement starts");
    add_number(word, "--rounds", rounds_, 1, kMostRounds, "number of rounds; medians are shown");
    word.add_flag("--peers", peers_, "also measure cgexec, crun and Slurm if they are installed");
  }

  Json measure() override {
    if (quick_) tasks_ = 50, rounds_ = 1;
    Ways ways(cgroup_);
    if (peers_) ways.add_peers();
    std::vector<std::vector<Json>> rounds;
    for (int round = 1; round <= rounds_; ++round) {
      cli::say("round " + std::to_string(round) + " of " + std::to_string(rounds_));
      rounds.push_back(ways.measure_round(at_once_, tasks_));
    }
    cli::say("CPU time by part");
    Json parts = ways.measure_parts(tasks_ * rounds_), results = launch_results(rounds);
    results["parts"] = std::move(parts);
    return results;
  }

  std::string format(const Json& results) const override { return format_launch_results(results); }

  std::vector<int> at_once_ = {1, 2, 4, 8};
  int tasks_ = 300, rounds_ = 5;
  bool peers_ = false;
};

}  // namespace

Json measure_launches(const std::string& way, LaunchWay& by, int at_once, int count,
                      std::int64_t& next_id) {
  std::map<std::int64_t, real::Time> begun;
  std::vector<double> times;
  int started = 0;
  auto start_one = [&] {
    ++started;
    begun[next_id] = real::now();
    by.start(next_id++);
  };
  const real::Time begin = real::now();
  while (started < std::min(at_once, count)) start_one();
  while (!begun.empty()) {
    const std::vector<std::int64_t> ended = by.wait();
    const real::Time at = real::now();
    for (std::int64_t id : ended) {
      times.push_back(to_ms(at - begun.at(id)));
      begun.erase(id);
      if (started < count) start_one();
    }
  }
  return launch_row(way, at_once, count, to_ms(real::now() - begin) / 1e3, times);
}

Json launch_note(const std::string& way, const std::string& note) {
  return {{"way", way}, {"at_once", nullptr}, {"note", note}};
}

void add_ratios(std::vector<Json>& round) {
  for (Json& row : round)
    for (const Json& bare : round)
      if (bare.at("way") == kBareWay && bare.at("at_once") == row.at("at_once"))
        row["x"] = wire::rounded(row.at("per_s").get<double>() / bare.at("per_s").get<double>());
}

Json launch_results(const std::vector<std::vector<Json>>& rounds) {
  std::vector<Json> rows;
  for (std::size_t i = 0; i < rounds.front().size(); ++i) {
    std::vector<Json> same;
    for (const std::vector<Json>& round : rounds) same.push_back(round[i]);
    rows.push_back(combined(kLaunchForm, same));
  }
  return bench_results(kLaunchForm, std::move(rows));
}

std::string format_launch_results(const Json& results) {
  std::string text = format_bench(kLaunchForm, results);
  for (const Json& row : results.at("rows"))
    if (const std::string note = row.at("note"); !note.empty())
      text += fmt::format("{}: {}\n", row.at("way").get<std::string>(), note);
  if (!results.contains("parts")) return text;
  return text + "\n" +
         format_rows({{"part", "CPU per launch"}, {"us", "us", 1}}, results.at("parts"));
}

Json launch_parts(const LaunchCosts& costs) {
  const LaunchCpu& groups = costs.groups;
  const double own = costs.bare.start + costs.bare.process;
  const std::pair<const char*, double> beyond[] = {
      {"limits", groups.limits},
      {"join", groups.start + groups.process - own},
      {"measure", groups.measure},
      {"messages, worker", costs.worker - groups.start - groups.limits - groups.measure},
      {"messages, master", costs.master},
      {"journal", costs.journal}};
  Json parts = Json::array();
  const auto add = [&](const char* part, double seconds) {
    parts.push_back({{"part", part}, {"us", wire::rounded(seconds * 1e6 / costs.launches)}});
  };
  add("task's own start", own);
  double sum = 0;
  for (const auto& [part, seconds] : beyond) {
    add(part, seconds);
    sum += seconds;
  }
  add("sum beyond it", sum);
  return parts;
}

double journal_cpu_s(const std::string& path, int count) {
  master::Journal journal = need(master::Journal::create(path));
  wire::JournalLines lines(wire::JournalLines::Mode::kReal, true);
  wire::LineChecksums checksums;
  wire::JournalLines::RealTimes times;
  const double began = thread_cpu_s();
  for (std::int64_t i = 1; i <= count; ++i) {
    const EmuTime now = emu_seconds(static_cast<double>(i));
    need(journal.append(
        checksums.add_checksums(lines.step(now, end_of(i), launch_of(i + 1), times))));
    times.launch_ms[ContainerId{i + 1}] = 1;
    const std::vector<Event> started = {{now, ContainerStarted{ContainerId{i + 1}}}};
    need(journal.append(checksums.add_checksums(lines.step(now, started, Step{}, times))));
    times.launch_ms.clear();
  }
  return thread_cpu_s() - began;
}

std::unique_ptr<Bench> launch_bench() { return std::make_unique<LaunchBench>(); }

}  // namespace heddle::bench
