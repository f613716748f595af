#include "worker/agent.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <random>
#include <utility>

#include "common/exit_status.h"
#include "common/host_clock.h"
#include "common/log/log.h"
#include "common/overloads.h"
#include "common/own_usage.h"
#include "common/signals.h"
#include "core/scenario/words.h"
#include "host/host_resources.h"
#include "wire/codec.h"
#include "worker/freeze.h"
#include "worker/host_limits.h"

namespace heddle::worker {
namespace {

constexpr std::uint64_t kSocket = Node::kFirstFree;
constexpr std::uint64_t kSignals = Node::kFirstFree + 1;
/// Number of messages that are handled before signals and processes are looked at again. A master
/// that sends without a pause must not keep the worker from ending.
constexpr int kMostMessages = 64;
/// kLeaveLimit is how long the worker waits for killed tasks to end before it removes their groups
/// anyway. kTeardownLimit is how long the removal can take. Both are short, because Ctrl-C must
/// finish within two seconds.
constexpr real::Duration kLeaveLimit = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kTeardownLimit{700};

std::uint64_t random_incarnation() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32 | device()) | 1;
}

}  // namespace

Agent::Agent(cgroup::Driver& driver, const AgentOptions& options, net::Poller poller,
             Launcher launcher)
    : driver_(driver),
      options_(options),
      poller_(std::move(poller)),
      launcher_(std::move(launcher)) {}

Result<std::unique_ptr<Agent>> Agent::create(cgroup::Driver& driver, const AgentOptions& options) {
  CacheDropper::allow_interruption();
  // Create the launcher before anything that opens descriptors, because it reserves the numbers of
  // the tasks' descriptors.
  Result<Launcher> launcher = Launcher::create();
  if (!launcher) return std::move(launcher).error();
  Result<net::Poller> poller = net::Poller::create();
  if (!poller) return std::move(poller).error();
  std::unique_ptr<Agent> agent(
      new Agent(driver, options, *std::move(poller), *std::move(launcher)));
  HEDDLE_TRY(agent->prepare());
  return agent;
}

Result<void> Agent::prepare() {
  signals_ = signals_to_read(kEndSignals);
  if (!signals_) return system_error("make a signal descriptor", errno);
  HEDDLE_TRY(put(StartThread::run(launcher_), starts_));
  if (options_.data.starts_with("tcp://")) {
    Result<net::KeyPair> pair = net::make_key_pair();
    if (!pair) return std::move(pair).error();
    data_keys_ = net::CurveServer{*pair};
  }
  std::uint64_t incarnation = random_incarnation();
  HEDDLE_TRY(put(net::Socket::connect(options_.endpoint, options_.curve), socket_));
  link_ = std::make_unique<Link>(
      Link::Identity{.run = options_.run,
                     .node = options_.node,
                     .pid = ::getpid(),
                     .data = options_.data,
                     .data_key = data_keys_ ? data_keys_->own.public_key : "",
                     .clock = options_.clock,
                     .host = options_.host,
                     .join_patience = options_.join_patience,
                     .same_machine = options_.endpoint.starts_with("ipc://")},
      incarnation, real::now());
  HEDDLE_TRY(poller_.watch(socket_->fd(), kSocket));
  return poller_.watch(signals_.get(), kSignals);
}

int Agent::run() {
  for (;;) {
    act();
    if (status_ && (idle() || real::now() >= leave_by_)) break;
    // Before waiting, receive until there is no message (Socket::fd).
    if (!receive()) wait();
  }
  remove_node();
  send(wire::Goodbye{link_->incarnation(), why_, own_cpu_s(), data_cpu_s()});
  return *status_;
}

bool Agent::receive() {
  for (int i = 0; i < kMostMessages; ++i) {
    if (take_signals()) return true;
    const std::optional<std::string> text = socket_->receive();
    if (!text) return i > 0;
    if (!faults_.is_cut_off(real::now())) handle(*text);
  }
  return true;
}

bool Agent::take_signals() {
  bool any = false;
  while (const int signal = next_signal(signals_.get())) {
    leave(0, fmt::format("signal {}", signal), false);
    any = true;
  }
  return any;
}

void Agent::handle(const std::string& text) {
  Result<wire::Message> message = wire::decode(text);
  if (message) {
    carry_out(link_->on_message(*message, real::now()));
    return;
  }
  log_error(fmt::format("invalid message from the master: {}", message.error().text));
  send(wire::ErrorMessage{message.error().text, false});
}

void Agent::carry_out(const std::vector<LinkEvent>& events) {
  for (const LinkEvent& event : events)
    std::visit(Overloads{[&](const Joined& joined) { join(joined.welcome); },
                         [&](const Do& told) { obey(told.command); },
                         [&](const Peers& peers) {
                           if (data_) data_->peers(peers.data, peers.keys);
                         },
                         [&](const Clear& clear) {
                           log_warning(fmt::format("{}: killing all tasks", clear.why));
                           clearing_ = true;
                           if (node_) node_->kill_all();
                         },
                         [&](const Answer& answer) { send(answer.message); },
                         [&](const Leave& told) { leave(0, told.why, true); },
                         [&](const GiveUp& given) {
                           leave(4,
                                 given.why + (told_cut_off_ ? ": " + cut_off()
                                                            : " (" + options_.endpoint + ")"),
                                 false);
                         },
                         [&](const Note& note) { log_warning(note.text); },
                         [&](const TryStart&) {
                           if (node_ && !status_)
                             send(wire::Probed{link_->incarnation(), node_->probe()});
                         }},
               event);
}

void Agent::join(const wire::Welcome& welcome) {
  if (status_) return;
  scale_ = welcome.scale;
  faults_.set({});
  if (Result<void> made = make_node(welcome); !made) {
    leave(made.error().kind == Error::Kind::kMachine ? 3 : 4, made.error().text, false);
    return;
  }
  log_info(fmt::format("joined run {} as node {}: a heartbeat every {:.3f} s", link_->run(),
                       link_->node(),
                       std::chrono::duration<double>(heartbeat_period(welcome)).count()));
}

Result<void> Agent::make_node(const wire::Welcome& welcome) {
  const HostResources host = host::host_capacity();
  HEDDLE_TRY(check_node(welcome, host));
  if (options_.place)
    HEDDLE_TRY(put(options_.place(link_->run(), link_->node()), options_.scratch));
  DataOptions options = data_options(welcome, options_.data, options_.scratch);
  options.curve = data_keys_;
  options.listening = options_.data_socket;
  Result<std::unique_ptr<DataService>> data = DataService::start(options);
  if (!data) return std::move(data).error().in("the data service");
  data_ = *std::move(data);
  return put(Node::create({.driver = driver_,
                           .launcher = launcher_,
                           .starts = *starts_,
                           .poller = poller_,
                           .run = link_->run(),
                           .task_program = options_.task_program,
                           .commands = options_.commands,
                           .data = *data_,
                           .host = host},
                          welcome),
             node_);
}

void Agent::obey(const wire::Command& command) {
  if (!node_ || status_) return;
  if (const auto* fault = std::get_if<wire::FaultCommand>(&command.what))
    bring_about(*fault);
  else
    node_->command(command);
}

void Agent::bring_about(const wire::FaultCommand& fault) {
  log_warning(fmt::format("fault: {}", word_of(fault.kind)));
  const real::Duration length = scale_.to_real(fault.lasts);
  if (fault.kind == FaultKind::kKillWorker) {
    ::raise(SIGKILL);
  } else if (fault.kind == FaultKind::kFreezeWorker) {
    if (Result<void> frozen = freeze_ourselves(length); !frozen)
      log_error(fmt::format("freeze: {}", frozen.error().text));
    link_->unfrozen(real::now());
  } else if (fault.kind == FaultKind::kPartition) {
    faults_.cut_off(real::now() + length);
    link_->look_for_master(real::now() + length + kJoinPatience);
    data_->cut_off(true);
  } else {
    faults_.set(fault.conditions.beats);
    data_->disk_full(fault.conditions.disk_full);
    node_->set_speed(fault.conditions.speed);
  }
}

void Agent::go_on_after_faults(real::Time at) {
  if (faults_.take_reconnected(at) && data_) data_->cut_off(false);
  for (const std::string& heartbeat : faults_.take_held(at))
    if (!faults_.is_cut_off(at)) socket_->send(heartbeat);
}

void Agent::leave(int status, const std::string& why, bool telling) {
  if (status_) return;
  status_ = status;
  why_ = why;
  telling_ = telling;
  leave_by_ = real::now() + kLeaveLimit;
  if (status == 0)
    log_info(fmt::format("leaving: {}", why));
  else
    log_error(fmt::format("leaving: {}", why));
  if (node_) node_->kill_all();
}

void Agent::act() {
  if (node_) node_->work();
  send_reports();
  if (status_) return;
  finish_clearing();
  real::Time at = real::now();
  go_on_after_faults(at);
  carry_out(link_->tick(at));
  check_handshake();
  if (link_->hello_due(at)) link_->hello_sent(send(link_->hello(at)), at);
  send_heartbeat(at);
}

void Agent::finish_clearing() {
  if (!clearing_ || !idle()) return;
  clearing_ = false;
  remove_node();
  link_->cleared(random_incarnation(), real::now());
}

void Agent::remove_node() {
  if (node_) {
    if (Result<void> done = node_->teardown(kTeardownLimit); !done)
      log_error(fmt::format("remove the groups: {}", done.error().text));
    node_.reset();
  }
  former_data_cpu_s_ = data_cpu_s();
  data_.reset();
}

double Agent::data_cpu_s() const { return former_data_cpu_s_ + (data_ ? data_->cpu_s() : 0); }

std::string Agent::cut_off() const {
  return options_.endpoint +
         " breaks off the handshake; expected a master with the public key that our key file has";
}

void Agent::check_handshake() {
  const net::Socket::Handshake handshake = socket_->handshake();
  if (handshake == net::Socket::Handshake::kCutOff && !std::exchange(told_cut_off_, true))
    log_warning(cut_off());
  if (handshake == net::Socket::Handshake::kGood) told_cut_off_ = false;
  if (handshake != net::Socket::Handshake::kRefused) return;
  leave(kExitUsage,
        "the master at " + options_.endpoint + " does not admit our key " +
            options_.curve->own.public_key +
            " (heddle keys list on its host lists the admitted keys)",
        false);
}

void Agent::send_reports() {
  if (!node_) return;
  for (wire::Report& report : node_->take_reports())
    if (telling_) link_->report(std::move(report));
  // While another start is under way, its report or an end soon follows.
  if (node_->starting() && real::now() < link_->reports_due()) return;
  wire::Reports fresh = link_->take_fresh();
  // If sending fails, the next heartbeat repeats the reports.
  if (!fresh.reports.empty()) send(fresh);
}

void Agent::send_heartbeat(real::Time at) {
  if (!node_ || !link_->heartbeat_due(at)) return;
  wire::Heartbeat heartbeat = link_->heartbeat(at);
  node_->measure(heartbeat);
  heartbeat.worker_cpu_s = own_cpu_s();
  heartbeat.data_cpu_s = data_cpu_s();
  const real::Time sent = real::now();  // measuring took some time
  heartbeat.monotonic_ns = sent.time_since_epoch().count();
  heartbeat.late += sent - at;
  for (const std::string& line : data_->take_refusals()) log_warning(line);
  const BeatFate fate = faults_.next_fate();
  if (fate.lost) return;
  for (int i = 0; i < (fate.twice ? 2 : 1); ++i)
    if (fate.delay > EmuTime(0))
      faults_.hold(wire::encode(heartbeat), at + scale_.to_real(fate.delay));
    else if (send(heartbeat) && !faults_.is_cut_off(at))
      link_->heartbeat_delivered(at);
}

bool Agent::send(const wire::Message& message) {
  if (faults_.is_cut_off(real::now())) return true;  // as if the message were lost on the way
  return socket_->send(wire::encode(message));
}

real::Time Agent::next_due() const {
  real::Time next = status_ ? leave_by_ : std::min(link_->next_due(), faults_.next_due());
  return node_ ? std::min({next, node_->next_due(), link_->reports_due()}) : next;
}

void Agent::wait() {
  Result<std::vector<std::uint64_t>> ready = poller_.wait(next_due());
  if (!ready) {
    leave(4, ready.error().text, false);
    return;
  }
  for (std::uint64_t tag : *ready) {
    if (node_ && tag != kSignals) node_->on_ready(tag);  // receive() takes the signals
  }
}

}  // namespace heddle::worker
