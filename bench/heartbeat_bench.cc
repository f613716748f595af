#include "bench/heartbeat_bench.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <span>
#include <zmq.hpp>

#include "bench/bench.h"
#include "bench/scenarios.h"
#include "bench/workbench.h"
#include "common/file.h"
#include "common/host_clock.h"
#include "common/installed.h"
#include "common/random_id.h"
#include "common/result_files.h"
#include "net/dealer_socket.h"
#include "net/key_files.h"
#include "net/poller.h"
#include "wire/codec.h"
#include "wire/values.h"
#include "worker/effect.h"
#include "worker/link.h"
#include "yaml/write.h"

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

void judge_beats(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows) {
    const int workers = row.at("workers");
    const std::string who = std::to_string(workers) + " " + row.at("worker").get<std::string>() +
                            " workers by " + row.at("transport").get<std::string>() + ", " +
                            row.at("containers").dump() + " containers each: ";
    if (const Json& p99 = row.at("trip_ms").at("p99"); workers >= kAimWorkers && p99.is_number())
      aims.at_most(who + "p99 of round trips, ms", p99, kAimTrip_ms);
    if (workers < kShareNodes) continue;
    for (const std::string part : {"master", "worker"})
      if (const Json& value = row.at(part + "_share"); value.is_number())
        aims.at_most(who + part + "'s share of a CPU per 16 nodes", value, kAimShare);
  }
}

/// Returns the title of a case, such as "1000 workers by ipc, 50 containers each".
std::string title_of(const BeatCase& one) {
  return std::to_string(one.workers) + (one.real ? " real" : "") +
         (one.workers == 1 ? " worker" : " workers") + " by " + (one.tcp ? "tcp" : "ipc") + ", " +
         std::to_string(one.containers) + " containers each";
}

/// Measurements of a process that sends heartbeats of a worker, or messages of the same size. The
/// page is in memory shared with the process that requested the measurements.
struct BeatPage {
  static constexpr int kMostTrips = 400;
  std::atomic<bool> joined;
  std::atomic<int> containers;  ///< current number of containers
  /// Heartbeats sent while measuring. All values below also cover only this time.
  std::atomic<int> beats;
  std::atomic<int> trips;                        ///< answered heartbeats
  std::atomic<std::int64_t> sent, received;      ///< bytes of heartbeats and of their answers
  std::array<std::int64_t, kMostTrips> trip_ns;  ///< from encoding to decoding the answer

  void count_beat(std::size_t bytes) {
    ++beats;
    sent += static_cast<std::int64_t>(bytes);
  }
  void count_trip(real::Duration time, std::size_t bytes) {
    received += static_cast<std::int64_t>(bytes);
    if (trips == kMostTrips) return;
    trip_ns[trips] = time.count();
    ++trips;
  }
};

/// The pages of the workers, and whether heartbeats are being measured.
struct Board {
  Shared<std::atomic<bool>> measuring;
  Shared<BeatPage> pages;

  explicit Board(int workers) : pages(workers) {}
  bool all_have(int containers) const {
    return std::ranges::all_of(
        pages, [&](const BeatPage& page) { return page.joined && page.containers >= containers; });
  }
  void add_to(BeatsMeasured& measured) const {
    for (const BeatPage& page : pages) {
      measured.beats += page.beats;
      measured.sent += page.sent;
      measured.received += page.received;
      for (int i = 0; i < page.trips; ++i)
        measured.trip_ms.push_back(static_cast<double>(page.trip_ns[i]) / 1e6);
    }
  }
};

/// Identifies a worker without tasks and groups.
struct LightWorker {
  std::string endpoint;
  std::optional<net::CurveClient> curve;
  std::string run;
  std::string node;
};

constexpr std::uint64_t kSocketTag = 1;

std::uint64_t random_incarnation() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32 | device()) | 1;
}

/// Returns an endpoint of the same length as that of a real worker. No process connects to it.
std::string data_endpoint(const LightWorker& worker) {
  return worker.endpoint.starts_with("ipc://") ? worker.endpoint + "-data" : worker.endpoint;
}

std::string data_key(const LightWorker& worker) {
  if (!worker.curve) return "";
  const Result<net::KeyPair> made = net::make_key_pair();
  return made ? made->public_key : "";
}

/// Acts as a worker until the master dismisses it or is gone. The worker joins a run. If the master
/// tells it to launch a container, it reports the container as started. Its heartbeats have the
/// usage of all these containers. The protocol, encoding and socket are those of a real worker.
/// Heartbeats that are sent while `measuring` is true count.
class Player {
 public:
  Player(const LightWorker& worker, const std::atomic<bool>& measuring, BeatPage& page,
         net::Socket& socket, std::uint64_t incarnation)
      : measuring_(measuring),
        page_(page),
        socket_(socket),
        link_(
            {worker.run, worker.node, ::getpid(), data_endpoint(worker), data_key(worker), "", {}},
            incarnation, real::now()) {}

  void play(net::Poller& poller) {
    while (!over_) {
      const real::Time at = real::now();
      carry_out(link_.tick(at));
      if (link_.hello_due(at)) link_.hello_sent(send(link_.hello(at)) > 0, at);
      if (link_.heartbeat_due(at)) beat(at);
      bool any = false;
      while (std::optional<std::string> text = socket_.receive()) handle(*text), any = true;
      if (!any && !over_) (void)poller.wait(link_.next_due());
    }
  }

 private:
  std::size_t send(const wire::Message& message) {
    const std::string text = wire::encode(message);
    return socket_.send(text) ? text.size() : 0;
  }

  void beat(real::Time at) {
    wire::Heartbeat heartbeat = link_.heartbeat(at);
    for (auto& [id, use] : containers_) {
      use.cpu += CoreTime(12'345);
      use.progress = use.progress < 0.9 ? use.progress + 0.001234 : 0.1;
      heartbeat.containers.push_back(use);
      heartbeat.node_cpu += use.cpu;
      heartbeat.node_memory += use.memory;
    }
    heartbeat.worker_cpu_s = 0.123456;
    heartbeat.data_cpu_s = 0.012345;
    const bool counts = measuring_;
    const std::size_t bytes = send(heartbeat);
    if (!counts) return;
    page_.count_beat(bytes);
    under_way_[heartbeat.sequence] = at;
  }

  void handle(const std::string& text) {
    Result<wire::Message> message = wire::decode(text);
    if (!message) return;
    carry_out(link_.on_message(*message, real::now()));
    const auto* reply = std::get_if<wire::HeartbeatReply>(&*message);
    if (!reply) return;
    auto sent = under_way_.find(reply->sequence);
    if (sent == under_way_.end()) return;
    page_.count_trip(real::now() - sent->second, text.size());
    under_way_.erase(sent);
  }

  void carry_out(const std::vector<worker::LinkEvent>& events) {
    for (const worker::LinkEvent& event : events)
      std::visit([this](const auto& e) { on(e); }, event);
    const wire::Reports fresh = link_.take_fresh();
    if (!fresh.reports.empty()) send(fresh);
  }

  void on(const worker::Joined&) { page_.joined = true; }
  void on(const worker::Do& event) {
    const auto* launch = std::get_if<wire::LaunchCommand>(&event.command.what);
    if (!launch) return;
    containers_[launch->container] = {launch->container, CoreTime(0), launch->resources.memory};
    page_.containers = static_cast<int>(containers_.size());
    link_.report(worker::report_of(ContainerStarted{launch->container}, real::now()));
  }
  void on(const worker::Answer& event) { send(event.message); }
  void on(const worker::Clear&) {
    containers_.clear();
    link_.cleared(random_incarnation(), real::now());
  }
  void on(const worker::Leave& event) {
    send(wire::Goodbye{link_.incarnation(), event.why, 0, 0});
    over_ = true;
  }
  void on(const worker::GiveUp&) { over_ = true; }
  void on(const worker::Peers&) {}
  void on(const worker::Note&) {}
  void on(const worker::TryStart&) { send(wire::Probed{link_.incarnation(), ""}); }

  const std::atomic<bool>& measuring_;
  BeatPage& page_;
  net::Socket& socket_;
  worker::Link link_;
  std::map<ContainerId, ContainerUse> containers_;
  std::map<std::int64_t, real::Time> under_way_;
  bool over_ = false;
};

void play_light_worker(const LightWorker& worker, const std::atomic<bool>& measuring,
                       BeatPage& page) {
  const std::uint64_t incarnation = random_incarnation();
  auto socket = net::Socket::connect(worker.endpoint, worker.curve);
  auto poller = net::Poller::create();
  if (!socket || !poller || !poller->watch((*socket)->fd(), kSocketTag)) return;
  Player(worker, measuring, page, **socket, incarnation).play(*poller);
}

/// The baseline for heartbeats. Messages of the same size as heartbeats are sent over ZeroMQ alone,
/// and a ROUTER socket answers them.
struct Echo {
  std::string endpoint;
  std::size_t message = 0, answer = 0;  ///< bytes
  real::Duration period{0};
};

/// The beginning of a message, which is sent back.
struct Stamp {
  real::Time sent;
  bool counts;
};

/// Answers messages until this process is killed. REQUIRES: no other socket is bound to the
/// endpoint.
void serve_echo(const Echo& echo) {
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::router);
  socket.set(zmq::sockopt::backlog, 1024);
  socket.bind(echo.endpoint);
  for (;;) {
    zmq::message_t identity, body;
    if (!socket.recv(identity) || !socket.recv(body)) continue;
    zmq::message_t answer(std::max(echo.answer, sizeof(Stamp)));
    std::memset(answer.data(), 'x', answer.size());
    std::memcpy(answer.data(), body.data(), std::min(body.size(), sizeof(Stamp)));
    socket.send(identity, zmq::send_flags::sndmore);
    socket.send(answer, zmq::send_flags::none);
  }
}

/// Sends one message per period until this process is killed. Sends the first message after
/// `offset`.
void play_echo_worker(const Echo& echo, real::Duration offset, const std::atomic<bool>& measuring,
                      BeatPage& page) {
  zmq::context_t context{1};
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  socket.set(zmq::sockopt::reconnect_ivl, 20);
  socket.connect(echo.endpoint);
  for (real::Time due = real::now() + offset;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(due - real::now());
    zmq::pollitem_t item{socket.handle(), 0, ZMQ_POLLIN, 0};
    zmq::poll(&item, 1, std::max(left, std::chrono::milliseconds(0)));
    zmq::message_t answer;
    while (socket.recv(answer, zmq::recv_flags::dontwait)) {
      Stamp stamp;
      std::memcpy(&stamp, answer.data(), sizeof stamp);
      page.joined = true;
      if (stamp.counts) page.count_trip(real::now() - stamp.sent, answer.size());
    }
    if (real::now() < due) continue;
    due += echo.period;
    zmq::message_t message(std::max(echo.message, sizeof(Stamp)));
    std::memset(message.data(), 'x', message.size());
    const Stamp stamp{real::now(), measuring};
    std::memcpy(message.data(), &stamp, sizeof stamp);
    if (stamp.counts) page.count_beat(message.size());
    socket.send(message, zmq::send_flags::none);
  }
}

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
    return bench_results(kHeartbeatForm,
                         measure_each(
                             cases, [](const BeatCase& one) { return title_of(one); },
                             [this](const BeatCase& one) { return measure(one); }));
  }

  Json measure(const BeatCase& one) {
    const std::string dir = bench_->new_path();
    std::filesystem::create_directories(dir);
    need(replace_file(scenario_path(dir), write_scenario(beat_scenario(one))));
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
    if (board) *board->measuring = true;
    bench_->pause(std::chrono::milliseconds(std::llround(seconds_ * 1e3)));
    if (board) *board->measuring = false;
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
    const std::string log = dir + "/master.log", progress = "ipc://" + dir + "/progress",
                      control = one.tcp ? "tcp://127.0.0.1:*" : "ipc://" + dir + "/control";
    std::vector<std::string> words = {program_path("heddle-master"),
                                      scenario_path(dir),
                                      "--out",
                                      dir,
                                      "--run",
                                      worker.run,
                                      "--log",
                                      log,
                                      "--progress",
                                      progress,
                                      "--bind",
                                      control,
                                      "--die-with-parent"};
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
      workers.start([&] { play_light_worker(worker, *board.measuring, board.pages[i]); });
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
        play_echo_worker(echo, echo.period * i / one.workers, *board.measuring, board.pages[i]);
      });
    bench_->await([&] { return board.all_have(0); },
                  [&] { return server.all_run() && workers.all_run(); }, kPatience);
    return watch(
        one.workers, [&] { return server.cpu_s(); }, [&] { return workers.cpu_s(); }, &board);
  }

  /// Measures a run by `heddle run`.
  BeatsMeasured measure_real(const BeatCase& one, const std::string& dir) const {
    std::vector<std::string> words = {program_path("heddle"), "run",    scenario_path(dir), "--out",
                                      dir + "/out",           "--quiet"};
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
                                   {"received_bytes", "reply", 0, Better::kLess}},
                                  judge_beats};

Scenario beat_scenario(const BeatCase& one) {
  const int cores = std::max(one.containers, 1);
  Scenario scenario =
      scenario_of("bench-heartbeat", std::clamp(1.0 / (one.workers * cores), 0.001, 0.01),
                  1.0 / 128, one.workers, {Millicores(cores * 1000), kTaskMemory * cores});
  add_queue("default", scenario);
  PhaseSpec phase = phase_of("sleep", PhaseKind::kMap, std::max(one.workers * one.containers, 1),
                             {Millicores(1000), kTaskMemory});
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

std::unique_ptr<Bench> heartbeat_bench() { return std::make_unique<HeartbeatBench>(); }

}  // namespace heddle::bench
