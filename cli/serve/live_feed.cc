#include "cli/serve/live_feed.h"

#include <sys/stat.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <zmq.hpp>

#include "cli/display/display.h"
#include "cli/top/top_runs.h"
#include "host/run_directory.h"
#include "wire/codec.h"

namespace heddle::cli {
namespace {

using namespace std::chrono_literals;

/// Time between two looks. Masters publish progress five times a second, and only the newest
/// message counts.
constexpr auto kPeriod = 500ms;

/// The state of one run, and the subscription to its master.
class WatchedRun {
 public:
  WatchedRun(zmq::context_t& context, const RunToWatch& run)
      : socket_(context, zmq::socket_type::sub) {
    run_.run = run.run;
    run_.out = run.out;
    socket_.set(zmq::sockopt::conflate, true);
    socket_.set(zmq::sockopt::subscribe, "");
    socket_.set(zmq::sockopt::linger, 0);
    socket_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(wire::kMaxMessage));
    socket_.connect(run.endpoint);
  }

  void look() {
    struct stat info {};
    if (::stat(run_.out.c_str(), &info) == 0) {
      run_.device = info.st_dev;
      run_.inode = info.st_ino;
    }
    zmq::message_t message;
    if (!socket_.recv(message, zmq::recv_flags::dontwait)) return;
    Result<wire::Progress> progress = wire::progress_from_json(message.to_string_view());
    if (!progress) return;
    const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
    if (const auto at = standing(*progress, now.count())) forecaster_.add(*at);
    const std::optional<TimeLeft> left = forecaster_.left();
    run_.left_s = left ? std::optional(left->real_s) : std::nullopt;
    serve::take(*std::move(progress), run_);
  }
  const serve::LiveRun& run() const { return run_; }

 private:
  zmq::socket_t socket_;
  Forecaster forecaster_;
  serve::LiveRun run_;
};

}  // namespace

class LiveFeed::Watching {
 public:
  explicit Watching(serve::LiveBoard& board) : board_(board) {}

  void watch(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      look();
      std::unique_lock lock(mutex_);
      stopped_.wait_for(lock, stop, kPeriod, [] { return false; });
    }
  }

 private:
  void look() {
    std::map<std::string, WatchedRun> now;
    for (const RunToWatch& run : living_runs(host::base_directories())) {
      if (auto known = runs_.extract(run.run))
        now.insert(std::move(known));
      else
        now.try_emplace(run.run, context_, run);
    }
    runs_ = std::move(now);
    std::vector<serve::LiveRun> board;
    for (auto& [id, run] : runs_) {
      run.look();
      board.push_back(run.run());
    }
    board_.put(std::move(board));
  }

  serve::LiveBoard& board_;
  zmq::context_t context_{1};
  std::map<std::string, WatchedRun> runs_;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
};

LiveFeed::LiveFeed(serve::LiveBoard& board)
    : watching_(std::make_unique<Watching>(board)),
      thread_([this](const std::stop_token& stop) { watching_->watch(stop); }) {}

LiveFeed::~LiveFeed() = default;

}  // namespace heddle::cli
