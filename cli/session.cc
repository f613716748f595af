#include "cli/session.h"

#include <csignal>
#include <filesystem>
#include <zmq.hpp>

#include "cli/children.h"
#include "cli/exit_status.h"
#include "cli/run_watch.h"
#include "cli/signals.h"
#include "core/scenario/faults.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLogLines = 5;

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

bool ended_well(const ChildEnd& end) {
  return !end.signal &&
         (end.code == kExitDone || end.code == kExitJobFailed || end.code == kExitInterrupted);
}

}  // namespace

struct Session::State {
  State(const Scenario& s, const RunDir& d, SessionOptions o, int signal_fd)
      : scenario(s),
        dir(d),
        options(std::move(o)),
        signals(signal_fd),
        watch(options.bind.empty() ? node_names(s) : std::vector<std::string>(),
              options.bind.empty() ? kills_of_workers(s) : std::vector<RunWatch::PlannedKills>()),
        screen(options.screen, options.title),
        progress(context, zmq::socket_type::sub) {}

  /// Workers that a CLI before us had died with it; how long new ones may take is as in any start.
  Result<void> start_master() {
    if (!options.resume) return keep(spawn_master({}));
    return keep(spawn_master({"--resume", "--return-within", "60"}));
  }

  Result<Child> spawn_master(const std::vector<std::string>& more) {
    std::vector<std::string> words = {beside_us("heddle-master"),
                                      options.out + "/scenario.yaml",
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
    return Child::spawn(words, dir.lock());
  }

  Result<void> start_worker(const std::string& node) { return keep(spawn_worker(node)); }

  Result<Child> spawn_worker(const std::string& node) {
    std::vector<std::string> words = {beside_us("heddle-worker"),
                                      "--connect",
                                      dir.control_endpoint(),
                                      "--run",
                                      dir.run(),
                                      "--node",
                                      node,
                                      "--cgroup",
                                      options.cgroup,
                                      "--die-with-parent",
                                      "--log",
                                      options.out + "/logs/worker-" + node + ".log"};
    words.insert(words.end(), options.worker_options.begin(), options.worker_options.end());
    return Child::spawn(words, dir.lock());
  }

  void restart_master() {
    Result<Child> child = spawn_master({"--resume"});
    if (child) {
      children[0] = *std::move(child);
      if (Result<void> noted = note_processes(); !noted) tell(noted.error().text);
      return;
    }
    tell(child.error().text);
    carry_out(watch.on_master_end(ChildEnd{kExitMachine, false}, Clock::now()));
  }

  void restart_worker(std::size_t node) {
    Result<Child> child = spawn_worker(scenario.cluster.nodes[node].name);
    if (child) {
      children[node + 1] = *std::move(child);
      if (Result<void> noted = note_processes(); !noted) tell(noted.error().text);
      return;
    }
    tell(child.error().text);
    carry_out(watch.on_worker_end(node, ChildEnd{kExitMachine, false}, Clock::now()));
  }

  Result<void> keep(Result<Child> child) {
    if (!child) return std::move(child).error();
    children.push_back(*std::move(child));
    return {};
  }

  Result<void> note_processes() {
    RunRecord record{dir.run(), options.cgroup, options.out, {}};
    for (std::size_t i = 0; i < children.size(); ++i)
      if (auto mark = mark_of(children[i].pid(), i == 0 ? "heddle-master" : "heddle-worker"))
        record.processes.push_back(*mark);
    return dir.write(record);
  }

  // children[0] is the master, children[i + 1] the worker of node i.

  void wait_for_news() {
    std::vector<zmq::pollitem_t> items = {{progress.handle(), 0, ZMQ_POLLIN, 0},
                                          {nullptr, signals, ZMQ_POLLIN, 0}};
    for (const Child& child : children)
      if (child.running()) items.push_back({nullptr, child.pidfd(), ZMQ_POLLIN, 0});
    std::chrono::milliseconds wait{-1};
    if (auto next = watch.next_time())
      wait = std::max(std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now()),
                      std::chrono::milliseconds(0));
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
      // Our own workers.
      for (std::size_t i = 0; i + 1 < children.size(); ++i)
        if (news->nodes[i].state != "waiting") watch.on_registered(i);
      screen.show(*news, Clock::now());
    }
  }

  void take_ends() {
    for (std::size_t i = 0; i < children.size(); ++i) {
      Child& child = children[i];
      if (!child.reap()) continue;
      bool was_asked = asked_to_end;
      carry_out(i == 0 ? watch.on_master_end(*child.end(), Clock::now())
                       : watch.on_worker_end(i - 1, *child.end(), Clock::now()));
      // What it said itself is the best explanation there is.
      if (!ended_well(*child.end()) && !was_asked) tell(child.last_words(kLogLines));
    }
  }

  void carry_out(const RunWatch::Asked& asked) {
    for (const std::string& sentence : asked.sentences) tell(sentence);
    for (std::size_t node : asked.restarts) restart_worker(node);
    for (Deed deed : asked.deeds) {
      if (deed == Deed::kRestartMaster) {
        restart_master();
        continue;
      }
      asked_to_end = true;
      bool master = deed != Deed::kTerminateWorkers;
      bool workers = deed != Deed::kTerminateMaster;
      int number = deed == Deed::kKillAll ? SIGKILL : SIGTERM;
      for (std::size_t i = 0; i < children.size(); ++i)
        if (i == 0 ? master : workers) children[i].signal(number);
    }
  }

  void tell(const std::string& text) {
    if (text.empty()) return;
    screen.clear();
    say(text);
  }

  const Scenario& scenario;
  const RunDir& dir;
  SessionOptions options;
  int signals;
  std::vector<Child> children;
  RunWatch watch;
  Screen screen;
  zmq::context_t context{1};
  zmq::socket_t progress;
  bool asked_to_end = false;
};

Session::Session(const Scenario& scenario, const RunDir& dir, SessionOptions options, int signals)
    : state_(std::make_unique<State>(scenario, dir, std::move(options), signals)) {}

Session::~Session() {
  for (Child& child : state_->children) child.signal(SIGKILL);
  for (Child& child : state_->children) child.wait();
  reap_orphans();
}

Result<void> Session::start() {
  State& state = *state_;
  // Noted before the first process is there, so that no group is ever unknown to `heddle clean`.
  HEDDLE_TRY(state.note_processes());
  HEDDLE_TRY(state.start_master());
  if (state.options.bind.empty()) {
    for (const NodeSpec& node : state.scenario.cluster.nodes)
      HEDDLE_TRY(state.start_worker(node.name));
  } else {
    const std::size_t nodes = state.scenario.cluster.nodes.size();
    say("run " + state.dir.run() + " waits for " + std::to_string(nodes) +
        (nodes == 1 ? " worker" : " workers") + ": heddle-worker --connect " + state.options.bind);
  }
  HEDDLE_TRY(state.note_processes());
  state.progress.set(zmq::sockopt::subscribe, "");
  state.progress.set(zmq::sockopt::linger, 0);
  state.progress.connect(state.dir.progress_endpoint());
  return {};
}

int Session::watch() {
  State& state = *state_;
  while (!state.watch.over()) {
    state.wait_for_news();
    while (read_signal(state.signals)) state.carry_out(state.watch.on_signal(Clock::now()));
    state.take_progress();
    state.take_ends();
    state.carry_out(state.watch.on_time(Clock::now()));
  }
  state.screen.clear();
  return state.watch.status();
}

std::string beside_us(const std::string& program) {
  std::error_code error;
  std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? program : (self.parent_path() / program).string();
}

}  // namespace heddle
