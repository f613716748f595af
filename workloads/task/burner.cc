#include "workloads/task/burner.h"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>

#include "workloads/task/kernel.h"

namespace heddle::task {
namespace {

/// A piece of CPU work that all threads do at once.
struct Piece {
  TaskPage& page;
  std::int64_t work_ns;                   ///< of each thread
  double origin_ns = 0;                   ///< where the line stood when the piece began
  std::atomic<std::int64_t> ended_ns{0};  ///< when the line reached the last thread's work
  std::atomic<std::int64_t> lost_ns{0};   ///< wall time, of the thread that lost most

  bool paced() const { return page.order.paced != 0; }
};

/// How long before much memory is given back the worker has to know.
constexpr std::int64_t kAnnounceNs = 2'000'000;

/// Burns some microseconds with plain arithmetic, between two looks at the clocks.
void burn_a_little() {
  std::uint64_t x = 88172645463325252U;
  for (int i = 0; i < 4000; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  asm volatile("" : : "r"(x));  // or the compiler removes all of it
}

/// Waits until the time that `due` gives for the line as it is then, and returns that time.
template <class Due>
std::int64_t wait_until(const CpuLine& published, Due due) {
  for (;;) {
    std::uint32_t sequence = 0;
    Line line = read_line(published, sequence);
    std::int64_t until_ns = due(line);
    if (until_ns <= monotonic_ns()) return until_ns;
    wait_for_line(published, sequence, until_ns);
  }
}

std::int64_t earlier(std::int64_t due_ns, std::int64_t by_ns) {
  return due_ns == kNever ? kNever : due_ns - by_ns;
}

void raise_to(std::atomic<std::int64_t>& most, std::int64_t value) {
  std::int64_t seen = most.load(std::memory_order_relaxed);
  while (seen < value && !most.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

/// Runs one thread's share of a piece.
class Burner {
 public:
  /// `base_ns`: the thread's CPU clock where the piece begins. `keeper`: nullptr except for the
  /// first thread.
  Burner(Piece& piece, std::int64_t base_ns, Keeper* keeper)
      : piece_(piece),
        base_ns_(base_ns),
        keeper_(keeper),
        pace_(piece.work_ns, used_ns(), piece.origin_ns) {}

  /// Burns the work. Returns when the line has reached it.
  void run() {
    const CpuLine& line = piece_.page.line;
    while (!pace_.burnt()) {
      const std::int64_t early_ns = keeper_ != nullptr ? keeper_->leave_ns(pace_) : 0;
      if (piece_.paced())
        wait_until(line, [&](const Line& l) { return earlier(pace_.burst_due_ns(l), early_ns); });
      burst();
      if (keeper_ != nullptr) keeper_->report(pace_);
    }
    std::int64_t ended_ns = monotonic_ns();
    if (piece_.paced()) {
      std::int64_t due_ns = wait_until(line, [&](const Line& l) { return pace_.done_due_ns(l); });
      // A delay counts as made up, but no more than the depth, because the line may have changed.
      ended_ns = std::max(due_ns, ended_ns - Pace::kDepthNs);
    }
    raise_to(piece_.ended_ns, ended_ns);
    raise_to(piece_.lost_ns, pace_.forfeited_wall_ns());
    piece_.page.report.runnable.fetch_sub(1);
    ring(kTaskDoorbellFd);
  }

 private:
  /// CPU for the ballast is not the task's.
  std::int64_t used_ns() const {
    return thread_cpu_ns() - base_ns_ - (keeper_ != nullptr ? keeper_->memory_cpu_ns() : 0);
  }

  void observe() {
    std::int64_t used = used_ns();
    if (!piece_.paced()) return pace_.observe(used);
    std::uint32_t sequence = 0;
    Line line = read_line(piece_.page.line, sequence);
    pace_.observe(line, monotonic_ns(), used);
  }

  void burst() {
    std::int64_t goal_ns = pace_.burst_goal_ns();
    observe();  // the wait may have ended late
    bool adjusting = keeper_ != nullptr;
    do {
      adjusting = adjusting && keeper_->adjust_memory(pace_);
      if (!adjusting) burn_a_little();
      observe();
    } while (pace_.used_ns() < goal_ns);
  }

  Piece& piece_;
  std::int64_t base_ns_;
  Keeper* keeper_;
  Pace pace_;
};

void* further_thread(void* piece) {
  Burner(*static_cast<Piece*>(piece), 0, nullptr).run();
  return nullptr;
}

/// Reports that the threads want CPU since `since_ns`, unless the report says so already.
void announce_hunger(TaskReport& report, int threads, std::int64_t since_ns) {
  if (report.runnable.load() == threads) return;
  report.runnable_since_ns.store(since_ns);
  report.runnable.store(threads);
  ring(kTaskDoorbellFd);
}

/// Runs all threads, this one first, until all have done their work.
void burn(Piece& piece, Keeper& keeper) {
  // CPU that this thread has used since its last work, including its start-up, is part of the next.
  static std::int64_t base_ns = 0;
  int count = piece.page.order.part.threads;
  pthread_attr_t attributes;
  ::pthread_attr_init(&attributes);
  ::pthread_attr_setstacksize(&attributes, 64 << 10);
  static pthread_t threads[kMaxThreads];
  for (int i = 1; i < count; ++i)
    if (::pthread_create(&threads[i], &attributes, further_thread, &piece) != 0)
      die(kTaskExitResource, "can't start a thread");
  Burner(piece, base_ns, &keeper).run();
  for (int i = 1; i < count; ++i) ::pthread_join(threads[i], nullptr);
  base_ns += piece.work_ns;
  piece.page.report.forfeited_ns.fetch_add(piece.lost_ns.load());
}

/// Burns a piece of the part that is due from `since_ns` on. Returns when the piece was done.
std::int64_t do_piece(TaskPage& page, Keeper& keeper, int number, std::int64_t since_ns) {
  const PartOrder& part = page.order.part;
  Piece piece{page, piece_cpu_ns(part, number)};
  if (number > 0) {
    // The line may have risen meanwhile: the worker may learn late, or not at all, that no thread
    // wanted CPU.
    std::uint32_t sequence = 0;
    piece.origin_ns = read_line(page.line, sequence).at(since_ns);
  }
  keeper.begin(piece_step(part, number));
  announce_hunger(page.report, part.threads, since_ns);
  burn(piece, keeper);
  return piece.ended_ns.load();
}

}  // namespace

void Keeper::wait(std::int32_t done) {
  for (;;) {
    // The order matters: a part that is given after the look at it changes the sequence number.
    std::uint32_t sequence = 0;
    read_line(page_.line, sequence);
    if (std::atomic_ref(page_.order.part.number).load(std::memory_order_acquire) != done) return;
    if (ballast_.adjust(memory_at(page_.order, step_.to))) continue;
    report(step_.to);
    wait_for_line(page_.line, sequence, kNever);
  }
}

void Keeper::begin(const Step& step) {
  step_ = step;
  ballast_.look_again();
  while (ballast_.adjust(leaving_ ? 0 : memory_at(page_.order, step_.from))) {
  }
}

std::int64_t Keeper::rest(std::int64_t& start_ns, std::int64_t length_ns) {
  // A wake-up costs some 12 microseconds; with a flat profile it does little but report progress.
  constexpr std::int64_t kMs = 1'000'000;
  std::int64_t every_ns = flat_memory(page_.order)
                              ? std::max(length_ns / 64, 250 * kMs)
                              : std::clamp(length_ns / 128, 20 * kMs, 500 * kMs);
  for (;;) {
    std::int64_t now_ns = monotonic_ns();
    // Read again each time, because the worker sets it once more when it has seen the exec succeed.
    std::int64_t end_ns = std::atomic_ref(start_ns).load(std::memory_order_relaxed) + length_ns;
    std::int64_t left_ns = end_ns - now_ns;
    if (left_ns <= 0) return end_ns;
    double progress = step_.at(1 - static_cast<double>(left_ns) / static_cast<double>(length_ns));
    page_.report.progress.store(progress, std::memory_order_relaxed);
    std::int64_t release_ns = step_.ends ? ballast_.release_cost_ns() : 0;
    if (step_.ends && left_ns <= release_ns + kAnnounceNs) ballast_.announce_release();
    leaving_ = leaving_ || left_ns <= release_ns;
    if (ballast_.adjust(leaving_ ? 0 : memory_at(page_.order, progress))) continue;
    report(progress);
    std::int64_t until_ns = leaving_ ? end_ns : end_ns - release_ns;
    if (!leaving_ && release_ns > 0 && left_ns > release_ns + kAnnounceNs) until_ns -= kAnnounceNs;
    if (double crash = step_.done_at(page_.order.crash_at); crash <= 1)
      until_ns = std::min(until_ns, end_ns - static_cast<std::int64_t>(
                                                 (1 - crash) * static_cast<double>(length_ns)));
    sleep_until(std::min(until_ns, now_ns + every_ns));
  }
}

bool Keeper::adjust_memory(const Pace& pace) {
  return ballast_.adjust(leaving_ ? 0 : memory_at(page_.order, step_.at(pace.progress())));
}

std::int64_t Keeper::leave_ns(const Pace& pace) {
  if (!step_.ends || pace.burst_goal_ns() < pace.work_ns()) return 0;
  leaving_ = true;
  ballast_.announce_release();
  return ballast_.release_cost_ns();
}

void Keeper::report(double progress) {
  if (progress >= page_.order.crash_at) ::_exit(kTaskExitCrash);
  page_.report.progress.store(progress, std::memory_order_relaxed);
  page_.report.cpu_ns.store(process_cpu_ns() - ballast_.cpu_ns(), std::memory_order_relaxed);
}

void Keeper::finish(const PartOrder& part) {
  step_ = {part.to, part.to, false};
  report(part.to);
  if (part.last != 0) return page_.report.done_ns.store(monotonic_ns(), std::memory_order_release);
  page_.report.part_done_ns.store(monotonic_ns(), std::memory_order_relaxed);
  page_.report.parts_done.store(part.number, std::memory_order_release);
  ring(kTaskDoorbellFd);
}

void do_part(TaskPage& page, Keeper& keeper) {
  PartOrder& part = page.order.part;
  keeper.begin(sleep_step(part));
  std::int64_t since_ns = keeper.rest(part.start_ns, part.sleep_ns);
  for (int i = 0; i < piece_count(part); ++i) {
    const bool burns = piece_cpu_ns(part, i) > 0;
    if (burns) since_ns = do_piece(page, keeper, i, since_ns);
    keeper.begin(pause_step(part, i));
    // As long as nothing has been burnt, the worker may still move the beginning of the part.
    std::int64_t& start_ns = i == 0 && !burns ? part.start_ns : since_ns;
    since_ns = keeper.rest(start_ns, pause_ns(part, i));
  }
}

}  // namespace heddle::task
