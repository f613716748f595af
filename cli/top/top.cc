#include "cli/top/top.h"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <iostream>
#include <zmq.hpp>

#include "cli/base/exit_status.h"
#include "cli/display/screen.h"
#include "cli/top/terminal.h"
#include "cli/top/top_runs.h"
#include "cli/top/top_view.h"
#include "common/signals.h"
#include "host/run_directory.h"
#include "net/key_files.h"
#include "net/socket_events.h"
#include "wire/codec.h"

namespace heddle::cli {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Masters publish progress five times a second.
constexpr auto kNoAnswer = 5s;
/// Time to wait after the connection is lost. In this time, the last message can still arrive, and
/// a restarted master can return.
constexpr auto kAfterwards = 2s;

Fd take_top_signals() {
  return signals_to_read({SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP});
}

/// Subscribes to a master's progress and notices when the master is gone.
class Feed {
 public:
  /// `keys`: for tcp://.
  Feed(const std::string& endpoint, const std::optional<net::CurveClient>& keys)
      : progress_(context_, zmq::socket_type::sub),
        events_(context_, progress_, ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH) {
    progress_.set(zmq::sockopt::subscribe, "");
    progress_.set(zmq::sockopt::linger, 0);
    progress_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(wire::kMaxMessage));
    if (keys) net::secure(progress_, *keys);
    progress_.connect(endpoint);
  }

  void* news() { return progress_.handle(); }
  void* ends() { return events_.handle(); }

  /// Returns the newest message, or nullopt if none has arrived. Skips messages that are not from a
  /// master.
  std::optional<wire::Progress> take() {
    std::optional<wire::Progress> newest;
    zmq::message_t message;
    while (progress_.recv(message, zmq::recv_flags::dontwait)) {
      Result<wire::Progress> news = wire::progress_from_json(message.to_string_view());
      if (!news) continue;
      newest = *std::move(news);
      if (newest->final) break;
    }
    return newest;
  }

  bool gone() {
    bool any = false;
    while (const std::optional<int> event = events_.take()) {
      any = true;
      refused_ = refused_ || *event == ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;
    }
    return any;
  }
  /// Returns whether the master refused the key.
  bool refused() const { return refused_; }

 private:
  zmq::context_t context_{1};
  zmq::socket_t progress_;
  net::SocketEvents events_;
  bool refused_ = false;
};

class Top {
 public:
  Top(RunToWatch run, const std::optional<net::CurveClient>& keys)
      : run_(std::move(run)), feed_(run_.endpoint, keys), in_terminal_(Terminal::usable()) {}

  Result<int> watch(int signals) {
    while (!status_) {
      wait(signals);
      if (const auto news = feed_.take()) on_progress(*news);
      if (feed_.gone() && !gone_) gone_ = Clock::now();
      on_signals(signals);
      if (typed_ && entered()) on_keys();
      HEDDLE_TRY(on_time());
      if (redraw_) HEDDLE_TRY(draw());
    }
    terminal_.leave();
    if (!sentence_.empty()) std::cout << sentence_ << '\n';
    return *status_;
  }

 private:
  bool entered() const { return in_terminal_ && heard_; }

  void wait(int signals) {
    zmq::pollitem_t items[] = {{feed_.news(), 0, ZMQ_POLLIN, 0},
                               {feed_.ends(), 0, ZMQ_POLLIN, 0},
                               {nullptr, signals, ZMQ_POLLIN, 0},
                               {nullptr, STDIN_FILENO, ZMQ_POLLIN, 0}};
    const auto limit = gone_ ? std::chrono::milliseconds(kAfterwards) : 1000ms;
    try {
      zmq::poll(items, entered() ? 4 : 3, limit);
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    typed_ = items[3].revents != 0;
  }

  void on_progress(const wire::Progress& progress) {
    heard_ = true;
    gone_.reset();
    const Clock::time_point now = Clock::now();
    const double real_s = std::chrono::duration<double>(now.time_since_epoch()).count();
    if (const auto at = standing(progress, real_s)) forecaster_.add(*at);
    take(progress, forecaster_.left(), data_);
    if (progress.final) {
      end(kExitDone, last_words(progress));
      return;
    }
    if (in_terminal_)
      redraw_ = redraw_ || !state_.paused;
    else if (pace_.due(progress, now))
      say_line(plain_line(progress, data_.left));
  }

  void say_line(const std::string& line) {
    // If the reader of the output is gone, there is no reason to continue.
    if (!(std::cout << clip(line, 1000) << std::endl)) end(kExitDone, "");
  }

  void on_signals(int signals) {
    while (const int signal = next_signal(signals)) {
      if (signal == SIGWINCH)
        redraw_ = true;
      else if (signal == SIGTSTP)
        stop_for_a_while();
      else
        end(kExitInterrupted, "");
    }
  }

  void stop_for_a_while() {
    terminal_.leave();
    ::raise(SIGSTOP);
    redraw_ = true;
  }

  void on_keys() {
    if (!terminal_.read(bytes_)) return end(kExitDone, "");
    for (int key : take_keys(bytes_)) {
      const bool held = state_.paused;
      state_ = on_key(state_, key, extent_);
      if (state_.paused && !held) still_ = data_;
      if (state_.quit) return end(kExitDone, "");
      redraw_ = true;
    }
  }

  Result<void> on_time() {
    const Clock::time_point now = Clock::now();
    if (feed_.refused())
      return usage_error(run_.endpoint +
                         ": the master does not admit our key (heddle keys list on its host lists "
                         "the admitted keys)");
    if (!heard_ && now - begun_ >= kNoAnswer)
      return usage_error(run_.endpoint +
                         ": no master publishes progress there; if the run was killed, heddle "
                         "resume DIR resumes it");
    if (gone_ && now - *gone_ >= kAfterwards && heard_)
      end(kExitDone, data_.progress.scenario + ": the connection to the master was lost after " +
                         clock(data_.progress.now_s) + " emulated");
    return {};
  }

  void end(int status, const std::string& sentence) {
    if (status_) return;
    status_ = status;
    sentence_ = sentence;
    if (!sentence.empty() && !run_.out.empty()) sentence_ += "\nresults: " + run_.out;
  }

  Result<void> draw() {
    redraw_ = false;
    if (!entered() || status_) return {};
    HEDDLE_TRY(terminal_.enter());
    const TopFrame frame =
        lay_out(state_.paused ? still_ : data_, state_, canvas_of(STDOUT_FILENO));
    state_ = frame.state;
    extent_ = frame.extent;
    if (!terminal_.draw(frame)) end(kExitDone, "");
    return {};
  }

  RunToWatch run_;
  Feed feed_;
  bool in_terminal_;
  Terminal terminal_;
  Forecaster forecaster_;
  LinePace pace_;
  TopData data_, still_;  ///< still_: the frozen data while paused
  TopState state_;
  TopExtent extent_;
  std::string bytes_;  ///< typed bytes, the beginning of a key
  bool typed_ = false, heard_ = false, redraw_ = false;
  Clock::time_point begun_ = Clock::now();
  std::optional<Clock::time_point> gone_;  ///< when the master was lost
  std::optional<int> status_;
  std::string sentence_;
};

/// Returns the keys for a tcp:// endpoint, or nullopt for other endpoints.
Result<std::optional<net::CurveClient>> keys_for(const std::string& endpoint,
                                                 const TopOptions& options) {
  if (!endpoint.starts_with("tcp://")) return std::optional<net::CurveClient>();
  HEDDLE_TRY(net::check_endpoint("top", endpoint, true));
  const std::string dir = options.keys.empty() ? net::default_key_directory() : options.keys;
  Result<net::ClientKeys> keys = net::read_client_keys(dir, net::KeyRole::kTop, options.key);
  if (!keys) return std::move(keys).error().in(endpoint + ": TCP needs keys");
  return std::optional(keys->curve);
}

}  // namespace

Result<int> top_command(const TopOptions& options) {
  const std::string& address = options.address;
  Result<RunToWatch> run = choose_run(living_runs(host::base_directories()), address,
                                      address.empty() ? "" : plain_path(address));
  if (!run) return std::move(run).error();
  Result<std::optional<net::CurveClient>> keys = keys_for(run->endpoint, options);
  if (!keys) return std::move(keys).error();
  Fd signals = take_top_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  return Top(*std::move(run), *keys).watch(signals.get());
}

}  // namespace heddle::cli
