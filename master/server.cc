#include "master/server.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>
#include <zmq.hpp>

#include "common/fd.h"
#include "common/host_clock.h"
#include "common/listener.h"
#include "common/log/log.h"
#include "common/own_usage.h"
#include "common/result_files.h"
#include "common/signals.h"
#include "master/admission.h"
#include "master/run_files.h"
#include "master/silence.h"
#include "net/backlog_watch.h"
#include "net/data_address.h"
#include "net/peer_limits.h"
#include "net/peer_name.h"
#include "net/refusal_log.h"
#include "wire/codec.h"

namespace heddle::master {
namespace {

using namespace std::chrono_literals;

constexpr auto kProgressInterval = 200ms;
/// Publishing the progress of thousands of nodes is expensive, so the interval grows until
/// publishing takes at most 2 % of the time.
constexpr int kProgressShare = 50;
/// The interval is less than 30 s, because `heddle run` assumes that a master hangs if it is silent
/// for 30 s (cli/run/silence_clock.h).
constexpr auto kLongestProgressInterval = 5s;
/// Number of connections that can wait to be accepted, such as when many workers start.
constexpr int kBacklog = 1024;
/// Number of messages of one worker that can wait here to be handled. Over ipc, further messages
/// wait in the worker's memory and in the kernel. Over TCP, a connection is closed if more bytes
/// wait than such messages can have.
constexpr int kQueued = 16;
constexpr std::uint64_t kQueuedBytes = kQueued * wire::kMaxToMaster;
/// Bytes that an observer can send. It sends subscriptions, which nobody takes from the socket.
constexpr std::uint64_t kFromObserver = 64 << 10;
/// Number of messages that can wait for one worker to read them. Further messages are lost, and the
/// master sends their commands again later.
constexpr int kUnread = 1000;
/// Number of progress messages that can wait for an observer. In a run of thousands of nodes, each
/// message has some MiB.
constexpr int kUnseen = 16;
constexpr std::int64_t kSubscription = 256;
/// Largest number of messages that are handled before their effects are written and sent. One write
/// then serves many messages, and a reply waits for at most this number of messages.
constexpr int kBatch = 16;

/// Binds a socket. Only peers that `admission` admits can connect by tcp://.
Result<void> bind(zmq::socket_t& socket, const std::string& endpoint, Admission* admission,
                  const char* domain) {
  if (admission && endpoint.starts_with("tcp://")) {
    admission->guard(socket, domain);
    net::BacklogWatch::prepare(socket);
  }
  // libzmq would take the path from that process.
  if (is_listened_on(endpoint)) return system_error("listen on " + endpoint, EADDRINUSE);
  socket.set(zmq::sockopt::linger, 500);
  socket.set(zmq::sockopt::backlog, kBacklog);
  try {
    socket.bind(endpoint);
  } catch (const zmq::error_t& error) {
    return machine_error("listen on " + endpoint + ": " + error.what());
  }
  // The system can have chosen the port.
  log_info(fmt::format("{} at {}", domain, socket.get(zmq::sockopt::last_endpoint)));
  return {};
}

/// Returns the message. If messages of its kind have the time of sending, sets it to the current
/// time.
wire::Message stamped(wire::Message message) {
  const std::int64_t at = real::now().time_since_epoch().count();
  if (auto* welcome = std::get_if<wire::Welcome>(&message)) welcome->master_ns = at;
  if (auto* reply = std::get_if<wire::HeartbeatReply>(&message)) reply->master_ns = at;
  return message;
}

/// Carries out the effects of a LiveRun on files and sockets.
class Server {
 public:
  Server(LiveRun& run, RunFiles files, std::size_t nodes, PolicyClient* policy)
      : run_(run),
        policy_(policy),
        files_(std::move(files)),
        control_(context_, zmq::socket_type::router),
        progress_(context_, zmq::socket_type::pub),
        limits_(nodes) {
    control_.set(zmq::sockopt::maxmsgsize,
                 static_cast<std::int64_t>(wire::kMaxToMaster) + net::kCurveBytes);
    control_.set(zmq::sockopt::rcvhwm, kQueued);
    control_.set(zmq::sockopt::sndhwm, kUnread);
    // A connection keeps the id that the socket has made for it, and no other connection can take
    // over the id. A worker that reconnects gets a new id (NodeLinks::reconnected).
    control_.set(zmq::sockopt::router_handover, false);
    // An observer that does not read misses messages. Observers send only subscriptions.
    progress_.set(zmq::sockopt::sndhwm, kUnseen);
    progress_.set(zmq::sockopt::maxmsgsize, kSubscription + net::kCurveBytes);
  }

  Result<RunStatus> serve(const ServerOptions& options, const Effects& first) {
    Fd signals = signals_to_read({SIGINT, SIGTERM, SIGUSR1});
    HEDDLE_TRY(open(options));
    carry_out(first);
    seen_ = real::now();
    while (!run_.end().over() && !broken_) {
      note_stall();
      carry_out(run_.on_time(real::now()));
      publish_if_due();
      if (run_.end().over()) break;
      wait(signals.get());
      if (const int signal = next_signal(signals.get()); signal == SIGUSR1) {
        drain();  // last words of the workers
        carry_out(run_.expect_no_worker(real::now()));
      } else if (signal != 0) {
        carry_out(run_.stop(RunStatus::kInterrupted, "interrupted", real::now()));
      }
      hear_policy();
      drain();
    }
    if (policy_) policy_->farewell(run_.farewell(real::now()));
    return finish();
  }

 private:
  Result<void> open(const ServerOptions& options) {
    const bool keys = options.curve.has_value();
    HEDDLE_TRY(net::check_endpoint("--bind", options.bind, keys));
    if (!options.progress.empty())
      HEDDLE_TRY(net::check_endpoint("--progress", options.progress, keys));
    if (keys) admission_.emplace(context_, *options.curve, options.admitted);
    Admission* admission = admission_ ? &*admission_ : nullptr;
    HEDDLE_TRY(bind(control_, options.bind, admission, kControlDomain));
    watch(control_, kQueuedBytes);
    if (options.progress.empty()) {
      publish_at_ = real::Time::max();
      return {};
    }
    HEDDLE_TRY(bind(progress_, options.progress, admission, kProgressDomain));
    watch(progress_, kFromObserver);
    return {};
  }

  void watch(zmq::socket_t& socket, std::uint64_t most) {
    const std::string endpoint = socket.get(zmq::sockopt::last_endpoint);
    if (!endpoint.starts_with("tcp://")) return;
    if (!backlog_) backlog_.emplace();
    backlog_->bound(endpoint, most);
  }

  void wait(int signals) {
    std::vector<zmq::pollitem_t> items = {{control_.handle(), 0, ZMQ_POLLIN, 0},
                                          {nullptr, signals, ZMQ_POLLIN, 0}};
    if (admission_) items.push_back({admission_->socket().handle(), 0, ZMQ_POLLIN, 0});
    real::Time until = std::min(run_.next_time(), publish_at_);
    if (policy_) {
      items.push_back({policy_->handle(), 0, ZMQ_POLLIN, 0});
      if (policy_->pidfd() >= 0) items.push_back({nullptr, policy_->pidfd(), ZMQ_POLLIN, 0});
      until = std::min(until, policy_->deadline().value_or(until));
    }
    // Round up. Waking a little late is harmless, but polling until the time comes wastes CPU.
    const auto left = std::clamp<std::chrono::milliseconds>(
        std::chrono::ceil<std::chrono::milliseconds>(until - real::now()), 0ms, 1000ms);
    try {
      zmq::poll(items, left);
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    note_stall(left);
  }

  /// Notes for how long this process did not run since the last call. It wanted to wait for `wait`
  /// in that time. If it did not run, the messages that wait now are older than they seem, so
  /// this function is called before they are received.
  void note_stall(real::Duration wait = 0ms) {
    const real::Time now = real::now();
    run_.note_stall(stall(now - std::exchange(seen_, now), wait));
  }

  /// Takes in the reply of an external policy. If none can come any more, ends the run.
  void hear_policy() {
    if (!policy_) return;
    const real::Time now = real::now();
    if (const std::optional<std::string> reply = policy_->receive())
      carry_out(run_.on_reply(*reply, now));
    else if (const std::optional<Error> failure = policy_->failure(now))
      carry_out(run_.stop_policy(failure->text, now));
  }

  void drain() {
    if (admission_)
      for (const std::string& line : admission_->work(real::now())) log_warning(line);
    if (backlog_)
      for (const std::string& address : backlog_->ended())
        tell_refused("a connection from " + address, "it sent more than the master reads");
    for (const std::string& line : refused_.on_time(real::now())) log_warning(line);
    Effects all;
    for (int i = 0; i < kBatch && !all.kill_master; ++i) {
      zmq::message_t identity;
      if (!control_.recv(identity, zmq::recv_flags::dontwait)) break;
      zmq::message_t body;
      while (control_.get(zmq::sockopt::rcvmore)) {
        (void)control_.recv(body);
        if (backlog_) backlog_->took(body);
      }
      // Read the key's name from the body, because libzmq does not provide it for an identity that
      // it has fetched during the poll.
      const std::string peer = net::peer_name(net::key_name_of(body), identity.to_string());
      if (limits_.take(peer, run_.knows(peer), body.size(), real::now()))
        take(peer, body, all);
      else
        tell_refused("messages of " + peer, "too many messages");
    }
    carry_out(all);
  }

  void tell_refused(const std::string& what, const std::string& why) {
    if (const auto line = refused_.refused(what, why, real::now())) log_warning(*line);
  }

  /// Returns why the key of a worker that says hello does not permit the hello, or "" if it does.
  std::string objection_to(const wire::Hello& hello, const std::string& key, zmq::message_t& body) {
    if (admission_)
      if (std::string against = objection(admission_->allow_list(), key, hello); !against.empty())
        return against;
    const std::string fault = net::data_address_fault(hello.data, hello.data_key,
                                                      key.empty() ? "" : net::peer_address(body));
    return fault.empty() ? "" : "its data service at " + hello.data + ": " + fault;
  }

  /// Handles a message and adds its effects.
  void take(const std::string& identity, zmq::message_t& body, Effects& all) {
    Result<wire::Message> message = wire::decode(body.to_string_view());
    if (!message) {
      tell_refused("a message of " + identity, message.error().text);
      all.send.emplace_back(identity, wire::ErrorMessage{message.error().text, false});
      return;
    }
    if (const auto* hello = std::get_if<wire::Hello>(&*message)) {
      const std::string against = objection_to(*hello, net::key_of_peer(identity), body);
      if (!against.empty()) {
        all.send.emplace_back(identity, wire::ErrorMessage{against, true});
        return;
      }
    }
    Effects effects = run_.on_message(identity, *message, real::now());
    all.journal += effects.journal;
    all.samples += effects.samples;
    std::ranges::move(effects.send, std::back_inserter(all.send));
    if (effects.ask) all.ask = std::move(effects.ask);
    all.kill_master |= effects.kill_master;
  }

  /// Carries out the effects. Writes the records before it sends the messages, so that the journal
  /// has all lines that a message depends on.
  void carry_out(const Effects& effects) {
    if (Result<void> kept = files_.keep(effects); !kept) {
      give_up(std::move(kept).error());
      return;
    }
    for (const Sending& sending : effects.send) send(sending);
    if (effects.ask && policy_) policy_->send(effects.ask->text, real::now());
    if (effects.kill_master) ::raise(SIGKILL);
  }

  void give_up(Error error) {
    if (broken_) return;
    log_error(error.text);
    broken_ = std::move(error);
    for (const Sending& sending : run_.stop(RunStatus::kAborted, broken_->text, real::now()).send)
      send(sending);
  }

  void send(const Sending& sending) {
    zmq::message_t text(wire::encode(stamped(sending.message)));
    for (const std::string& identity : sending.to) send(identity, text);
  }

  void send(const std::string& identity, zmq::message_t& text) {
    try {
      const std::string routing_id = net::routing_id_of(identity);
      control_.send(zmq::buffer(routing_id), zmq::send_flags::sndmore | zmq::send_flags::dontwait);
      zmq::message_t same;
      same.copy(text);  // the copies of a long message share its bytes
      control_.send(same, zmq::send_flags::dontwait);
    } catch (const zmq::error_t& error) {
      // The message is lost, as can happen on any network. The streams of commands and reports
      // repeat what is lost.
      log_warning(fmt::format("send: {}", error.what()));
    }
  }

  void publish_if_due() {
    const real::Time begin = real::now();
    if (begin < publish_at_) return;
    publish(run_.progress(begin));
    publish_at_ = begin + std::clamp<real::Duration>(kProgressShare * (real::now() - begin),
                                                     kProgressInterval, kLongestProgressInterval);
  }

  void publish(const wire::Progress& progress) {
    const std::string text =
        wire::to_json(progress).dump(-1, ' ', false, wire::Json::error_handler_t::replace);
    progress_.send(zmq::buffer(text), zmq::send_flags::dontwait);
  }

  Result<RunStatus> finish() {
    wire::Progress last = run_.progress(real::now());
    last.final = true;  // also if the run is given up
    if (broken_) {
      last.status = name_of(RunStatus::kAborted);
      last.reason = broken_->text;
    }
    publish(last);
    if (broken_) return *broken_;
    HEDDLE_TRY(files_.end(run_.end_line(own_cpu_s(), real::now())));
    log_info(fmt::format("{}: {}", name_of(run_.end().status()), run_.end().reason()));
    return run_.end().status();
  }

  LiveRun& run_;
  PolicyClient* policy_;  ///< nullptr if Heddle decides
  RunFiles files_;
  zmq::context_t context_{1};
  std::optional<Admission>
      admission_;  ///< made before the sockets bind; otherwise libzmq admits every key
  zmq::socket_t control_;
  zmq::socket_t progress_;
  std::optional<net::BacklogWatch> backlog_;  ///< of the sockets at tcp://
  real::Time seen_;                           ///< last call of note_stall()
  real::Time publish_at_;                     ///< real::Time::max() without a progress endpoint
  net::RefusalLog refused_;                   ///< invalid messages, and messages over the limits
  net::PeerLimits limits_;
  std::optional<Error> broken_;  ///< why a file could not be written; the run is then given up
};

Result<RunStatus> serve_again(LiveRun& run, const ServerOptions& options, PolicyClient* policy) {
  std::optional<EmuTime> sampled;
  Result<RunFiles> files = RunFiles::reopen(options.out, options.durability, run, sampled);
  if (!files) return std::move(files).error();
  // The previous master was killed after it had written its last line. Only its exit status is
  // missing.
  if (const std::optional<RunStatus> ended = run.recovery().ended_as()) return *ended;
  Result<Effects> first = run.resume(sampled, real::now());
  if (!first) return std::move(first).error();
  log_info(fmt::format("resumed from {}", journal_path(options.out)));
  return Server(run, *std::move(files), options.nodes, policy).serve(options, *first);
}

}  // namespace

Result<RunStatus> serve(LiveRun& run, const ServerOptions& options, PolicyClient* policy) {
  if (options.resume) return serve_again(run, options, policy);
  Result<RunFiles> files = RunFiles::create(options.out, options.durability);
  if (!files) return std::move(files).error();
  return Server(run, *std::move(files), options.nodes, policy).serve(options, run.open());
}

}  // namespace heddle::master
