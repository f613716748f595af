#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>

#include "bench/commands/commands.h"
#include "bench/commands/measuring.h"
#include "bench/echo.h"
#include "bench/forks.h"
#include "bench/heartbeat_bench.h"
#include "bench/heartbeat_worker.h"
#include "cli/run/session.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/random_id.h"
#include "common/result_files.h"
#include "core/scenario/yaml/writer.h"
#include "net/key_files.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr auto kPeriod = 1s;
/// Longest time until all workers have registered and have their containers.
constexpr auto kPatience = 90s;
/// Longest time that a master is allowed to take to end after the bench has told it to end.
constexpr auto kEndPatience = 10s;
/// Returns the time to wait after all workers have registered. In this time, each worker reads the
/// addresses of all other workers. This takes longer if there are more nodes.
constexpr std::chrono::milliseconds settling(int workers) {
  return std::min<std::chrono::milliseconds>(1s + 5ms * workers, 5s);
}
constexpr int kMasterLines = 20;  ///< lines of a process's output that an error shows
constexpr const char* kKey = "bench";

/// The shared pages of the workers, and whether heartbeats are being measured.
class Board {
 public:
  explicit Board(int workers)
      : memory_(sizeof(Shared) + sizeof(BeatPage) * static_cast<std::size_t>(workers)),
        workers_(static_cast<std::size_t>(workers)) {}
  std::atomic<bool>& measuring() { return static_cast<Shared*>(memory_.data())->measuring; }
  std::span<BeatPage> pages() {
    return {reinterpret_cast<BeatPage*>(static_cast<Shared*>(memory_.data()) + 1), workers_};
  }
  bool all_have(int containers) {
    return std::ranges::all_of(pages(), [&](const BeatPage& page) {
      return page.joined && page.containers >= containers;
    });
  }
  void add_to(BeatsMeasured& measured) {
    for (BeatPage& page : pages()) {
      measured.beats += page.beats;
      measured.sent += page.sent;
      measured.received += page.received;
      for (int i = 0; i < page.trips; ++i)
        measured.trip_ms.push_back(static_cast<double>(page.trip_ns[static_cast<std::size_t>(i)]) /
                                   1e6);
    }
  }

 private:
  struct alignas(64) Shared {
    std::atomic<bool> measuring;
  };
  SharedMemory memory_;
  std::size_t workers_;
};

/// Returns the text of a file, or "" if it does not exist (yet).
std::string contents(const std::string& path) {
  Result<std::string> text = read_file(path);
  return text ? *std::move(text) : "";
}

/// Returns the endpoint at which a master listens, from its log.
std::string endpoint_in(const std::string& log) {
  constexpr std::string_view kBefore = "control at ";
  const std::size_t at = log.find(kBefore), end = log.find('\n', at);
  if (at == std::string::npos || end == std::string::npos) return "";
  return log.substr(at + kBefore.size(), end - at - kBefore.size());
}

int count_of(std::string_view text, std::string_view what) {
  int count = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos;
       at = text.find(what, at + what.size()))
    ++count;
  return count;
}

std::vector<pid_t> children_of(pid_t pid) {
  const std::string id = std::to_string(pid);
  std::ifstream in("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; in >> child;) children.push_back(child);
  return children;
}

class HeartbeatBench {
 public:
  HeartbeatBench(const HeartbeatBenchOptions& options, Workbench& bench)
      : options_(options), bench_(bench) {}

  Result<Json> measure(const BeatCase& one) {
    const std::string dir = bench_.new_path();
    std::filesystem::create_directories(dir);
    HEDDLE_TRY(replace_file(dir + "/scenario.yaml", write_scenario(beat_scenario(one))));
    Result<BeatsMeasured> measured = one.real ? measure_real(one, dir) : measure_light(one, dir);
    if (!measured) return std::move(measured).error();
    if (one.real) return beat_row(one, *measured, nullptr);
    const auto answers = static_cast<std::int64_t>(measured->trip_ms.size());
    if (answers == 0) return aborted_error("no heartbeat was answered");
    const Echo echo{"ipc://" + dir + "/echo",
                    static_cast<std::size_t>(measured->sent / measured->beats),
                    static_cast<std::size_t>(measured->received / answers), kPeriod};
    Result<BeatsMeasured> bare = measure_echo(one, echo);
    if (!bare) return std::move(bare).error();
    return beat_row(one, *measured, &*bare);
  }

 private:
  /// Waits until `so` returns true. Error: the user interrupts, or `alive` returns false.
  Result<void> await(const std::function<bool()>& so, const std::function<bool()>& alive) {
    for (const auto end = Clock::now() + kPatience; !so();) {
      HEDDLE_TRY(bench_.pause(20ms));
      if (!alive()) return aborted_error("a process has ended before it could be measured");
      if (Clock::now() > end)
        return aborted_error("not all workers and containers were ready after 90 s");
    }
    return {};
  }

  /// Measures CPU times and, with a board, heartbeats from now on.
  Result<void> watch(int count, const std::function<double()>& server,
                     const std::function<double()>& workers, Board* board,
                     BeatsMeasured& measured) const {
    HEDDLE_TRY(bench_.pause(settling(count)));
    const auto begin = Clock::now();
    const double server_before = server(), workers_before = workers();
    if (board) board->measuring() = true;
    HEDDLE_TRY(bench_.pause(std::chrono::milliseconds(std::llround(options_.seconds * 1e3))));
    if (board) board->measuring() = false;
    measured.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    measured.server_cpu_s = server() - server_before;
    measured.workers_cpu_s = workers() - workers_before;
    HEDDLE_TRY(bench_.pause(500ms));  // for answers on their way
    if (board) board->add_to(measured);
    return {};
  }

  Result<BeatsMeasured> measure_light(const BeatCase& one, const std::string& dir) {
    const std::string run = random_id(), log = dir + "/master.log";
    std::vector<std::string> words = {program_path("heddle-master"),
                                      dir + "/scenario.yaml",
                                      "--out",
                                      dir,
                                      "--run",
                                      run,
                                      "--die-with-parent",
                                      "--log",
                                      log,
                                      "--progress",
                                      "ipc://" + dir + "/progress",
                                      "--bind",
                                      one.tcp ? "tcp://127.0.0.1:*" : "ipc://" + dir + "/control"};
    LightWorker worker{"", {}, run, ""};
    if (one.tcp) {
      const std::string keys = dir + "/keys";
      Result<std::vector<net::KeyFile>> made =
          net::make_keys(keys, {{net::KeyRole::kWorker, kKey}});
      if (!made) return std::move(made).error();
      Result<net::ClientKeys> client = net::read_client_keys(keys, net::KeyRole::kWorker, kKey);
      if (!client) return std::move(client).error();
      worker.curve = client->curve;
      words.insert(words.end(), {"--keys", keys});
    }
    Result<host::Child> child = host::Child::spawn(words, STDIN_FILENO);
    if (!child) return std::move(child).error();
    Board board(one.workers);
    // Workers are destroyed after the master, because it tells them to end.
    Forks workers;
    Ending master(*std::move(child), SIGTERM, kEndPatience);
    auto alive = [&] { return !master.ended(); };
    Result<void> listens = await(
        [&] {
          worker.endpoint = endpoint_in(contents(log));
          return !worker.endpoint.empty();
        },
        alive);
    for (int i = 0; i < one.workers && listens; ++i) {
      worker.node = "n" + std::to_string(i + 1);
      BeatPage& page = board.pages()[static_cast<std::size_t>(i)];
      Result<pid_t> pid =
          workers.start([&] { play_light_worker(worker, board.measuring(), page); });
      if (!pid) return std::move(pid).error();
    }
    if (listens) listens = await([&] { return board.all_have(one.containers); }, alive);
    if (!listens && !alive()) return aborted_error(host::words_of(*master, kMasterLines));
    HEDDLE_TRY(listens);
    BeatsMeasured measured;
    HEDDLE_TRY(watch(
        one.workers, [&] { return process_cpu_s(master->pid()); }, [&] { return workers.cpu_s(); },
        &board, measured));
    return measured;
  }

  Result<BeatsMeasured> measure_echo(const BeatCase& one, const Echo& echo) {
    Board board(one.workers);
    Forks server, workers;
    Result<pid_t> pid = server.start([&] { serve_echo(echo); });
    for (int i = 0; i < one.workers && pid; ++i) {
      BeatPage& page = board.pages()[static_cast<std::size_t>(i)];
      const real::Duration offset = real::Duration(kPeriod) * i / one.workers;
      pid = workers.start([&] { play_echo_worker(echo, offset, board.measuring(), page); });
    }
    if (!pid) return std::move(pid).error();
    HEDDLE_TRY(await([&] { return board.all_have(0); },
                     [&] { return server.all_run() && workers.all_run(); }));
    BeatsMeasured measured;
    HEDDLE_TRY(watch(
        one.workers, [&] { return server.cpu_s(); }, [&] { return workers.cpu_s(); }, &board,
        measured));
    return measured;
  }

  /// Measures a run by `heddle run`.
  Result<BeatsMeasured> measure_real(const BeatCase& one, const std::string& dir) {
    std::vector<std::string> words = {
        program_path("heddle"), "run", dir + "/scenario.yaml", "--out", dir + "/out", "--quiet"};
    if (options_.cgroup) words.insert(words.end(), {"--cgroup", *options_.cgroup});
    Result<host::Child> child = host::Child::spawn(words, STDIN_FILENO);
    if (!child) return std::move(child).error();
    Ending run(*std::move(child), SIGINT, kEndPatience);
    auto alive = [&] { return !run.ended(); };
    auto ready = [&] {
      const std::string journal = contents(journal_path(dir + "/out"));
      return count_of(journal, "\"node_registered\"") >= one.workers &&
             count_of(journal, "\"container_started\"") >= one.workers * one.containers;
    };
    Result<void> there = await(ready, alive);
    if (!there && !alive()) return machine_error(host::words_of(*run, kMasterLines));
    HEDDLE_TRY(there);
    pid_t master = 0;
    std::vector<pid_t> workers;
    for (pid_t pid : children_of(run->pid())) {
      const std::string name = contents("/proc/" + std::to_string(pid) + "/comm");
      if (name == "heddle-master\n") master = pid;
      if (name == "heddle-worker\n") workers.push_back(pid);
    }
    BeatsMeasured measured;
    HEDDLE_TRY(watch(
        one.workers, [&] { return process_cpu_s(master); }, [&] { return process_cpu_s(workers); },
        nullptr, measured));
    measured.beats = std::llround(measured.seconds * one.workers / (kPeriod / 1.0s));
    return measured;
  }

  const HeartbeatBenchOptions& options_;
  Workbench& bench_;
};

std::vector<BeatCase> cases_of(const HeartbeatBenchOptions& options) {
  std::vector<BeatCase> cases;
  for (int workers : options.workers)
    for (int containers : options.containers)
      cases.push_back({false, options.tcp, workers, containers});
  for (int workers : options.real)
    if (workers > 0) cases.push_back({true, false, workers, 0});
  return cases;
}

}  // namespace

int heartbeat_bench_command(const HeartbeatBenchOptions& asked) {
  HeartbeatBenchOptions options = asked;
  if (options.quick) options.workers = {1, 16, 1000}, options.containers = {0}, options.seconds = 3;
  Result<Workbench> workbench = Workbench::set_up();
  if (!workbench) return cli::fail(workbench.error());
  HeartbeatBench bench(options, *workbench);
  const auto rows = measure_each(
      cases_of(options), [](const BeatCase& one) { return title_of(one); },
      [&](const BeatCase& one) { return bench.measure(one); });
  return print_rows(rows, heartbeat_results, options.json, format_heartbeat_results);
}

}  // namespace heddle::bench
