#include "worker/data/data_service.h"

#include <malloc.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <cmath>
#include <csignal>
#include <ctime>
#include <functional>
#include <thread>
#include <utility>

#include "net/mailbox.h"
#include "worker/data/serving.h"
#include "worker/data/storing.h"

namespace heddle::worker {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kWakeTag = 0;
constexpr real::Duration kMostWait = 1min;
constexpr real::Duration kLookAgain = 20ms;

/// Makes malloc keep freed memory for the next of the many chunks. Otherwise the memory of each
/// chunk would return to the kernel, and the kernel would have to clear it for the next chunk.
void keep_freed_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 4 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 8 << 20);
}

/// Returns the chunk size: about the bytes that pass in 16 ms, rounded to a power of two. This time
/// is short compared with a transfer, and long compared with the CPU time for sending a chunk. If
/// 64 KiB pass in less than 0.1 ms, only that CPU time matters.
std::int64_t chunk_of(const DataOptions& options) {
  constexpr double kLeast = 4 << 10, kUsual = 64 << 10;
  double rate = std::min(options.disk_bytes_per_s, options.network_bytes_per_s);
  double bytes = std::clamp(rate * 16e-3, kLeast, kUsual);
  bytes = std::clamp(rate * 100e-6, bytes, static_cast<double>(kMaxChunk));
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
}

/// The service. Its thread executes all members except the constructor and the public functions. It
/// also executes the commands that the public functions put into its mailbox.
class Service : public DataService {
 public:
  Service(const DataOptions& options, net::Poller poller, Scratch scratch)
      : silence_(static_cast<std::int64_t>(options.silence_s * 1e9)),
        poller_(std::move(poller)),
        node_{options.node,       Pacer(options.disk_bytes_per_s, options.network_bytes_per_s),
              std::move(scratch), nullptr,
              chunk_of(options),  silence_},
        fetching_(&node_),
        serving_(&node_, &fetching_),
        storing_(&node_, [this](std::uint64_t ticket, const std::string& error) {
          done_.put({ticket, error, NodeId{}});
        }) {}

  Result<void> open(const DataOptions& options) {
    HEDDLE_TRY(commands_.open());
    HEDDLE_TRY(done_.open());
    HEDDLE_TRY(refusals_.open());
    HEDDLE_TRY(poller_.watch(commands_.fd(), kWakeTag));
    auto links = Links::open(node_.self, options.bind, options.curve, &poller_, options.listening);
    if (!links) return std::move(links).error();
    node_.links = std::move(links).value();
    // Block all signals in the thread, because the worker's control loop handles them.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_setname_np(thread_.native_handle(), "heddle-data");
    return {};
  }

  ~Service() override {
    stop_ = true;
    if (thread_.joinable()) {
      commands_.wake();
      thread_.join();
    }
  }

  std::string endpoint() const override { return node_.links->endpoint(); }
  void peers(const std::vector<std::string>& endpoints,
             const std::vector<std::string>& keys) override {
    commands_.put([=, this] {
      for (NodeId node : node_.links->peers(endpoints, keys)) peer_gone(node, "is gone");
    });
  }
  void fetch(const DataFetch& fetch) override {
    auto done = [this, ticket = fetch.ticket](const std::string& error, NodeId from) {
      done_.put({ticket, error, from});
    };
    commands_.put([=, this] { fetching_.start(fetch, std::nullopt, done, now_); });
  }
  void store(const DataStore& store) override {
    commands_.put([=, this] { storing_.start(store, now_); });
  }
  void expect(const DataExpect& copy) override {
    commands_.put([=, this] { serving_.expect(copy); });
  }
  void cancel(std::uint64_t ticket) override {
    commands_.put([=, this] {
      fetching_.cancel(ticket);
      storing_.cancel(ticket);
    });
  }
  void drop(std::uint64_t object) override {
    commands_.put([=, this] { node_.scratch.remove(object); });
  }
  void cut_off(bool cut) override {
    commands_.put([=, this] { node_.links->cut_off(cut); });
  }
  void disk_full(bool full) override {
    commands_.put([=, this] { node_.scratch.set_full(full); });
  }
  int fd() const override { return done_.fd(); }
  std::vector<DataDone> take() override { return done_.take(); }
  std::vector<std::string> take_refusals() override { return refusals_.take(); }
  double cpu_s() const override {
    clockid_t clock;
    timespec used{};
    if (pthread_getcpuclockid(const_cast<std::thread&>(thread_).native_handle(), &clock) == 0)
      clock_gettime(clock, &used);
    return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) / 1e9 +
           node_.links->cpu_s();
  }

 private:
  void run() {
    // Check stop_ after work(), because work() can have consumed the wake-up of the destructor.
    for (work(); !stop_; work()) {
      auto tags = poller_.wait(next());
      assert(tags && "the poller's own descriptors failed");
      for (std::uint64_t tag : *tags)
        if (tag != kWakeTag) node_.links->readable(tag);
    }
  }

  /// Does everything whose time has come. Sending can use up a socket's event. Therefore work()
  /// ends only after a pass that has found no message.
  void work() {
    bool more = true;
    while (more && !stop_) {
      now_ = std::chrono::steady_clock::now();
      obey_commands();
      while (auto chunk = node_.pacer.take(now_)) passed(*chunk);
      check();
      serving_.work(now_);
      more = receive_all();
    }
    for (std::string& line : node_.links->take_refusals(now_)) refusals_.put(std::move(line));
  }

  void obey_commands() {
    for (const std::function<void()>& command : commands_.take()) command();
  }

  bool receive_all() {
    bool any = false;
    while (auto received = node_.links->receive()) {
      any = true;
      obey_commands();  // commands that came before the message go first
      if (received->peer)
        answered(*received->peer, std::move(received->message));
      else
        serving_.asked(*received, now_);
    }
    return any;
  }

  void passed(const Pacer::Passed& chunk) {
    fetching_.passed(chunk, now_) || serving_.passed(chunk, now_) || storing_.passed(chunk, now_);
  }

  void answered(NodeId peer, zmq::message_t data) {
    auto message = decode(data.to_string_view());
    if (!message) return peer_gone(peer, message.error().text);
    if (fetching_.answered(peer, *message, data, now_)) return;
    storing_.answered(peer, *message, data.to_string_view().substr(kHeader), now_);
  }

  void peer_gone(NodeId peer, const std::string& why) {
    fetching_.peer_gone(peer, why, now_);
    storing_.peer_gone(peer);
  }

  void check() {
    if (now_ < check_at_) return;
    check_at_ = now_ + silence_ / 12;
    fetching_.check(now_);
    storing_.check(now_);
    serving_.check(now_);
  }

  real::Time next() const {
    real::Time next = now_ + kMostWait;
    if (auto pacer = node_.pacer.next()) next = std::min(next, *pacer);
    if (auto refusals = node_.links->refusals_due()) next = std::min(next, *refusals);
    if (!fetching_.empty() || !storing_.empty() || serving_.waiting())
      next = std::min(next, check_at_);
    // A socket reports only once that it has room again, so look again soon.
    if (serving_.full()) next = std::min(next, now_ + kLookAgain);
    return next;
  }

  real::Duration silence_;
  net::Mailbox<std::function<void()>> commands_;
  net::Mailbox<DataDone> done_;
  net::Mailbox<std::string> refusals_;
  std::atomic<bool> stop_ = false;
  net::Poller poller_;
  DataNode node_;
  Fetching fetching_;
  Serving serving_;
  Storing storing_;
  real::Time now_{};  ///< time of the current pass
  real::Time check_at_{};
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<DataService>> DataService::start(const DataOptions& options) {
  auto context = "start the data service of node " + std::to_string(options.node.value);
  auto fails = [&](Error error) { return std::move(error).in(context); };
  for (double rate : {options.disk_bytes_per_s, options.network_bytes_per_s, options.silence_s})
    if (!(rate > 0 && std::isfinite(rate)))
      return fails(usage_error("expected disk, network and silence greater than 0"));
  auto poller = net::Poller::create();
  if (!poller) return fails(std::move(poller).error());
  auto scratch = Scratch::open(options.scratch);
  if (!scratch) return fails(std::move(scratch).error());
  auto service =
      std::make_unique<Service>(options, std::move(poller).value(), std::move(scratch).value());
  keep_freed_memory();
  if (auto opened = service->open(options); !opened) return fails(std::move(opened).error());
  return Result<std::unique_ptr<DataService>>(std::move(service));
}

}  // namespace heddle::worker
