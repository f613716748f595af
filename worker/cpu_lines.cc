#include "worker/cpu_lines.h"

#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <new>

#include "core/model/cpu_share.h"

namespace heddle::worker {
namespace {

/// If the worker notices within this time that a task wants CPU, the task's rate counts from when
/// it began to want some.
constexpr std::int64_t kLateNewsNs = 50'000'000;

std::int64_t ns(real::Time time) { return time.time_since_epoch().count(); }

/// Returns whether the part wants CPU as soon as it begins.
bool burns_first(const PartOrder& part) {
  const std::int64_t first_ns =
      part.piece_count > 0 ? part.pieces[0].cpu_ns : part.cpu_ns_per_thread / (part.pauses + 1);
  return part.number != 0 && first_ns > 0 && part.sleep_ns == 0;
}

void order_pieces(const TaskWork& work, const Scale& scale, PartOrder& order) {
  assert(work.pieces.size() <= static_cast<std::size_t>(kMaxPieces));
  const std::vector<PieceEnd> ends = piece_ends(work);
  for (std::size_t i = 0; i < work.pieces.size(); ++i)
    order.pieces[order.piece_count++] = {
        scale.cpu_to_real(work.pieces[i].cpu).count() / work.threads,
        scale.to_real(work.pieces[i].pause).count(), ends[i].burnt, ends[i].rested};
}

}  // namespace

PartOrder order_for(const ProcessPart& part, const Scale& scale, Millicores cores, double speed,
                    CpuLimit limit) {
  const TaskWork& work = part.work;
  assert(work.threads >= 1 && work.threads <= kMaxThreads);
  PartOrder order;
  order.number = part.number;
  order.last = part.last ? 1 : 0;
  order.cpu_ns_per_thread = scale.cpu_to_real(work.cpu).count() / work.threads;
  order.threads = work.threads;
  order.pauses = work.pauses;
  order.pause_ns = scale.to_real(work.pause).count();
  order.sleep_ns = scale.to_real(work.sleep).count();
  order.from = part.from;
  order.to = part.to;
  order_pieces(work, scale, order);
  EmuTime ideal = ideal_time(work, cores, speed, limit == CpuLimit::kShares);
  if (ideal > EmuTime(0)) {
    order.sleep_share = to_seconds(work.sleep) / to_seconds(ideal);
    order.pause_share = to_seconds(work.pause * work.pauses) / to_seconds(ideal);
  }
  return order;
}

TaskOrder order_for(const TaskWork& work, const Scale& scale, Millicores cores, double speed,
                    CpuLimit limit, Pacing pacing) {
  assert(work.memory.size() <= static_cast<std::size_t>(kMaxMemoryPoints));
  TaskOrder order;
  if (begins_at_once(work))
    order.part = order_for(whole_part(work), scale, cores, speed, limit);
  else
    order.part.number = 0;
  order.paced = pacing == Pacing::kLine ? 1 : 0;
  if (work.crash_at) order.crash_at = *work.crash_at;
  for (const MemoryPoint& point : work.memory)
    order.memory[order.memory_points++] = {point.progress, scale.to_real(point.use).count()};
  return order;
}

/// The memfd of a TaskPage, mapped.
struct CpuLines::Page {
  Fd fd;
  TaskPage* page = nullptr;

  Page() = default;
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;
  ~Page() {
    if (page != nullptr) ::munmap(page, sizeof(TaskPage));
  }

  static Result<std::unique_ptr<Page>> make() {
    auto made = std::make_unique<Page>();
    made->fd = Fd(::memfd_create("heddle-task-page", MFD_CLOEXEC));
    if (!made->fd) return system_error("create the page of a task", errno);
    if (::ftruncate(made->fd.get(), sizeof(TaskPage)) < 0)
      return system_error("size the page of a task", errno);
    void* memory =
        ::mmap(nullptr, sizeof(TaskPage), PROT_READ | PROT_WRITE, MAP_SHARED, made->fd.get(), 0);
    if (memory == MAP_FAILED) return system_error("map the page of a task", errno);
    made->page = new (memory) TaskPage;
    return made;
  }
};

struct CpuLines::Entry {
  std::unique_ptr<Page> page;
  Millicores allocated;
  int threads = 0;
  int part = 0;  ///< number of the present part; 0: none
  int told = 0;  ///< number of the last part whose end was returned
  bool suspended = false;
  bool contended = false;
  bool part_disturbed = false;  ///< PartTimes::disturbed
  bool releases = false;        ///< returned by releasing
  Kind kind = Kind::kTask;
  // The line as published. a0_ns is exact; the page has whole nanoseconds.
  double a0_ns = 0;
  std::int64_t tc_ns = 0;
  double rate = 0;
  std::int64_t resumed_ns = 0;  ///< last suspension, or the time from which it may continue

  TaskReport& report() const { return page->page->report; }

  bool stands_still(std::int64_t now_ns) const { return suspended || resumed_ns > now_ns; }

  /// Returns how many threads want CPU. The task can write to the page, too, so check what is in
  /// it.
  int runnable() const {
    if (kind == Kind::kCommand) return threads;
    return std::clamp(report().runnable.load(std::memory_order_acquire), 0, threads);
  }

  /// Returns when the new rate began to hold: now, or somewhat earlier if the task has just begun
  /// to want CPU. The delay until we noticed is our fault, so the task may make up for it.
  std::int64_t rate_since(std::int64_t now_ns) const {
    if (rate > 0) return now_ns;
    std::int64_t since = report().runnable_since_ns.load(std::memory_order_relaxed);
    if (since < now_ns - kLateNewsNs) return now_ns;
    return std::min(std::max({since, tc_ns, resumed_ns}), now_ns);
  }

  void restart(std::int64_t at_ns) {
    a0_ns = 0;
    tc_ns = at_ns;
  }

  void preset_hunger(const PartOrder& given) {
    report().runnable.store(burns_first(given) ? given.threads : 0);
  }

  void publish(double new_rate, std::int64_t at_ns) {
    at_ns = std::max(at_ns, tc_ns);
    a0_ns += rate * static_cast<double>(at_ns - tc_ns);
    tc_ns = at_ns;
    rate = new_rate;
    CpuLine& line = page->page->line;
    std::uint32_t sequence = line.seq.load(std::memory_order_relaxed);
    line.seq.store(sequence + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    line.a0_ns.store(static_cast<std::int64_t>(a0_ns), std::memory_order_relaxed);
    line.tc_ns.store(tc_ns, std::memory_order_relaxed);
    line.rate.store(rate, std::memory_order_relaxed);
    line.seq.store(sequence + 2, std::memory_order_release);
    // Between processes, so not FUTEX_WAKE_PRIVATE.
    ::syscall(SYS_futex, &line.seq, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
};

CpuLines::CpuLines(const Node& node, Fd doorbell) : node_(node), doorbell_(std::move(doorbell)) {}
CpuLines::~CpuLines() = default;

Result<std::unique_ptr<CpuLines>> CpuLines::create(const Node& node) {
  Fd doorbell(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!doorbell) return system_error("create the doorbell of the tasks", errno);
  return std::unique_ptr<CpuLines>(new CpuLines(node, std::move(doorbell)));
}

Result<std::unique_ptr<CpuLines::Page>> CpuLines::blank_page() {
  if (pool_.empty()) return Page::make();
  std::unique_ptr<Page> page = std::move(pool_.back());
  pool_.pop_back();
  new (page->page) TaskPage;  // clears what the last container left
  return page;
}

Result<int> CpuLines::add_command(ContainerId container, Millicores allocated, real::Time now) {
  TaskOrder order;
  order.part.threads = std::max(1, static_cast<int>((allocated.count() + 999) / 1000));
  return add(container, allocated, order, now, Kind::kCommand);
}

Result<int> CpuLines::add(ContainerId container, Millicores allocated, TaskOrder order,
                          real::Time now, Kind kind) {
  assert(!entries_.contains(container));
  Result<std::unique_ptr<Page>> page = blank_page();
  if (!page) return std::move(page).error();
  order.part.start_ns = ns(now);
  order.parent_pid = ::getpid();
  (*page)->page->order = order;

  Entry& entry = entries_[container];
  entry.page = *std::move(page);
  entry.allocated = allocated;
  entry.threads = order.part.threads;
  entry.part = order.part.number;
  entry.kind = kind;
  entry.preset_hunger(order.part);
  entry.publish(0, ns(now));
  refill(now);
  return entry.page->fd.get();
}

void CpuLines::begin(ContainerId container, real::Time now) {
  Entry& entry = entries_.at(container);
  // The task may read start_ns while it sleeps.
  std::atomic_ref(entry.page->page->order.part.start_ns).store(ns(now), std::memory_order_relaxed);
  entry.restart(ns(now));
  entry.publish(entry.rate, ns(now));
}

void CpuLines::give(ContainerId container, const PartOrder& part, real::Time now) {
  auto it = entries_.find(container);
  if (it == entries_.end()) return;
  Entry& entry = it->second;
  entry.threads = part.threads;
  entry.part = part.number;
  entry.part_disturbed = false;
  entry.preset_hunger(part);
  // Restart the line first: the line of the last part has risen, so under it the task would hurry.
  entry.restart(ns(now));
  refill(now);
  entry.publish(entry.rate, ns(now));

  PartOrder& shared = entry.page->page->order.part;
  PartOrder unnumbered = part;
  unnumbered.start_ns = ns(now);
  unnumbered.number = shared.number;
  shared = unnumbered;
  std::atomic_ref(shared.number).store(part.number, std::memory_order_release);
  entry.publish(entry.rate, ns(now));  // wakes the task, which sees the part by then
}

void CpuLines::remove(ContainerId container, real::Time now) {
  auto it = entries_.find(container);
  if (it == entries_.end()) return;
  pool_.push_back(std::move(it->second.page));
  entries_.erase(it);
  refill(now);
}

void CpuLines::set_suspended(ContainerId container, bool suspended, real::Time now,
                             real::Duration cost) {
  auto it = entries_.find(container);
  if (it == entries_.end()) return;
  it->second.suspended = suspended;
  it->second.part_disturbed = true;
  it->second.resumed_ns = ns(now + cost);
  refill(now);
}

real::Time CpuLines::next_due() const {
  std::int64_t next = INT64_MAX;
  for (const auto& [id, entry] : entries_)
    if (!entry.suspended && entry.resumed_ns > refilled_ns_)
      next = std::min(next, entry.resumed_ns);
  return next == INT64_MAX ? real::Time::max() : real::Time(real::Duration(next));
}

std::vector<CpuLines::DonePart> CpuLines::on_doorbell(real::Time now) {
  eventfd_t rings = 0;
  ::eventfd_read(doorbell_.get(), &rings);  // may fail if nobody rang; dividing again does no harm
  refill(now);
  std::vector<DonePart> done;
  for (auto& [id, entry] : entries_) {
    if (entry.told == entry.part || entry.report().parts_done.load() != entry.part) continue;
    entry.told = entry.part;
    done.push_back({id, entry.part});
  }
  return done;
}

std::vector<ContainerId> CpuLines::releasing() {
  std::vector<ContainerId> announced;
  for (auto& [id, entry] : entries_) {
    const bool releases = entry.page->page->ballast.releasing.load() != 0;
    if (releases && !entry.releases) announced.push_back(id);
    entry.releases = releases;
  }
  return announced;
}

TaskPage& CpuLines::page(ContainerId container) const { return *entries_.at(container).page->page; }

void CpuLines::refill(real::Time now) {
  refilled_ns_ = ns(now);
  std::vector<CpuClaim> claims;
  claims.reserve(entries_.size());
  for (const auto& [id, entry] : entries_)
    claims.push_back({entry.allocated, entry.runnable(), entry.stands_still(refilled_ns_),
                      entry.kind != Kind::kTask});
  CpuShares shares = share_cpu(claims, node_.cores, node_.speed * slowed_, node_.limit);

  double cpus_per_core = node_.scale.to_real(Millicores(1000), 1.0).value;
  auto share = shares.begin();
  for (auto& [id, entry] : entries_) {
    const bool disturbed = share->contended || slowed_ < 1;
    entry.contended = entry.contended || disturbed;
    entry.part_disturbed = entry.part_disturbed || disturbed;
    double rate = share->per_thread * cpus_per_core;
    if (rate != entry.rate) entry.publish(rate, entry.rate_since(ns(now)));
    ++share;
  }
}

bool CpuLines::contended(ContainerId container) const {
  auto it = entries_.find(container);
  return it != entries_.end() && it->second.contended;
}

PartTimes CpuLines::part_times(ContainerId container) const {
  const Entry& entry = entries_.at(container);
  const TaskReport& report = entry.report();
  PartTimes times;
  times.begun = real::Time(real::Duration(entry.page->page->order.part.start_ns));
  times.disturbed = entry.part_disturbed;
  if (std::int64_t done_ns = report.done_ns.load(std::memory_order_acquire); done_ns != 0)
    times.done = real::Time(real::Duration(done_ns));
  else if (report.parts_done.load(std::memory_order_acquire) == entry.part)
    times.done = real::Time(real::Duration(report.part_done_ns.load(std::memory_order_relaxed)));
  return times;
}

std::optional<TaskSaid> CpuLines::said(ContainerId container) const {
  auto it = entries_.find(container);
  if (it == entries_.end()) return std::nullopt;
  const TaskReport& report = it->second.report();
  double progress = report.progress.load(std::memory_order_relaxed);
  TaskSaid said;
  said.progress = progress >= 0 ? std::min(progress, 1.0) : 0;  // NaN: 0
  said.cpu = real::Duration(report.cpu_ns.load(std::memory_order_relaxed));
  said.release_cpu =
      real::Duration(it->second.page->page->ballast.release_cpu_ns.load(std::memory_order_relaxed));
  said.startup_cpu = real::Duration(report.startup_cpu_ns.load(std::memory_order_relaxed));
  said.forfeited = real::Duration(report.forfeited_ns.load(std::memory_order_relaxed));
  if (std::int64_t done_ns = report.done_ns.load(std::memory_order_acquire); done_ns != 0)
    said.done = real::Time(real::Duration(done_ns));
  said.start_error = report.start_error.load(std::memory_order_relaxed);
  said.failed_step = report.failed_step.load(std::memory_order_relaxed);
  said.end_signal = report.end_signal.load(std::memory_order_relaxed);
  said.exceeded = {report.limit.load(std::memory_order_relaxed),
                   report.limit_use.load(std::memory_order_relaxed),
                   report.limit_reserve.load(std::memory_order_relaxed)};
  return said;
}

}  // namespace heddle::worker
