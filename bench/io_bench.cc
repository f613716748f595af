#include "bench/io_bench.h"

#include <arpa/inet.h>
#include <fmt/core.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <thread>

#include "bench/bench.h"
#include "bench/workbench.h"
#include "common/file.h"
#include "wire/values.h"
#include "worker/data/data_port.h"
#include "worker/data/data_service.h"
#include "worker/data/message.h"

namespace heddle::bench {
namespace {

using wire::Json;
using Clock = std::chrono::steady_clock;
using What = IoCase::What;

constexpr double kMb = 1e6, kGb = 1e9;
/// Size of small pieces, and how many are transferred at once.
constexpr std::int64_t kSmall = 16 << 10;
constexpr int kSmallAtOnce = 16;
/// The case with small pieces moves only 1 / kSmallShare of the bytes, which is enough for a
/// measurement.
constexpr int kSmallShare = 16;
/// Pieces of at least this size count as large.
constexpr std::int64_t kLarge = 1 << 20;
constexpr int kAimTransfers = 100;
constexpr double kAimRate = 1e9, kAimError = 0.03;
/// A rate far above that of any machine.
constexpr double kUnpaced = 1e12;
constexpr std::uint64_t kBlock = 1, kFile = 1ULL << 63 | 1;
constexpr const char* kBroken = "the baseline's socket broke";
/// Ids of the two nodes.
constexpr NodeId kHolder{0}, kAsker{1};

/// Messages of the two processes of a case. The page is in memory shared with the process that
/// started them. Each process prepares everything before the measurement, and continues only when
/// the starting process tells it to.
struct IoPage {
  static constexpr int kMostTimes = 1000;
  std::atomic<bool> holder_ready, asker_ready, go, done;
  std::array<char, 256> error;         ///< if an error set `done`: a sentence about the error
  std::atomic<std::int64_t> taken_ns;  ///< duration of all transfers
  /// Number of pieces whose time is known, counted from the first piece.
  std::atomic<int> times;
  std::array<std::int64_t, kMostTimes> piece_ns;

  void note(Clock::time_point begin) {
    if (times == kMostTimes) return;
    piece_ns[times] = (Clock::now() - begin).count();
    ++times;
  }
  void finish(Clock::time_point begin) {
    taken_ns = (Clock::now() - begin).count();
    done = true;
  }
};

/// Waits until this process is killed.
void await_end() {
  for (;;) ::pause();
}

/// Plays the part of a process, then waits until this process is killed. An error ends the
/// measurement.
void play(IoPage& page, const std::function<void(IoPage&)>& part) {
  try {
    part(page);
  } catch (const Failed& failed) {
    failed.error.text.copy(page.error.data(), page.error.size() - 1);
    page.done = true;
  }
  await_end();
}

void await(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// The data services of the two nodes, in a process each. Addresses and identities are made before
/// the processes start.
class IoNodes {
 public:
  IoNodes(const IoCase& one, const std::string& directory) : one_(one) {
    for (std::int64_t id : {0, 1}) {
      worker::DataOptions& options = options_[id];
      const std::string path = directory + "/node-" + std::to_string(id);
      options.node = NodeId{id};
      options.bind = "ipc://" + path + ".sock";
      options.scratch = path;
      std::filesystem::create_directory(path);
      options.network_bytes_per_s = one.bytes_per_s > 0 ? one.bytes_per_s : kUnpaced;
      // Only the network limits the rate.
      options.disk_bytes_per_s = 10 * options.network_bytes_per_s;
      if (!one.tcp) continue;
      options.curve = net::CurveServer{need(net::make_key_pair())};
      ports_[id] = need(worker::open_data_port("127.0.0.1"));
      options.bind = ports_[id].endpoint;
      options.listening = ports_[id].socket.get();
    }
  }

  /// Serves data until this process is killed.
  void hold(IoPage& page) const {
    const std::unique_ptr<worker::DataService> service = start(kHolder);
    if (one_.what == What::kFile) {
      service->store({1, kFile, one_.total, true, {}});
      await_done(*service);
    }
    page.holder_ready = true;
    await_end();
  }

  /// Fetches all bytes of the case.
  void ask(IoPage& page) const {
    await(page.holder_ready);
    const std::unique_ptr<worker::DataService> service = start(kAsker);
    const std::uint64_t object = one_.what == What::kFile ? kFile : kBlock;
    auto fetch = [&](std::int64_t size, std::int64_t index) {
      service->fetch(
          {static_cast<std::uint64_t>(index) + 1, object, index * size, size, {kHolder}});
    };
    // A fetch of one byte opens the connection before the measurement.
    fetch(1, 0);
    await_done(*service);
    page.asker_ready = true;
    await(page.go);
    const auto begin = Clock::now();
    std::int64_t asked = 0, in = 0;
    while (asked < std::min<std::int64_t>(one_.at_once, one_.pieces())) fetch(one_.piece, asked++);
    while (in < one_.pieces())
      for (std::int64_t done = await_done(*service); done > 0; --done) {
        page.note(begin);
        if (++in; asked < one_.pieces()) fetch(one_.piece, asked++);
      }
    page.finish(begin);
    await_end();
  }

 private:
  std::unique_ptr<worker::DataService> start(NodeId node) const {
    auto service = need(worker::DataService::start(options_[node.value]));
    std::vector<std::string> keys;
    for (const worker::DataOptions& each : options_)
      if (each.curve) keys.push_back(each.curve->own.public_key);
    service->peers({options_[0].bind, options_[1].bind}, keys);
    return service;
  }

  /// Waits until transfers have ended, and returns how many.
  static std::int64_t await_done(worker::DataService& service) {
    for (;;) {
      pollfd item{service.fd(), POLLIN, 0};
      ::poll(&item, 1, -1);
      const std::vector<worker::DataDone> done = service.take();
      for (const worker::DataDone& one : done)
        if (!one.error.empty()) throw Failed(one.error);
      if (!done.empty()) return std::ssize(done);
    }
  }

  const IoCase& one_;
  std::array<worker::DataOptions, 2> options_;
  std::array<worker::DataPort, 2> ports_;  ///< listening TCP sockets
};

// The baseline moves the same bytes through a bare socket, in chunks of the same size as those of
// the data service. If the case is paced, the sender sleeps until each chunk is due.

void play_sender(const IoCase& one, int socket, IoPage& page) {
  page.holder_ready = true;
  const std::vector<char> chunk(worker::kMaxChunk, 'x');
  await(page.go);
  const auto begin = Clock::now();
  for (std::int64_t sent = 0; sent < one.total; sent += std::ssize(chunk)) {
    const std::size_t size = std::min<std::size_t>(chunk.size(), one.total - sent);
    if (!write_all(socket, {chunk.data(), size}, "the socket")) throw Failed(kBroken);
    if (one.bytes_per_s > 0)
      std::this_thread::sleep_until(
          begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(
                      static_cast<double>(sent + std::ssize(chunk)) / one.bytes_per_s)));
  }
}

void play_receiver(const IoCase& one, int socket, IoPage& page) {
  std::vector<char> chunk(worker::kMaxChunk);
  page.asker_ready = true;
  await(page.go);
  const auto begin = Clock::now();
  for (std::int64_t in = 0; in < one.total;) {
    const ssize_t n = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (n == 0 || (n < 0 && errno != EINTR)) throw Failed(kBroken);
    in += std::max<ssize_t>(n, 0);
  }
  page.finish(begin);
}

/// Returns two connected sockets. They are TCP sockets over loopback, or sockets of the kind that
/// ipc uses.
std::array<Fd, 2> connected_sockets(bool tcp) {
  int ends[2];
  if (!tcp) {
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) < 0)
      throw Failed(system_error("make a pair of sockets", errno));
    return {Fd(ends[0]), Fd(ends[1])};
  }
  const worker::DataPort listener = need(worker::open_data_port("127.0.0.1"));
  Fd out(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  Fd in;
  if (out && ::getsockname(listener.socket.get(), address, &size) == 0 &&
      ::connect(out.get(), address, size) == 0)
    in = Fd(::accept4(listener.socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!in) throw Failed(system_error("connect over loopback", errno));
  return {std::move(out), std::move(in)};
}

const char* word_of(const IoCase& one) { return one.what == What::kFile ? "file" : "blocks"; }

double error_of(double measured, double ideal) { return std::abs(measured / ideal - 1); }

/// Returns the errors of the transfers' times. If concurrent transfers share the rate fairly, all
/// of them end when the last byte has passed.
Json errors(const IoCase& one, const std::vector<double>& times) {
  if (one.bytes_per_s <= 0) return nullptr;
  const double ideal = static_cast<double>(one.total) / one.bytes_per_s;
  std::vector<double> errors;
  for (double time : times) errors.push_back(error_of(time, ideal));
  return wire::percentiles(errors);
}

void judge_io(std::vector<Json>& rows, Aims& aims) {
  for (const Json& row : rows) {
    const std::string who = row.at("what").get<std::string>() + " by " +
                            row.at("by").get<std::string>() + ", " + row.at("transfers").dump() +
                            " at once";
    const bool paced = !row.at("paced").is_null();
    if (!paced && row.at("piece_bytes") >= kLarge)
      aims.at_least(who + ": bytes a second", row.at("rate"), kAimRate);
    if (paced && row.at("transfers") >= kAimTransfers)
      aims.at_most(who + ", paced: largest error", row.at("error").at("max"), kAimError);
  }
}

class IoBench : public Bench {
 public:
  IoBench() : Bench({.form = kIoForm, .quick = "less data and transfers of one second"}) {}

 private:
  static constexpr int kMostTransfers = 1000, kMostMegabytes = 1 << 16;
  static constexpr double kLeast_s = 0.1, kMost_s = 60, kLeastRate = 1, kMostRate = 10'000;
  /// Longest time in which one process must be ready. All transfers of a case have the same limit.
  static constexpr Workbench::Patience kPatience = {
      .look = std::chrono::milliseconds(5),
      .limit = std::chrono::minutes(5),
      .late = "the transfers were not done after five minutes"};

  void add_own_options(Command word) override {
    add_numbers(word, "--transfers", plan_.transfers, 1, kMostTransfers,
                "numbers of transfers at the same time, separated by commas");
    add_number(word, "--seconds", plan_.seconds, kLeast_s, kMost_s,
               "seconds that paced transfers should take");
    add_number(word, "--rate", plan_.megabytes_per_s, kLeastRate, kMostRate,
               "speed of the nodes' networks for paced transfers, in MB/s");
    add_number(word, "--megabytes", plan_.megabytes, 1, kMostMegabytes,
               "megabytes that unpaced transfers move");
  }

  Json measure() override {
    if (quick_) plan_.seconds = 1, plan_.megabytes = 256;
    Workbench bench;
    const auto title = [](const IoCase& one) { return title_of(one); };
    return bench_results(kIoForm, measure_each(io_cases(plan_), title, [&](const IoCase& one) {
                           const IoMeasured bare = measure_bare(one, bench);
                           return io_row(one, measure_service(one, bench), bare);
                         }));
  }

  static IoMeasured measure_service(const IoCase& one, Workbench& bench) {
    const std::string dir = bench.new_path();
    std::filesystem::create_directory(dir);
    const IoNodes nodes(one, dir);
    const IoMeasured measured = measure_pair(
        bench, [&](IoPage& page) { nodes.hold(page); }, [&](IoPage& page) { nodes.ask(page); });
    std::error_code none;
    std::filesystem::remove_all(dir, none);  // because files may be large
    return measured;
  }

  static IoMeasured measure_bare(const IoCase& one, Workbench& bench) {
    const std::array<Fd, 2> sockets = connected_sockets(one.tcp);
    return measure_pair(
        bench, [&](IoPage& page) { play_sender(one, sockets[0].get(), page); },
        [&](IoPage& page) { play_receiver(one, sockets[1].get(), page); });
  }

  /// Measures two processes.
  static IoMeasured measure_pair(const Workbench& bench, const std::function<void(IoPage&)>& hold,
                                 const std::function<void(IoPage&)>& ask) {
    const Shared<IoPage> shared;
    IoPage& page = *shared;
    Forks holder, asker;
    holder.start([&] { play(page, hold); });
    asker.start([&] { play(page, ask); });
    const auto alive = [&] { return holder.all_run() && asker.all_run(); };
    bench.await([&] { return (page.holder_ready && page.asker_ready) || page.done; }, alive,
                kPatience);
    const double holder_before = holder.cpu_s(), asker_before = asker.cpu_s();
    page.go = true;
    bench.await([&] { return page.done.load(); }, alive, kPatience);
    if (page.error[0] != '\0') throw Failed(page.error.data());
    IoMeasured measured{.seconds = static_cast<double>(page.taken_ns) / 1e9,
                        .holder_cpu_s = holder.cpu_s() - holder_before,
                        .asker_cpu_s = asker.cpu_s() - asker_before};
    for (int i = 0; i < page.times; ++i)
      measured.piece_s.push_back(static_cast<double>(page.piece_ns[i]) / 1e9);
    return measured;
  }

  IoPlan plan_;
};

}  // namespace

const BenchForm kIoForm = {"io",
                           {{"what", "what"},
                            {"by", "by"},
                            {"paced", "paced MB/s", 0, Better::kNeither, kMb},
                            {"transfers", "at once"},
                            {"piece_bytes", "piece KiB", 0, Better::kNeither, 1 << 10}},
                           {{"rate", "MB/s", 1, Better::kMore, kMb},
                            {"bare/rate", "bare MB/s", 1, Better::kNeither, kMb},
                            {"x", "x", 2, Better::kMore},
                            {"cpu_s_per_gb/holder", "holder CPU s/GB", 2, Better::kLess},
                            {"cpu_s_per_gb/asker", "asker CPU s/GB", 2, Better::kLess},
                            {"bare/cpu_s_per_gb", "bare CPU s/GB", 2},
                            {"error/p50", "p50 %", 2, Better::kLess, 0.01},
                            {"error/p99", "p99 %", 2, Better::kLess, 0.01},
                            {"error/max", "max %", 2, Better::kLess, 0.01},
                            {"bare/error", "bare %", 2, Better::kNeither, 0.01}},
                           judge_io};

std::vector<IoCase> io_cases(const IoPlan& plan) {
  std::vector<IoCase> cases;
  const std::int64_t total = plan.megabytes * std::int64_t{1'000'000};
  for (bool tcp : {false, true})
    for (What what : {What::kBlocks, What::kFile})
      cases.push_back({.what = what, .tcp = tcp, .total = total, .piece = total});
  cases.push_back({.total = total, .piece = total / 10, .at_once = 10});
  const std::int64_t small = std::max(total / kSmallShare / kSmall, std::int64_t{1}) * kSmall;
  cases.push_back({.total = small, .piece = kSmall, .at_once = kSmallAtOnce});
  const double rate = plan.megabytes_per_s * kMb;
  for (int transfers : plan.transfers) {
    const auto piece = static_cast<std::int64_t>(rate * plan.seconds / transfers);
    cases.push_back(
        {.total = piece * transfers, .piece = piece, .at_once = transfers, .bytes_per_s = rate});
  }
  return cases;
}

std::string title_of(const IoCase& one) {
  return fmt::format(
      "{} by {}, {} at once, {} KiB each{}", word_of(one), one.tcp ? "tcp" : "ipc", one.at_once,
      one.piece >> 10,
      one.bytes_per_s > 0 ? fmt::format(", at {:.0f} MB/s", one.bytes_per_s / kMb) : "");
}

Json io_row(const IoCase& one, const IoMeasured& m, const IoMeasured& bare) {
  const auto bytes = static_cast<double>(one.total);
  const double gb = bytes / kGb;
  const double ideal = one.bytes_per_s > 0 ? bytes / one.bytes_per_s : 0;
  return {{"what", word_of(one)},
          {"by", one.tcp ? "tcp" : "ipc"},
          {"paced", ideal > 0 ? Json(one.bytes_per_s) : Json()},
          {"transfers", one.at_once},
          {"piece_bytes", one.piece},
          {"bytes", one.total},
          {"seconds", wire::rounded(m.seconds)},
          {"rate", wire::rounded(bytes / m.seconds)},
          {"cpu_s_per_gb",
           {{"holder", wire::rounded(m.holder_cpu_s / gb)},
            {"asker", wire::rounded(m.asker_cpu_s / gb)}}},
          {"error", errors(one, m.piece_s)},
          {"bare",
           {{"rate", wire::rounded(bytes / bare.seconds)},
            {"cpu_s_per_gb", wire::rounded((bare.holder_cpu_s + bare.asker_cpu_s) / gb)},
            {"error", ideal > 0 ? Json(wire::rounded(error_of(bare.seconds, ideal))) : Json()}}},
          {"x", wire::rounded(bare.seconds / m.seconds)}};
}

std::unique_ptr<Bench> io_bench() { return std::make_unique<IoBench>(); }

}  // namespace heddle::bench
