#include "bench/suspend_bench.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <functional>
#include <thread>

#include "bench/bench.h"
#include "bench/launch_ways.h"
#include "bench/workbench.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "common/installed.h"
#include "wire/values.h"
#include "worker/process_state.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr std::chrono::seconds kSuspendLimit(20);
constexpr double kAimStopMs = 5;
constexpr const char* kBare = "bare SIGSTOP";
/// Number of burners. A burner is a container that uses all CPU that it can get, kFraction of a
/// CPU.
constexpr int kBurners = 8, kMostContainers = 16;
constexpr double kFraction = 0.1;
/// Time between two launches of other containers next to the burners.
constexpr std::chrono::milliseconds kLaunchPeriod(20);
/// Maximum number of such containers that live at the same time. On a busy machine, they end later,
/// so fewer of them start.
constexpr int kMostBeside = 4;
const CoreTime kEndless = core_seconds(100'000);

/// Returns the pause between two commands. The pause varies, so that commands arrive at all points
/// of the quota and heartbeat periods.
std::chrono::microseconds pause_before(int i) {
  return std::chrono::microseconds(5000 + i * 7919 % 20'000);
}

/// Suspends and resumes `times` times, and returns the row of these labels. `suspend` and `resume`
/// get the number of the time, and return the milliseconds that it took.
Json measure_times(Json labels, int times,
                   const std::function<void(std::chrono::microseconds)>& pause,
                   const std::function<double(int)>& suspend,
                   const std::function<double(int)>& resume) {
  std::vector<double> stops, runs;
  for (int i = 0; i < times; ++i) {
    pause(pause_before(2 * i));
    stops.push_back(suspend(i));
    pause(pause_before(2 * i + 1));
    runs.push_back(resume(i));
  }
  labels.update({{"times", times},
                 {"stop_ms", wire::percentiles(stops)},
                 {"run_ms", wire::percentiles(runs)}});
  return labels;
}

/// Serves a worker. If requested, also launches other containers, one after the other.
class Server {
 public:
  Server(BenchWorker& worker, bool launching, std::int64_t& next_id)
      : worker_(worker), launching_(launching), next_id_(next_id) {}

  void serve(real::Time until) {
    while (real::now() < until) once<ContainerEnded>(until, ContainerId{0});
  }
  /// Sends the command and returns the milliseconds until the awaited event of the container.
  template <class Awaited>
  double time(BenchWorker::What command, ContainerId container) {
    const real::Time sent = real::now();
    worker_.send({std::move(command)});
    while (real::now() < sent + kSuspendLimit)
      if (once<Awaited>(sent + kSuspendLimit, container)) return to_ms(happened_ - sent);
    throw Failed("the worker did not report the suspension or resumption within 20 s");
  }
  void end() {
    launching_ = false;
    const real::Time until = real::now() + kSuspendLimit;
    while (alive_ > 0 && real::now() < until) once<ContainerEnded>(until, ContainerId{0});
    if (alive_ > 0) throw Failed("a task did not end within 20 s");
  }

 private:
  void launch_if_due() {
    if (!launching_ || real::now() < next_launch_) return;
    next_launch_ = real::now() + kLaunchPeriod;
    if (alive_ == kMostBeside) return;
    ++alive_;
    worker_.send({empty_task(next_id_++)});
  }
  /// Waits until `until` for the next reports and takes them in. Returns true if the awaited event
  /// is among them.
  template <class Awaited>
  bool once(real::Time until, ContainerId container) {
    launch_if_due();
    bool done = false;
    for (const wire::Report& report :
         worker_.hear(launching_ ? std::min(until, next_launch_) : until)) {
      if (std::holds_alternative<Awaited>(report.what) && report.container() == container) {
        done = true;
        happened_ = real::Time(real::Duration(report.monotonic_ns));
      } else if (std::holds_alternative<ContainerEnded>(report.what)) {
        --alive_;
      }
    }
    return done;
  }

  BenchWorker& worker_;
  bool launching_;
  std::int64_t& next_id_;
  int alive_ = 0;
  real::Time next_launch_ = real::now();
  real::Time happened_;
};

/// Starts the burners, with ids 1 to kBurners. Returns when all of them run.
void start_burners(BenchWorker& worker) {
  for (int i = 1; i <= kBurners; ++i) {
    wire::LaunchCommand launch = empty_task(i);
    launch.work.cpu = kEndless;
    worker.send({launch});
  }
  const real::Time until = real::now() + kSuspendLimit;
  for (int started = 0; started < kBurners;) {
    if (real::now() >= until) throw Failed("the tasks did not start within 20 s");
    for (const wire::Report& report : worker.hear(until)) {
      if (!std::holds_alternative<ContainerStarted>(report.what))
        throw Failed("a task did not start: " + report.reason());
      ++started;
    }
  }
}

/// Measures one burner after the other. A time lasts from sending the command until the worker has
/// seen that all threads are stopped, or until it has resumed them. REQUIRES: start_burners.
Json measure_worker(BenchWorker& worker, const SuspendCase& one, int times, std::int64_t& next_id) {
  Server server(worker, one.launching, next_id);
  const auto container = [](int i) { return ContainerId{1 + i % kBurners}; };
  Json row = measure_times(
      {{"with", one.with == SuspendWith::kSignal ? "signal" : "freezer"},
       {"tasks", one.throttled ? "throttled" : "paced"},
       {"beside", one.launching ? "launches" : "-"}},
      times, [&](auto length) { server.serve(real::now() + length); },
      [&](int i) { return server.time<ContainerSuspended>(Suspend{container(i)}, container(i)); },
      [&](int i) { return server.time<ContainerResumed>(Resume{container(i)}, container(i)); });
  server.end();
  return row;
}

/// Sends the signal and returns the milliseconds until /proc shows the wanted state.
double time_signal(pid_t pid, int signal, bool stopped) {
  const auto is_stopped = [&] {
    const Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
    return stat && worker::state_of(*stat) == 'T';
  };
  const real::Time sent = real::now();
  if (::kill(pid, signal) < 0) throw Failed(system_error("signal the bare process", errno));
  while (is_stopped() != stopped)
    if (real::now() > sent + kSuspendLimit)
      throw Failed("the bare process did not react to a signal within 20 s");
  return to_ms(real::now() - sent);
}

/// Measures a process that uses CPU and has no worker.
Json measure_bare(BareWay& bare, int times, std::int64_t id) {
  TaskWork work;
  work.cpu = kEndless;
  const pid_t pid = bare.start(
      id, worker::order_for(work, Scale{}, Millicores(1000), 1, CpuLimit::kStrict, Pacing::kNone));
  Json row = measure_times(
      {{"with", kBare}, {"tasks", "unlimited"}, {"beside", "-"}}, times,
      [](auto length) {
        check_interrupt();
        std::this_thread::sleep_for(length);
      },
      [pid](int) { return time_signal(pid, SIGSTOP, true); },
      [pid](int) { return time_signal(pid, SIGCONT, false); });
  bare.abandon(id);
  return row;
}

/// Judges all rows except the baseline.
void judge_suspensions(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows) {
    if (row.at("with") == kBare) continue;
    std::string name =
        row.at("with").get<std::string>() + ", " + row.at("tasks").get<std::string>();
    if (row.at("beside") != "-") name += ", beside " + row.at("beside").get<std::string>();
    for (auto [key, what] : {std::pair("stop_ms", "stopped"), {"run_ms", "running"}})
      aims.at_most(name + ": ms to " + what + ", 99th percentile", row.at(key).at("p99"),
                   kAimStopMs);
  }
}

class SuspendBench : public Bench {
 public:
  SuspendBench() : Bench({.form = kSuspendForm, .quick = "20 times each", .makes_groups = true}) {}

 private:
  static constexpr int kMostTimes = 100'000, kQuickTimes = 20;

  void add_own_options(Command word) override {
    add_number(word, "--times", times_, 1, kMostTimes,
               "how often each case is suspended and resumed");
  }

  Json measure() override {
    const int times = quick_ ? kQuickTimes : times_;
    const BenchPlace place(cgroup_);
    BareWay bare(program_path("heddle-task"));
    std::int64_t next_id = kBurners + 1;
    std::vector<Json> bare_rows, rows;
    std::unique_ptr<BenchWorker> worker;
    for (const SuspendCase& one : suspend_cases()) {
      if (!one.launching) {
        cli::say(std::string("suspend with ") +
                 (one.with == SuspendWith::kSignal ? "signals" : "the freezer") +
                 (one.throttled ? ", throttled" : ", paced"));
        worker.reset();
        bare_rows.push_back(measure_bare(bare, times, next_id++));
        worker = std::make_unique<BenchWorker>(
            place, suspend_node(one, bench_node(kBurners, kFraction, kMostContainers)));
        start_burners(*worker);
      }
      rows.push_back(measure_worker(*worker, one, times, next_id));
    }
    return suspend_results(bare_rows, std::move(rows));
  }

  int times_ = 200;
};

}  // namespace

const BenchForm kSuspendForm = {"suspend",
                                {{"with", "with"}, {"tasks", "tasks"}, {"beside", "beside"}},
                                {{"times", "times"},
                                 {"stop_ms/p50", "stopped p50 ms", 2, Better::kLess},
                                 {"stop_ms/p99", "p99", 2, Better::kLess},
                                 {"stop_ms/max", "max", 2, Better::kLess},
                                 {"run_ms/p50", "running p50 ms", 2, Better::kLess},
                                 {"run_ms/p99", "p99", 2, Better::kLess},
                                 {"run_ms/max", "max", 2, Better::kLess}},
                                judge_suspensions};

std::vector<SuspendCase> suspend_cases() {
  std::vector<SuspendCase> cases;
  for (SuspendWith with : {SuspendWith::kSignal, SuspendWith::kFreezer})
    for (bool throttled : {false, true})
      for (bool launching : {false, true}) cases.push_back({with, throttled, launching});
  return cases;
}

wire::Welcome suspend_node(const SuspendCase& one, wire::Welcome node) {
  node.suspend_with = one.with;
  node.pacing = one.throttled ? Pacing::kNone : Pacing::kLine;
  return node;
}

Json suspend_results(const std::vector<Json>& bare, std::vector<Json> rows) {
  rows.insert(rows.begin(), combined(kSuspendForm, bare));
  return bench_results(kSuspendForm, std::move(rows));
}

std::unique_ptr<Bench> suspend_bench() { return std::make_unique<SuspendBench>(); }

}  // namespace heddle::bench
