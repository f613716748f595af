#include "worker/memory_filler.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <random>
#include <span>
#include <utility>

#include "common/host_clock.h"
#include "common/own_usage.h"
#include "worker/fill_nice.h"

namespace heddle::worker {
namespace {

/// Small pages are filled in steps of this size, so that a new lower target is soon seen.
constexpr std::int64_t kSlice = 1 << 20;
constexpr int kRetryMs = 2;

/// Writes noise to the process's memory. Returns 0, or the errno.
int write_to(pid_t process, std::uint64_t address, std::span<const std::byte> noise) {
  iovec from{const_cast<std::byte*>(noise.data()), noise.size()};
  iovec to{reinterpret_cast<void*>(address), noise.size()};
  const ssize_t written = ::process_vm_writev(process, &from, 1, &to, 1, 0);
  if (written == static_cast<ssize_t>(noise.size())) return 0;
  return written < 0 ? errno : EFAULT;
}

bool is_refusal(int error) { return error == EPERM || error == ENOSYS; }

/// The priority of the calling thread.
class Priority {
 public:
  Priority() {
    (void)set(kUrgentNice + 1);
    rises_ = set(kUrgentNice);
  }
  /// Begins or continues to fill.
  void fill() {
    if (!rises_) return;  // an ordinary user's thread would stay at the lowest priority it ever had
    const real::Time now = real::now();
    const double cpu_s = thread_cpu_s();
    if (!began_) began_ = {now, cpu_s};
    const std::chrono::duration<double> cpu(cpu_s - began_->second);
    const int nice =
        fill_nice(now - began_->first, std::chrono::duration_cast<real::Duration>(cpu));
    if (std::exchange(nice_, nice) != nice) (void)set(nice);
  }
  void rest() { began_.reset(); }

 private:
  static bool set(int nice) { return ::setpriority(PRIO_PROCESS, 0, nice) == 0; }

  bool rises_ = false;
  int nice_ = kUrgentNice;
  std::optional<std::pair<real::Time, double>> began_;  ///< time and CPU seconds
};

}  // namespace

std::int64_t MemoryFiller::Entry::charge() const {
  std::array<char, 32> text{};
  const ssize_t n = ::pread(usage.get(), text.data(), text.size() - 1, 0);
  return n > 0 ? std::atoll(text.data()) : page->held.load();
}

std::int64_t MemoryFiller::Entry::missing() const {
  const std::int64_t room = page->room.load() - page->held.load();
  return std::min(page->wanted.load() - charge(), room);
}

bool MemoryFiller::Entry::at_huge_page() const {
  const std::int64_t held = page->held.load();
  return held % kHugePage == 0 && held >= page->huge_begin.load() &&
         held + kHugePage <= page->huge_end.load();
}

bool MemoryFiller::Entry::lacks() const {
  if (page->refused.load() != 0) return false;  // the task fills itself
  return missing() >= (at_huge_page() ? kHugePage / 2 : kBallastStep);
}

bool MemoryFiller::Entry::changed() const {
  return page->wanted.load() != seen_wanted || page->held.load() != seen_held ||
         page->room.load() != seen_room;
}

void MemoryFiller::Entry::look() {
  seen_wanted = page->wanted.load();
  seen_held = page->held.load();
  seen_room = page->room.load();
  if (lacks()) {
    lacks_since_ns = std::min(lacks_since_ns, std::max(page->wanted_since_ns.load(), began_ns));
    large_step = large_step || missing() >= kLargeStep;
    return;
  }
  if (large_step)
    report.lags.push_back(std::chrono::steady_clock::now().time_since_epoch() -
                          real::Duration(lacks_since_ns));
  if (lacks_since_ns != kNever) report.highest = std::max(report.highest, real::Bytes(charge()));
  lacks_since_ns = kNever;
  large_step = false;
}

Result<std::unique_ptr<MemoryFiller>> MemoryFiller::run() {
  std::unique_ptr<MemoryFiller> filler(new MemoryFiller);
  filler->bell_ = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!filler->bell_) return system_error("create the fill doorbell of the tasks", errno);
  filler->noise_.resize(kHugePage);
  std::minstd_rand random(static_cast<unsigned>(::getpid()));
  std::ranges::generate(filler->noise_, [&] { return static_cast<std::byte>(random() >> 16); });
  filler->thread_ = std::thread([self = filler.get()] { self->work(); });
  return filler;
}

MemoryFiller::~MemoryFiller() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ::eventfd_write(bell_.get(), 1);
  thread_.join();
}

void MemoryFiller::add(ContainerId container, pid_t process, BallastPage& page, Fd usage,
                       real::Time began) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[container];
  entry.process = process;
  entry.page = &page;
  entry.usage = std::move(usage);
  entry.began_ns = began.time_since_epoch().count();
  ::eventfd_write(bell_.get(), 1);  // the task may have rung before
}

FillReport MemoryFiller::remove(ContainerId container) {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return current_ != container; });
  auto found = entries_.find(container);
  if (found == entries_.end()) return {};
  FillReport report = std::move(found->second.report);
  entries_.erase(found);
  return report;
}

std::optional<ContainerId> MemoryFiller::next() {
  std::optional<ContainerId> first;
  std::int64_t since_ns = kNever;
  for (auto& [container, entry] : entries_) {
    if (entry.failed) continue;
    if (entry.changed()) entry.look();
    if (entry.lacks_since_ns >= since_ns) continue;
    first = container;
    since_ns = entry.lacks_since_ns;
  }
  return first;
}

void MemoryFiller::work() {
  Priority priority;
  std::unique_lock lock(mutex_);
  while (!ends_) {
    current_ = next();
    if (current_) {
      Entry& entry = entries_.at(*current_);
      lock.unlock();
      priority.fill();
      fill(entry);
      lock.lock();
      current_.reset();
      idle_.notify_all();
      continue;
    }
    const bool retry =
        std::ranges::any_of(entries_, [](const auto& one) { return one.second.failed; });
    lock.unlock();
    priority.rest();
    pollfd wait{bell_.get(), POLLIN, 0};
    ::poll(&wait, 1, retry ? kRetryMs : -1);
    eventfd_t rings;
    ::eventfd_read(bell_.get(), &rings);
    lock.lock();
    for (auto& [container, entry] : entries_) {
      entry.failed = false;
      entry.seen_wanted = -1;  // the charge may have changed
    }
  }
}

/// Fills one slice of what the container lacks.
void MemoryFiller::fill(Entry& entry) {
  BallastPage& page = *entry.page;
  const double began_cpu_s = thread_cpu_s();
  page.filling.store(1);
  const std::int64_t missing = entry.missing(), held = page.held.load();
  int error = 0;
  if (entry.lacks()) {
    const std::uint64_t address = page.base.load() + static_cast<std::uint64_t>(held);
    const std::span<const std::byte> noise(noise_);
    const bool huge = entry.at_huge_page();
    const std::int64_t to_boundary = kHugePage - held % kHugePage;
    const std::int64_t done =
        huge ? kHugePage : std::min({missing / kBallastStep * kBallastStep, kSlice, to_boundary});
    const std::int64_t before = huge ? entry.charge() : 0;
    error =
        write_to(entry.process, address, noise.first(huge ? 8 : static_cast<std::size_t>(done)));
    // Without a free huge page, the kernel has made a small one.
    if (huge && error == 0 && entry.charge() < before + kHugePage / 2)
      error = write_to(entry.process, address, noise);
    if (error == 0) page.held.store(held + done);
  }
  if (is_refusal(error)) page.refused.store(1);
  page.filling.store(0);
  entry.failed = error != 0 && !is_refusal(error);
  if (!entry.failed) entry.look();
  entry.report.cpu += std::chrono::duration_cast<real::Duration>(
      std::chrono::duration<double>(thread_cpu_s() - began_cpu_s));
}

}  // namespace heddle::worker
