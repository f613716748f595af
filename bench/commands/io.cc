#include <chrono>
#include <filesystem>
#include <functional>

#include "bench/commands/commands.h"
#include "bench/commands/measuring.h"
#include "bench/forks.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;
using wire::Json;
using Clock = std::chrono::steady_clock;

/// Longest time in which one process must be ready. All transfers of a case have the same limit.
constexpr auto kTransferPatience = 5min;

class IoBench {
 public:
  explicit IoBench(Workbench& bench) : bench_(bench) {}

  Result<Json> measure(const IoCase& one) {
    Result<IoMeasured> bare = measure_bare(one);
    if (!bare) return std::move(bare).error();
    Result<IoMeasured> measured = measure_service(one);
    if (!measured) return std::move(measured).error();
    return io_row(one, *measured, *bare);
  }

 private:
  using Body = std::function<void(IoPage&)>;

  Result<IoMeasured> measure_service(const IoCase& one) {
    const std::string dir = bench_.new_path();
    std::filesystem::create_directory(dir);
    Result<IoNodes> nodes = IoNodes::prepare(one, dir);
    if (!nodes) return std::move(nodes).error();
    Result<IoMeasured> measured = measure([&](IoPage& page) { play_holder(one, *nodes, page); },
                                          [&](IoPage& page) { play_asker(one, *nodes, page); });
    std::error_code none;
    std::filesystem::remove_all(dir, none);  // because files may be large
    return measured;
  }

  Result<IoMeasured> measure_bare(const IoCase& one) {
    Result<std::array<Fd, 2>> sockets = connected_sockets(one.tcp);
    if (!sockets) return std::move(sockets).error();
    return measure([&](IoPage& page) { play_sender(one, (*sockets)[0].get(), page); },
                   [&](IoPage& page) { play_receiver(one, (*sockets)[1].get(), page); });
  }

  Result<IoMeasured> measure(const Body& hold, const Body& ask) {
    SharedMemory memory(sizeof(IoPage));
    IoPage& page = *static_cast<IoPage*>(memory.data());
    Forks holder, asker;
    Result<pid_t> pid = holder.start([&] { hold(page); });
    if (pid) pid = asker.start([&] { ask(page); });
    if (!pid) return std::move(pid).error();
    auto alive = [&] { return holder.all_run() && asker.all_run(); };
    HEDDLE_TRY(await([&] { return (page.holder_ready && page.asker_ready) || page.done; }, alive));
    IoMeasured measured;
    const double holder_before = holder.cpu_s(), asker_before = asker.cpu_s();
    page.go = true;
    HEDDLE_TRY(await([&] { return page.done.load(); }, alive));
    if (page.error[0] != '\0') return aborted_error(page.error.data());
    measured.holder_cpu_s = holder.cpu_s() - holder_before;
    measured.asker_cpu_s = asker.cpu_s() - asker_before;
    measured.seconds = static_cast<double>(page.taken_ns) / 1e9;
    for (std::size_t i = 0; i < static_cast<std::size_t>(page.times); ++i)
      measured.piece_s.push_back(static_cast<double>(page.piece_ns[i]) / 1e9);
    return measured;
  }

  /// Waits until `so` returns true. Error: the user interrupts, or `alive` returns false.
  Result<void> await(const std::function<bool()>& so, const std::function<bool()>& alive) const {
    for (const auto end = Clock::now() + kTransferPatience; !so();) {
      HEDDLE_TRY(bench_.pause(5ms));
      if (!alive() && !so()) return aborted_error("a process has ended before it was measured");
      if (Clock::now() > end)
        return aborted_error("the transfers were not done after five minutes");
    }
    return {};
  }

  Workbench& bench_;
};

}  // namespace

int io_bench_command(const IoBenchOptions& options) {
  IoPlan plan = options.plan;
  if (options.quick) plan.seconds = 1, plan.megabytes = 256;
  Result<Workbench> workbench = Workbench::set_up();
  if (!workbench) return cli::fail(workbench.error());
  IoBench bench(*workbench);
  const auto rows = measure_each(
      io_cases(plan), [](const IoCase& one) { return title_of(one); },
      [&](const IoCase& one) { return bench.measure(one); });
  return print_rows(rows, io_results, options.json, format_io_results);
}

}  // namespace heddle::bench
