#include "bench/io_bench.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "bench/bench.h"
#include "bench/forks.h"
#include "bench/workbench.h"
#include "wire/values.h"

namespace heddle::bench {
namespace {

using wire::Json;

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

const char* word_of(const IoCase& one) {
  return one.what == IoCase::What::kFile ? "file" : "blocks";
}

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
    return io_results(measure_each(io_cases(plan_), title, [&](const IoCase& one) {
      const IoMeasured bare = measure_bare(one, bench);
      return io_row(one, measure_service(one, bench), bare);
    }));
  }

  static IoMeasured measure_service(const IoCase& one, Workbench& bench) {
    const std::string dir = bench.new_path();
    std::filesystem::create_directory(dir);
    const IoNodes nodes(one, dir);
    const IoMeasured measured = measure_pair(
        bench, [&](IoPage& page) { play_holder(one, nodes, page); },
        [&](IoPage& page) { play_asker(one, nodes, page); });
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
    SharedMemory memory(sizeof(IoPage));
    IoPage& page = *static_cast<IoPage*>(memory.data());
    Forks holder, asker;
    holder.start([&] { hold(page); });
    asker.start([&] { ask(page); });
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
                            {"bare/error", "bare %", 2, Better::kNeither, 0.01}}};

std::vector<IoCase> io_cases(const IoPlan& plan) {
  std::vector<IoCase> cases;
  const std::int64_t total = plan.megabytes * std::int64_t{1'000'000};
  using What = IoCase::What;
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

Json io_results(std::vector<Json> rows) {
  Json aims = Json::array();
  for (const Json& row : rows) {
    const std::string who = row.at("what").get<std::string>() + " by " +
                            row.at("by").get<std::string>() + ", " + row.at("transfers").dump() +
                            " at once";
    const bool paced = !row.at("paced").is_null();
    if (!paced && row.at("piece_bytes") >= kLarge)
      aims.push_back(aim_at_least(who + ": bytes a second", row.at("rate"), kAimRate));
    if (paced && row.at("transfers") >= kAimTransfers)
      aims.push_back(
          aim_at_most(who + ", paced: largest error", row.at("error").at("max"), kAimError));
  }
  return bench_results(kIoForm, std::move(rows), std::move(aims));
}

std::unique_ptr<Bench> io_bench() { return std::make_unique<IoBench>(); }

}  // namespace heddle::bench
