#include "workloads/task/burner.h"

#include <algorithm>

#include "workloads/task/kernel.h"
#include "workloads/task/order.h"

namespace heddle::task {
namespace {

/// Some microseconds of plain arithmetic between two looks at the clocks.
void burn_a_little() {
  std::uint64_t x = 88172645463325252U;
  for (int i = 0; i < 4000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  asm volatile("" : : "r"(x));  // or all of it is optimised away
}

/// Waits until the time that `due` names for the line as it then is.
template <class Due>
void wait_until(const CpuLine& published, Due due) {
  for (;;) {
    std::uint32_t sequence = 0;
    Line line = read_line(published, sequence);
    std::int64_t until_ns = due(line);
    if (until_ns <= monotonic_ns()) return;
    wait_for_line(published, sequence, until_ns);
  }
}

void observe(const TaskPage& page, Pace& pace) {
  std::int64_t used_ns = thread_cpu_ns();
  if (page.order.paced == 0) return pace.observe(used_ns);
  std::uint32_t sequence = 0;
  Line line = read_line(page.line, sequence);
  pace.observe(line, monotonic_ns(), used_ns);
}

void burst(const TaskPage& page, Pace& pace, Keeper* keeper) {
  std::int64_t goal_ns = pace.burst_goal_ns();
  observe(page, pace);  // the wait may have ended late
  bool adjusting = keeper != nullptr;
  do {
    adjusting = adjusting && keeper->adjust_memory(pace);
    if (!adjusting) burn_a_little();
    observe(page, pace);
  } while (pace.used_ns() < goal_ns);
}

void raise_to(std::atomic<std::int64_t>& most, std::int64_t value) {
  std::int64_t seen = most.load(std::memory_order_relaxed);
  while (seen < value && !most.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

void Keeper::wait() {
  while (page_.order.waits != 0) {
    // In this order: who is fed after the look at fed_ns changes the sequence number.
    std::uint32_t sequence = 0;
    read_line(page_.line, sequence);
    if (page_.fed_ns.load(std::memory_order_acquire) != 0) return;
    if (ballast_.adjust(memory_at(page_.order, 0))) continue;
    page_.report.cpu_ns.store(process_cpu_ns(), std::memory_order_relaxed);
    wait_for_line(page_.line, sequence, kNever);
  }
}

void Keeper::sleep() {
  const TaskOrder& order = page_.order;
  // A wake-up costs some 12 microseconds; a still profile needs them for little but progress.
  constexpr std::int64_t kMs = 1'000'000;
  std::int64_t every_ns = flat_memory(order)
                              ? std::max(order.sleep_ns / 64, 250 * kMs)
                              : std::clamp(order.sleep_ns / 128, 20 * kMs, 500 * kMs);
  bool last = order.cpu_ns_per_thread == 0;
  for (;;) {
    std::int64_t now_ns = monotonic_ns();
    // Read anew each time: the worker sets it once more when it has seen the exec succeed.
    std::int64_t start_ns =
        order.waits != 0 ? page_.fed_ns.load(std::memory_order_relaxed)
                         : std::atomic_ref(page_.order.start_ns).load(std::memory_order_relaxed);
    std::int64_t end_ns = start_ns + order.sleep_ns;
    std::int64_t left_ns = end_ns - now_ns;
    if (left_ns <= 0) return;
    double slept = 1 - static_cast<double>(left_ns) / static_cast<double>(order.sleep_ns);
    double progress = overall_progress(order, slept, 0);
    page_.report.progress.store(progress, std::memory_order_relaxed);
    std::int64_t release_ns = last ? ballast_.release_cost_ns() : 0;
    leaving_ = leaving_ || left_ns <= release_ns;
    if (ballast_.adjust(leaving_ ? 0 : memory_at(order, progress))) continue;
    page_.report.cpu_ns.store(process_cpu_ns(), std::memory_order_relaxed);
    std::int64_t until_ns = leaving_ ? end_ns : end_ns - release_ns;
    sleep_until(std::min(until_ns, now_ns + every_ns));
  }
}

bool Keeper::adjust_memory(const Pace& pace) {
  leaving_ = leaving_ || pace.used_ns() + ballast_.release_cost_ns() >= pace.work_ns();
  double progress = overall_progress(page_.order, 1, pace.progress());
  return ballast_.adjust(leaving_ ? 0 : memory_at(page_.order, progress));
}

void Keeper::report(const Pace& pace) {
  double progress = overall_progress(page_.order, 1, pace.progress());
  page_.report.progress.store(progress, std::memory_order_relaxed);
  page_.report.cpu_ns.store(process_cpu_ns(), std::memory_order_relaxed);
}

void Keeper::finish() {
  page_.report.progress.store(1, std::memory_order_relaxed);
  page_.report.cpu_ns.store(process_cpu_ns(), std::memory_order_relaxed);
  page_.report.done.store(1, std::memory_order_release);
}

void burn_thread(TaskPage& page, Keeper* keeper) {
  bool paced = page.order.paced != 0;
  // The thread's CPU clock starts with the thread; the first thread's holds the start-up.
  Pace pace(page.order.cpu_ns_per_thread, thread_cpu_ns());
  while (!pace.burnt()) {
    if (paced) wait_until(page.line, [&](const Line& l) { return pace.burst_due_ns(l); });
    burst(page, pace, keeper);
    if (keeper != nullptr) keeper->report(pace);
  }
  if (paced) wait_until(page.line, [&](const Line& l) { return pace.done_due_ns(l); });
  raise_to(page.report.forfeited_ns, pace.forfeited_wall_ns());
  page.report.hungry.fetch_sub(1);
  ring_doorbell();
}

}  // namespace heddle::task
