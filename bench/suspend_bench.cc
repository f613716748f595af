#include "bench/suspend_bench.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <thread>

#include "bench/results.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "wire/values.h"
#include "worker/process_state.h"

namespace heddle::bench {
namespace {

using wire::Json;

constexpr std::chrono::seconds kSuspendLimit(20);
constexpr double kAimStopMs = 5;
/// Time between two launches of other containers next to the burners.
constexpr std::chrono::milliseconds kLaunchPeriod(20);
/// Maximum number of such containers that live at the same time. On a busy machine, they end later,
/// so fewer of them start.
constexpr int kMostBeside = 4;
const CoreTime kEndless = core_seconds(100'000);

const BenchForm kSuspendForm = {"suspend",
                                {{"with", "with"}, {"tasks", "tasks"}, {"beside", "beside"}},
                                {{"times", "times"},
                                 {"stop_ms/p50", "stopped p50 ms", 2, Better::kLess},
                                 {"stop_ms/p99", "p99", 2, Better::kLess},
                                 {"stop_ms/max", "max", 2, Better::kLess},
                                 {"run_ms/p50", "running p50 ms", 2, Better::kLess},
                                 {"run_ms/p99", "p99", 2, Better::kLess},
                                 {"run_ms/max", "max", 2, Better::kLess}}};

Json row_of(const std::string& with, const std::string& tasks, const std::string& beside,
            const std::vector<double>& stops, const std::vector<double>& runs) {
  return {{"with", with},
          {"tasks", tasks},
          {"beside", beside},
          {"times", stops.size()},
          {"stop_ms", wire::percentiles(stops)},
          {"run_ms", wire::percentiles(runs)}};
}

/// Returns the pause between two commands. The pause varies, so that commands arrive at all points
/// of the quota and heartbeat periods.
std::chrono::microseconds pause_before(int i) {
  return std::chrono::microseconds(5000 + i * 7919 % 20'000);
}

/// Serves a worker. If requested, also launches other containers, one after the other.
class Server {
 public:
  Server(WorkerMaster& master, bool launching, std::int64_t& next_id)
      : master_(master), launching_(launching), next_id_(next_id) {}

  Result<void> serve(real::Time until) {
    while (real::now() < until) HEDDLE_TRY(once<ContainerEnded>(until, ContainerId{0}));
    return {};
  }
  /// Sends the command and returns the milliseconds until the awaited event of the container.
  template <class Awaited>
  Result<double> time(WorkerMaster::What command, ContainerId container) {
    const real::Time sent = real::now();
    master_.send({std::move(command)});
    while (real::now() < sent + kSuspendLimit) {
      Result<bool> done = once<Awaited>(sent + kSuspendLimit, container);
      if (!done) return std::move(done).error();
      if (*done) return to_ms(happened_ - sent);
    }
    return aborted_error("the worker did not report the suspension or resumption within 20 s");
  }
  Result<void> end() {
    launching_ = false;
    const real::Time until = real::now() + kSuspendLimit;
    while (alive_ > 0 && real::now() < until)
      HEDDLE_TRY(once<ContainerEnded>(until, ContainerId{0}));
    return alive_ == 0 ? Result<void>() : aborted_error("a task did not end within 20 s");
  }

 private:
  void launch_if_due() {
    if (!launching_ || real::now() < next_launch_) return;
    next_launch_ = real::now() + kLaunchPeriod;
    if (alive_ == kMostBeside) return;
    ++alive_;
    master_.send({empty_task(next_id_++)});
  }
  /// Waits until `until` for the next reports and takes them in. Returns true if the awaited event
  /// is among them.
  template <class Awaited>
  Result<bool> once(real::Time until, ContainerId container) {
    launch_if_due();
    Result<std::vector<WorkerMaster::Heard>> heard =
        master_.hear(launching_ ? std::min(until, next_launch_) : until);
    if (!heard) return std::move(heard).error();
    bool done = false;
    for (const auto& [report, at] : *heard) {
      if (std::holds_alternative<wire::CommandRefused>(report.what))
        return aborted_error("the worker refused to " + report.reason());
      if (std::holds_alternative<Awaited>(report.what) && report.container() == container) {
        done = true;
        happened_ = real::Time(real::Duration(report.monotonic_ns));
      } else if (const auto* ended = std::get_if<ContainerEnded>(&report.what)) {
        if (ended->outcome != Outcome::kCompleted)
          return aborted_error("a task failed: " + ended->reason);
        --alive_;
      }
    }
    return done;
  }

  WorkerMaster& master_;
  bool launching_;
  std::int64_t& next_id_;
  int alive_ = 0;
  real::Time next_launch_ = real::now();
  real::Time happened_;
};

char state_of(pid_t pid) {
  Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  return stat ? worker::state_of(*stat) : 'X';
}

/// Sends the signal and returns the milliseconds until /proc shows the wanted state.
Result<double> time_signal(pid_t pid, int signal, bool stopped) {
  const real::Time sent = real::now();
  if (::kill(pid, signal) < 0) return system_error("signal the bare process", errno);
  while ((state_of(pid) == 'T') != stopped)
    if (real::now() > sent + kSuspendLimit)
      return aborted_error("the bare process did not react to a signal within 20 s");
  return to_ms(real::now() - sent);
}

}  // namespace

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

Result<void> start_burners(WorkerMaster& master) {
  int started = 0;
  for (int i = 1; i <= kBurners; ++i) {
    wire::LaunchCommand launch = empty_task(i);
    launch.work.cpu = kEndless;
    master.send({launch});
  }
  const real::Time until = real::now() + kSuspendLimit;
  while (started < kBurners && real::now() < until) {
    Result<std::vector<WorkerMaster::Heard>> heard = master.hear(until);
    if (!heard) return std::move(heard).error();
    for (const auto& [report, at] : *heard) {
      if (!std::holds_alternative<ContainerStarted>(report.what))
        return aborted_error("a task did not start: " + report.reason());
      ++started;
    }
  }
  return started == kBurners ? Result<void>()
                             : aborted_error("the tasks did not start within 20 s");
}

Result<Json> measure_suspends(WorkerMaster& master, const SuspendCase& one, int times,
                              std::int64_t& next_id) {
  Server server(master, one.launching, next_id);
  std::vector<double> stops, runs;
  for (int i = 0; i < times; ++i) {
    const ContainerId container{1 + i % kBurners};
    HEDDLE_TRY(server.serve(real::now() + pause_before(2 * i)));
    Result<double> stop = server.time<ContainerSuspended>(Suspend{container}, container);
    if (!stop) return std::move(stop).error();
    HEDDLE_TRY(server.serve(real::now() + pause_before(2 * i + 1)));
    Result<double> run = server.time<ContainerResumed>(Resume{container}, container);
    if (!run) return std::move(run).error();
    stops.push_back(*stop);
    runs.push_back(*run);
  }
  HEDDLE_TRY(server.end());
  return row_of(one.with == SuspendWith::kSignal ? "signal" : "freezer",
                one.throttled ? "throttled" : "paced", one.launching ? "launches" : "-", stops,
                runs);
}

Result<Json> measure_bare_suspends(BareWay& bare, int times, std::int64_t& next_id,
                                   const std::function<bool()>& interrupted) {
  TaskWork work;
  work.cpu = kEndless;
  const TaskOrder order =
      worker::order_for(work, Scale{}, Millicores(1000), 1, CpuLimit::kStrict, Pacing::kNone);
  const std::int64_t id = next_id++;
  Result<pid_t> pid = bare.start(id, order);
  if (!pid) return std::move(pid).error();
  std::vector<double> stops, runs;
  for (int i = 0; i < times; ++i) {
    if (interrupted()) return aborted_error("interrupted");
    std::this_thread::sleep_for(pause_before(2 * i));
    Result<double> stop = time_signal(*pid, SIGSTOP, true);
    if (!stop) return std::move(stop).error();
    std::this_thread::sleep_for(pause_before(2 * i + 1));
    Result<double> run = time_signal(*pid, SIGCONT, false);
    if (!run) return std::move(run).error();
    stops.push_back(*stop);
    runs.push_back(*run);
  }
  bare.abandon(id);
  return row_of("bare SIGSTOP", "unlimited", "-", stops, runs);
}

Json suspend_results(const std::vector<Json>& bare, std::vector<Json> rows) {
  Json aims = Json::array();
  for (const Json& row : rows) {
    std::string name =
        row.at("with").get<std::string>() + ", " + row.at("tasks").get<std::string>();
    if (row.at("beside") != "-") name += ", beside " + row.at("beside").get<std::string>();
    for (auto [key, what] : {std::pair("stop_ms", "stopped"), {"run_ms", "running"}})
      aims.push_back(aim_at_most(name + ": ms to " + what + ", 99th percentile",
                                 row.at(key).at("p99"), kAimStopMs));
  }
  rows.insert(rows.begin(), combined(kSuspendForm, bare));
  return bench_results(kSuspendForm, std::move(rows), std::move(aims));
}

std::string format_suspend_results(const Json& results) {
  return format_bench(kSuspendForm, results);
}

}  // namespace heddle::bench
