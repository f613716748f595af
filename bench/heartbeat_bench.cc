#include "bench/heartbeat_bench.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <span>

#include "bench/bench.h"
#include "bench/bench_cluster.h"
#include "bench/forks.h"
#include "bench/heartbeat_worker.h"
#include "bench/workbench.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/random_id.h"
#include "common/result_files.h"
#include "core/scenario/yaml/writer.h"
#include "net/key_files.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using wire::Json;
using Clock = std::chrono::steady_clock;

constexpr EmuBytes kTaskMemory{1LL << 30};
constexpr int kShareNodes = 16;  ///< shares of a CPU are per this number of nodes
constexpr int kAimWorkers = 1000;
constexpr double kAimTrip_ms = 50, kAimShare = 0.01;

constexpr auto kPeriod = 1s;
/// Longest time that a master is allowed to take to end after the bench has told it to end.
constexpr auto kEndPatience = 10s;
/// Limit until all workers have registered and have their containers.
constexpr Workbench::Patience kPatience = {
    .limit = 90s, .late = "not all workers and containers were ready after 90 s"};
/// Returns the time to wait after all workers have registered. In this time, each worker reads the
/// addresses of all other workers. This takes longer if there are more nodes.
constexpr std::chrono::milliseconds settling(int workers) {
  return std::min<std::chrono::milliseconds>(1s + 5ms * workers, 5s);
}
constexpr const char* kKey = "bench";

/// Returns the ratio, or null if `by` is 0.
Json ratio(double of, double by) { return by > 0 ? Json(wire::rounded(of / by)) : Json(); }

void judge(const Json& row, Json& aims) {
  const int workers = row.at("workers");
  const std::string who = std::to_string(workers) + " " + row.at("worker").get<std::string>() +
                          " workers by " + row.at("transport").get<std::string>() + ", " +
                          row.at("containers").dump() + " containers each";
  if (const Json& p99 = row.at("trip_ms").at("p99"); workers >= kAimWorkers && p99.is_number())
    aims.push_back(aim_at_most(who + ": p99 of round trips, ms", p99, kAimTrip_ms));
  if (workers < kShareNodes) return;
  for (const char* share : {"master_share", "worker_share"})
    if (const Json& value = row.at(share); value.is_number())
      aims.push_back(aim_at_most(
          who + ": " + std::string(share).substr(0, 6) + "'s share of a CPU per 16 nodes", value,
          kAimShare));
}

/// Returns the title of a case, such as "1000 workers by ipc, 50 containers each".
std::string title_of(const BeatCase& one) {
  return std::to_string(one.workers) + (one.real ? " real" : "") +
         (one.workers == 1 ? " worker" : " workers") + " by " + (one.tcp ? "tcp" : "ipc") + ", " +
         std::to_string(one.containers) + " containers each";
}

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

class HeartbeatBench : public Bench {
 public:
  HeartbeatBench()
      : Bench({.form = kHeartbeatForm,
               .quick = "1, 16 and 1000 workers for 3 seconds each",
               .makes_groups = true}) {}

 private:
  // Each worker is a process.
  static constexpr int kMostWorkers = 5000, kMostContainers = 1000;
  static constexpr double kLeastWindow_s = 1, kMostWindow_s = 300;

  void add_own_options(Command word) override {
    add_numbers(word, "--workers", workers_, 1, kMostWorkers,
                "numbers of workers, separated by commas");
    add_numbers(word, "--containers", containers_, 0, kMostContainers,
                "numbers of containers per worker, separated by commas");
    add_numbers(word, "--real", real_, 0, kMostWorkers,
                "numbers of real heddle-worker processes, separated by commas; 0: none");
    add_number(word, "--seconds", seconds_, kLeastWindow_s, kMostWindow_s,
               "seconds that each case is measured");
    word.add_flag("--tcp", tcp_,
                  "connect by TCP with keys, as runs over several hosts do, instead of by ipc");
  }

  Json measure() override {
    if (quick_) workers_ = {1, 16, 1000}, containers_ = {0}, seconds_ = 3;
    bench_.emplace();
    std::vector<BeatCase> cases;
    for (int workers : workers_)
      for (int containers : containers_)
        cases.push_back({.tcp = tcp_, .workers = workers, .containers = containers});
    for (int workers : real_)
      if (workers > 0) cases.push_back({.real = true, .workers = workers});
    return heartbeat_results(measure_each(
        cases, [](const BeatCase& one) { return title_of(one); },
        [this](const BeatCase& one) { return measure(one); }));
  }

  Json measure(const BeatCase& one) {
    const std::string dir = bench_->new_path();
    std::filesystem::create_directories(dir);
    need(replace_file(dir + "/scenario.yaml", write_scenario(beat_scenario(one))));
    if (one.real) return beat_row(one, measure_real(one, dir), nullptr);
    const BeatsMeasured measured = measure_light(one, dir);
    const auto answers = static_cast<std::int64_t>(measured.trip_ms.size());
    if (answers == 0) throw Failed("no heartbeat was answered");
    const BeatsMeasured echo =
        measure_echo(one, {.endpoint = "ipc://" + dir + "/echo",
                           .message = static_cast<std::size_t>(measured.sent / measured.beats),
                           .answer = static_cast<std::size_t>(measured.received / answers),
                           .period = kPeriod});
    return beat_row(one, measured, &echo);
  }

  /// Measures CPU times and, with a board, heartbeats from now on.
  BeatsMeasured watch(int count, const std::function<double()>& server,
                      const std::function<double()>& workers, Board* board) const {
    bench_->pause(settling(count));
    const auto begin = Clock::now();
    const double server_before = server(), workers_before = workers();
    if (board) board->measuring() = true;
    bench_->pause(std::chrono::milliseconds(std::llround(seconds_ * 1e3)));
    if (board) board->measuring() = false;
    BeatsMeasured measured;
    measured.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    measured.server_cpu_s = server() - server_before;
    measured.workers_cpu_s = workers() - workers_before;
    bench_->pause(500ms);  // for answers on their way
    if (board) board->add_to(measured);
    return measured;
  }

  /// Waits until `ready` returns true, while the process lives.
  void await(Ending& process, const std::function<bool()>& ready,
             Error (*error_of_end)(std::string)) const {
    try {
      bench_->await(
          ready, [&] { return !process.ended(); }, kPatience);
    } catch (const Failed&) {
      if (process.ended()) throw Failed(error_of_end(last_words(*process)));
      throw;
    }
  }

  BeatsMeasured measure_light(const BeatCase& one, const std::string& dir) const {
    LightWorker worker{.endpoint = "", .curve = {}, .run = random_id(), .node = ""};
    const std::string log = dir + "/master.log";
    std::vector<std::string> words = {program_path("heddle-master"),
                                      dir + "/scenario.yaml",
                                      "--out",
                                      dir,
                                      "--run",
                                      worker.run,
                                      "--die-with-parent",
                                      "--log",
                                      log,
                                      "--progress",
                                      "ipc://" + dir + "/progress",
                                      "--bind",
                                      one.tcp ? "tcp://127.0.0.1:*" : "ipc://" + dir + "/control"};
    if (one.tcp) {
      const std::string keys = dir + "/keys";
      need(net::make_keys(keys, {{net::KeyRole::kWorker, kKey}}));
      worker.curve = need(net::read_client_keys(keys, net::KeyRole::kWorker, kKey)).curve;
      words.insert(words.end(), {"--keys", keys});
    }
    Board board(one.workers);
    // Workers are destroyed after the master, because it tells them to end.
    Forks workers;
    Ending master(need(host::Child::spawn(words, STDIN_FILENO)), SIGTERM, kEndPatience);
    await(
        master, [&] { return !(worker.endpoint = endpoint_in(contents(log))).empty(); },
        aborted_error);
    for (int i = 0; i < one.workers; ++i) {
      worker.node = "n" + std::to_string(i + 1);
      workers.start([&] { play_light_worker(worker, board.measuring(), board.pages()[i]); });
    }
    await(
        master, [&] { return board.all_have(one.containers); }, aborted_error);
    return watch(
        one.workers, [&] { return process_cpu_s(master->pid()); }, [&] { return workers.cpu_s(); },
        &board);
  }

  BeatsMeasured measure_echo(const BeatCase& one, const Echo& echo) const {
    Board board(one.workers);
    Forks server, workers;
    server.start([&] { serve_echo(echo); });
    for (int i = 0; i < one.workers; ++i)
      workers.start([&] {
        play_echo_worker(echo, echo.period * i / one.workers, board.measuring(), board.pages()[i]);
      });
    bench_->await([&] { return board.all_have(0); },
                  [&] { return server.all_run() && workers.all_run(); }, kPatience);
    return watch(
        one.workers, [&] { return server.cpu_s(); }, [&] { return workers.cpu_s(); }, &board);
  }

  /// Measures a run by `heddle run`.
  BeatsMeasured measure_real(const BeatCase& one, const std::string& dir) const {
    std::vector<std::string> words = {
        program_path("heddle"), "run", dir + "/scenario.yaml", "--out", dir + "/out", "--quiet"};
    if (cgroup_) words.insert(words.end(), {"--cgroup", *cgroup_});
    Ending run(need(host::Child::spawn(words, STDIN_FILENO)), SIGINT, kEndPatience);
    await(
        run,
        [&] {
          const std::string journal = contents(journal_path(dir + "/out"));
          return count_of(journal, "\"node_registered\"") >= one.workers &&
                 count_of(journal, "\"container_started\"") >= one.workers * one.containers;
        },
        machine_error);
    pid_t master = 0;
    std::vector<pid_t> workers;
    for (pid_t pid : children_of(run->pid())) {
      const std::string name = contents("/proc/" + std::to_string(pid) + "/comm");
      if (name == "heddle-master\n") master = pid;
      if (name == "heddle-worker\n") workers.push_back(pid);
    }
    BeatsMeasured measured = watch(
        one.workers, [&] { return process_cpu_s(master); }, [&] { return process_cpu_s(workers); },
        nullptr);
    measured.beats = std::llround(measured.seconds * one.workers / (kPeriod / 1.0s));
    return measured;
  }

  std::optional<Workbench> bench_;
  std::vector<int> workers_ = {1, 16, 100, 1000};  ///< processes that speak the worker's protocol
  std::vector<int> containers_ = {0, 10, 50};      ///< per worker
  std::vector<int> real_ = {16};  ///< numbers of heddle-worker processes, without containers
  double seconds_ = 10;           ///< duration of each measurement
  bool tcp_ = false;
};

}  // namespace

const BenchForm kHeartbeatForm = {"heartbeat",
                                  {{"worker", "worker"},
                                   {"transport", "by"},
                                   {"workers", "workers"},
                                   {"containers", "containers"}},
                                  {{"beats", "beats"},
                                   {"master_us", "master us/beat", 1, Better::kLess},
                                   {"echo/us", "echo us", 1},
                                   {"x", "x", 1, Better::kLess},
                                   {"master_share", "master %/16", 2, Better::kLess, 0.01},
                                   {"worker_us", "worker us/beat", 1, Better::kLess},
                                   {"worker_share", "worker %/16", 2, Better::kLess, 0.01},
                                   {"trip_ms/p50", "p50 ms", 2, Better::kLess},
                                   {"trip_ms/p99", "p99 ms", 2, Better::kLess},
                                   {"trip_ms/max", "max ms", 1, Better::kLess},
                                   {"echo/trip_ms/p50", "echo p50", 2},
                                   {"echo/trip_ms/p99", "echo p99", 2},
                                   {"sent_bytes", "bytes", 0, Better::kLess},
                                   {"received_bytes", "reply", 0, Better::kLess}}};

Scenario beat_scenario(const BeatCase& one) {
  Scenario scenario;
  scenario.name = "bench-heartbeat";
  const int cores = std::max(one.containers, 1);
  scenario.emulation.core_fraction = std::clamp(1.0 / (one.workers * cores), 0.001, 0.01);
  scenario.emulation.memory_scale = 1.0 / 128;
  scenario.queues.emplace_back().name = "default";
  add_nodes(one.workers, {Millicores(cores * 1000), kTaskMemory * cores}, scenario);
  PhaseSpec phase;
  phase.name = "sleep";
  phase.tasks = std::max(one.workers * one.containers, 1);
  phase.request = {Millicores(1000), kTaskMemory};
  phase.sleep = {Drawn::Dist::kConstant, 86'400e6, 0};
  JobSpec& job = scenario.jobs.emplace_back();
  job.name = "sleepers";
  // Without containers, the run does not end because its job is submitted only after a day.
  if (one.containers == 0) job.submit = emu_seconds(86'400);
  job.phases = {std::move(phase)};
  return scenario;
}

Json beat_row(const BeatCase& one, const BeatsMeasured& m, const BeatsMeasured* echo) {
  const auto beats = static_cast<double>(m.beats);
  const double nodes = m.seconds * one.workers / kShareNodes;
  Json row = {{"worker", one.real ? "real" : "light"},
              {"transport", one.tcp ? "tcp" : "ipc"},
              {"workers", one.workers},
              {"containers", one.containers},
              {"beats", m.beats},
              {"seconds", wire::rounded(m.seconds)},
              {"master_us", ratio(m.server_cpu_s * 1e6, beats)},
              {"master_share", ratio(m.server_cpu_s, nodes)},
              {"worker_us", ratio(m.workers_cpu_s * 1e6, beats)},
              {"worker_share", one.real ? ratio(m.workers_cpu_s, nodes) : Json()},
              {"trip_ms", wire::percentiles(m.trip_ms)},
              {"answered", m.trip_ms.size()},
              {"sent_bytes", m.sent > 0 ? ratio(static_cast<double>(m.sent), beats) : Json()},
              {"received_bytes",
               ratio(static_cast<double>(m.received), static_cast<double>(m.trip_ms.size()))},
              {"echo", nullptr},
              {"x", nullptr}};
  if (!echo) return row;
  const auto echoes = static_cast<double>(echo->beats);
  row["echo"] = {{"us", ratio(echo->server_cpu_s * 1e6, echoes)},
                 {"trip_ms", wire::percentiles(echo->trip_ms)}};
  if (m.beats > 0) row["x"] = ratio(m.server_cpu_s / beats, echo->server_cpu_s / echoes);
  return row;
}

Json heartbeat_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const Json& row : rows) judge(row, aims);
  return bench_results(kHeartbeatForm, std::move(rows), std::move(aims));
}

std::unique_ptr<Bench> heartbeat_bench() { return std::make_unique<HeartbeatBench>(); }

}  // namespace heddle::bench
