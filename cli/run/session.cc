#include "cli/run/session.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <zmq.hpp>

#include "cli/base/exit_status.h"
#include "cli/run/departure.h"
#include "cli/run/ends.h"
#include "cli/run/host.h"
#include "cli/run/run_watch.h"
#include "cli/run/silence_clock.h"
#include "cli/run/start_queue.h"
#include "common/installed.h"
#include "common/result_files.h"
#include "common/signals.h"
#include "core/scenario/faults.h"
#include "host/child.h"

namespace heddle::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr int kLogLines = 5;
/// Maximum number of workers whose last output is printed. Thousands of workers can fail in the
/// same way.
constexpr int kMostWorkersTold = 10;
/// Time between two checks for silence and, while workers are being started, between two writes of
/// run.json.
constexpr auto kLook = 1s;
/// Minimum number of bytes of the journal that a resuming master reads per second. The master
/// reports nothing until it has read the whole journal.
constexpr std::uintmax_t kJournalRead = 4 << 20;
/// Workers look for a new master for this much longer than the time after which a master counts as
/// hung. The constant below is the longest time that heddle-worker accepts.
constexpr auto kFindMaster = 30s;
constexpr std::chrono::nanoseconds kLongestPatience = 24h;
/// Time in which all workers must connect again to a resumed run. The second constant is additional
/// time for each worker.
constexpr auto kReturn = 60s;
constexpr auto kReturnOfEach = 100ms;

std::vector<std::string> node_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const NodeSpec& node : scenario.cluster.nodes) names.push_back(node.name);
  return names;
}

std::vector<RunWatch::PlannedKills> kills_of_workers(const Scenario& scenario) {
  std::vector<RunWatch::PlannedKills> all;
  for (std::int64_t i = 0; i < std::ssize(scenario.cluster.nodes); ++i) {
    RunWatch::PlannedKills& kills = all.emplace_back();
    for (const std::optional<EmuTime>& after : planned_kills(scenario, NodeId{i}))
      kills.push_back(after ? std::optional(scenario.scale().to_real(*after)) : std::nullopt);
  }
  return all;
}

std::string whole_seconds(std::chrono::nanoseconds time) {
  return std::to_string(std::chrono::ceil<std::chrono::seconds>(time).count());
}

struct Session {
  Session(const Scenario& s, const host::RunDirectory& d, const SessionOptions& o, int signal_fd)
      : scenario(s),
        dir(d),
        options(o),
        signals(signal_fd),
        workers(options.bind.empty() ? s.cluster.nodes.size() : 0),
        watch(options.bind.empty() ? node_names(s) : std::vector<std::string>(),
              options.bind.empty() ? kills_of_workers(s) : std::vector<RunWatch::PlannedKills>()),
        starts(workers, starts_at_once(workers)),
        master_silent(hang_limit(s.scale().to_real(s.cluster.heartbeat)), Clock::now()),
        nobody_left(master_silent.limit(), Clock::now()),
        screen(options.screen, options.title),
        progress(context, zmq::socket_type::sub) {}

  ~Session() {
    for (host::Child& child : children) child.signal(SIGKILL);
    for (host::Child& child : children) child.wait();
    host::reap_orphans();
  }

  Result<void> start() {
    if (options.foresight && options.foresight->fd() < 0) begin_forecast();
    HEDDLE_TRY(ends.open());
    // The processes are recorded before the first one exists, so `heddle clean` knows every group.
    HEDDLE_TRY(note_processes());
    HEDDLE_TRY(start_master());
    if (!options.bind.empty()) {
      const std::size_t nodes = scenario.cluster.nodes.size();
      say("run " + dir.run() + " waits for " + std::to_string(nodes) +
          (nodes == 1 ? " worker" : " workers") + ": heddle-worker --connect " + options.bind);
    }
    HEDDLE_TRY(note_processes());
    progress.set(zmq::sockopt::subscribe, "");
    progress.set(zmq::sockopt::linger, 0);
    progress.connect(dir.progress_endpoint());
    return {};
  }

  int watch_processes() {
    if (options.resume) master_silent.heard(Clock::now(), time_to_recover());
    while (!watch.over()) {
      start_workers();
      wait_for_events();
      while (next_signal(signals) != 0) carry_out(watch.on_signal(Clock::now()));
      if (options.foresight && options.foresight->take()) begin_forecast();
      take_progress();
      take_ends();
      carry_out(watch.on_time(Clock::now()));
      look_for_silence();
    }
    take_progress();
    screen.finish(Clock::now());
    return watch.status();
  }

  /// Starts the master. If an earlier `heddle run` has ended, its workers have died with it.
  /// Therefore a resumed run starts new workers as usual.
  Result<void> start_master() {
    if (!options.resume) return keep(0, spawn_master({}));
    const auto limit = kReturn + kReturnOfEach * std::ssize(scenario.cluster.nodes);
    return keep(0, spawn_master({"--resume", "--return-within", whole_seconds(limit)}));
  }

  Result<host::Child> spawn_master(const std::vector<std::string>& more) {
    std::vector<std::string> words = {program_path("heddle-master"),
                                      scenario_path(options.out),
                                      "--out",
                                      options.out,
                                      "--bind",
                                      options.bind.empty() ? dir.control_endpoint() : options.bind,
                                      "--progress",
                                      dir.progress_endpoint(),
                                      "--run",
                                      dir.run(),
                                      "--journal",
                                      options.journal,
                                      "--die-with-parent",
                                      "--log",
                                      options.out + "/logs/master.log"};
    words.insert(words.end(), options.master_options.begin(), options.master_options.end());
    words.insert(words.end(), more.begin(), more.end());
    return host::Child::spawn(words, dir.lock());
  }

  Result<host::Child> spawn_worker(const std::string& node) {
    std::vector<std::string> words = {
        program_path("heddle-worker"),
        "--connect",
        dir.control_endpoint(),
        "--run",
        dir.run(),
        "--node",
        node,
        "--cgroup",
        options.cgroup,
        "--patience",
        whole_seconds(std::min(master_silent.limit() + kFindMaster, kLongestPatience)),
        "--die-with-parent",
        "--log",
        options.out + "/logs/worker-" + node + ".log"};
    words.insert(words.end(), options.worker_options.begin(), options.worker_options.end());
    return host::Child::spawn(words, dir.lock());
  }

  void restart_master() {
    take_progress();  // the last messages of the master that has ended
    screen.on_new_master();
    master_speaks = false;
    Result<void> started = keep(0, spawn_master({"--resume"}));
    master_silent.heard(Clock::now(), time_to_recover());
    if (started) return note();
    tell(started.error().text);
    carry_out(watch.on_master_end(host::ChildEnd{kExitMachine, false}, Clock::now()));
  }

  /// Returns how long a resuming master can need for the journal. If a program decides, the master
  /// asks it again for every recorded decision, which takes no longer than the run has taken.
  std::chrono::nanoseconds time_to_recover() const {
    namespace fs = std::filesystem;
    std::error_code error;
    const std::uintmax_t size = fs::file_size(journal_path(options.out), error);
    std::chrono::nanoseconds time = std::chrono::seconds(error ? 0 : size / kJournalRead);
    if (!scenario.policy.external) return time;
    const auto began = fs::last_write_time(scenario_path(options.out), error);
    if (error) return time;
    const auto last = fs::last_write_time(journal_path(options.out), error);
    return error || last < began ? time : time + (last - began);
  }

  void restart_worker(std::size_t node) {
    Result<void> started = keep(node + 1, spawn_worker(scenario.cluster.nodes[node].name));
    if (started)
      note();
    else
      cannot_start(node, started.error());
  }

  void cannot_start(std::size_t node, const Error& error) {
    tell(error.text);
    carry_out(watch.on_worker_end(node, host::ChildEnd{kExitMachine, false}, Clock::now()));
  }

  /// Starts the next few workers, if any are left.
  void start_workers() {
    if (watch.ending() || starts.done()) return;
    for (std::size_t node : starts.take()) {
      Result<void> started = keep(children.size(), spawn_worker(scenario.cluster.nodes[node].name));
      if (!started) return cannot_start(node, started.error());
      watch.on_started(node);
    }
    if (!starts.done() && Clock::now() < note_at) return;
    note_at = Clock::now() + kLook;
    note();
  }

  /// Stores the child at `index`: after the other children, or in the place of a child that has
  /// ended.
  Result<void> keep(std::size_t index, Result<host::Child> child) {
    if (!child) return std::move(child).error();
    if (index < children.size())
      children[index] = *std::move(child);
    else
      children.push_back(*std::move(child));
    return ends.watch(children[index], index);
  }

  void note() {
    if (Result<void> noted = note_processes(); !noted) tell(noted.error().text);
  }

  Result<void> note_processes() {
    host::RunRecord record{dir.run(), options.cgroup, options.out, {}};
    for (std::size_t i = 0; i < children.size(); ++i)
      if (auto mark = host::mark_of(children[i].pid(), i == 0 ? "heddle-master" : "heddle-worker"))
        record.processes.push_back(*mark);
    return dir.write(record);
  }

  // children[0] is the master, children[i + 1] the worker of node i.

  void wait_for_events() {
    std::vector<zmq::pollitem_t> items = {{progress.handle(), 0, ZMQ_POLLIN, 0},
                                          {nullptr, signals, ZMQ_POLLIN, 0},
                                          {nullptr, ends.fd(), ZMQ_POLLIN, 0}};
    if (options.foresight && options.foresight->fd() >= 0)
      items.push_back({nullptr, options.foresight->fd(), ZMQ_POLLIN, 0});
    std::chrono::milliseconds wait = kLook;
    if (auto next = watch.next_time())
      wait = std::clamp<std::chrono::milliseconds>(
          std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()), 0ms, kLook);
    if (starts.ready() && !watch.ending()) wait = 0ms;
    try {
      zmq::poll(items, wait);
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }

  void take_progress() {
    zmq::message_t message;
    while (progress.recv(message, zmq::recv_flags::dontwait)) {
      Result<wire::Progress> news = wire::progress_from_json(message.to_string_view());
      if (!news || news->nodes.size() != scenario.cluster.nodes.size()) continue;
      master_silent.heard(Clock::now());
      master_speaks = true;
      // Only workers that this process started.
      for (std::size_t i = 0; i + 1 < children.size(); ++i) {
        if (news->nodes[i].state == "waiting") continue;
        watch.on_registered(i);
        starts.settled(i);
      }
      screen.show(*news, Clock::now());
      if (!departures) continue;
      if (const std::optional<std::string> sentence = departures->note(*news, foreign_cpu))
        tell(*sentence);
    }
  }

  /// Prints the forecast, which has just become ready, and compares the run with it from now on.
  void begin_forecast() {
    for (const std::string& line : options.foresight->lines()) tell("forecast: " + line);
    const Outlook* outlook = options.foresight->outlook();
    if (!outlook) return;
    screen.expect(outlook->forecast.work, outlook->time_scale);
    departures.emplace(outlook->forecast, outlook->time_scale);
    if (!options.containers_cpu_s) return;
    foreign_cpu = [live = LiveForeignCpu([this] { return run_cpu_s(); })] { return live.share(); };
  }

  /// Returns the CPU seconds of the containers and of the living processes that started them.
  std::optional<double> run_cpu_s() const {
    std::optional<double> sum = options.containers_cpu_s();
    if (!sum) return sum;
    *sum += our_cpu_s();
    for (const host::Child& child : children)
      if (child.running()) *sum += process_cpu_s(child.pid());
    return sum;
  }

  void take_ends() {
    for (std::size_t i : ends.take()) {
      host::Child& child = children[i];
      if (!child.reap()) continue;
      ends.forget(child);
      // The values are copied because the child can be replaced.
      const host::ChildEnd end = *child.end();
      const std::string words = child.last_words(kLogLines);
      const bool was_asked = asked_to_end;
      if (i > 0) starts.settled(i - 1);
      carry_out(i == 0 ? watch.on_master_end(end, Clock::now())
                       : watch.on_worker_end(i - 1, end, Clock::now()));
      if (end == host::ChildEnd{kExitDone, false} || was_asked) continue;
      // If the process has written something, this explains its end best, so nothing else is
      // printed.
      if (i == 0 && words.empty() && !end.signal) tell("the master ended: " + host::describe(end));
      if (i == 0 || ++workers_told <= kMostWorkersTold) tell(words);
    }
  }

  /// Checks whether the master hangs, and whether the run has no workers left.
  void look_for_silence() {
    const Clock::time_point now = Clock::now();
    if (watch.ending()) return;
    if (!watch.no_workers()) nobody_left.heard(now);
    // The master would wait for workers to come back. A restarted one must be told again. It takes
    // the signal from the time on at which it reports progress.
    if (watch.no_workers() && master_speaks) children[0].signal(SIGUSR1);
    if (nobody_left.over(now)) carry_out(watch.on_no_workers(nobody_left.limit(), now));
    if (!master_silent.over(now)) return;
    carry_out(watch.on_hung_master(master_silent.limit()));
    master_silent.heard(now);  // until its end is noticed
  }

  void carry_out(const RunWatch::Asked& asked) {
    for (const std::string& sentence : asked.sentences) tell(sentence);
    for (std::size_t node : asked.restarts) restart_worker(node);
    for (Deed deed : asked.deeds) {
      if (deed == Deed::kRestartMaster) {
        restart_master();
        continue;
      }
      if (deed == Deed::kKillMaster) {
        children[0].signal(SIGKILL);
        continue;
      }
      asked_to_end = true;
      const bool to_master = deed == Deed::kTerminateMaster || deed == Deed::kKillAll;
      const bool to_workers = deed != Deed::kTerminateMaster;
      const bool kill = deed == Deed::kKillAll || deed == Deed::kKillWorkers;
      const int number = kill ? SIGKILL : SIGTERM;
      for (std::size_t i = 0; i < children.size(); ++i)
        if (i == 0 ? to_master : to_workers) children[i].signal(number);
    }
  }

  void tell(const std::string& text) {
    if (text.empty()) return;
    screen.clear();
    say(text);
  }

  const Scenario& scenario;
  const host::RunDirectory& dir;
  const SessionOptions& options;
  int signals;
  std::size_t workers;  ///< number of workers that are to be started here
  std::vector<host::Child> children;
  Ends ends;
  RunWatch watch;
  StartQueue starts;
  SilenceClock master_silent;
  SilenceClock nobody_left;  ///< measures how long there has been no worker
  Clock::time_point note_at;
  Screen screen;
  std::optional<DepartureWatch> departures;  ///< set while there is a forecast
  DepartureWatch::ForeignShare foreign_cpu;  ///< set while it can be measured
  zmq::context_t context{1};
  zmq::socket_t progress;
  bool asked_to_end = false;
  bool master_speaks = false;  ///< the present master has reported progress
  int workers_told = 0;
};

}  // namespace

Result<int> run_session(const Scenario& scenario, const host::RunDirectory& dir,
                        const SessionOptions& options, int signals) {
  Session session(scenario, dir, options, signals);
  HEDDLE_TRY(session.start());
  return session.watch_processes();
}

}  // namespace heddle::cli
