#include "sim/task_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heddle {
namespace {

/// Microseconds that are no time at all: what rounding makes of nothing.
constexpr double kTiny = 1e-3;
constexpr double kEndless = std::numeric_limits<double>::infinity();

double us(EmuTime time) { return static_cast<double>(time.count()); }

/// `wait` microseconds from `now` on, rounded up; never if that is beyond all reason.
EmuTime later(EmuTime now, double wait) {
  if (!(wait < 9e18 - us(now))) return kNever;
  return now + EmuTime(std::max<std::int64_t>(0, std::llround(std::ceil(wait - kTiny))));
}

}  // namespace

EmuTime time_above(double use, double slope, EmuBytes limit, EmuTime now) {
  if (slope <= 0) return kNever;
  double wait = std::floor((static_cast<double>(limit.count()) - use) / slope) + 1;
  return wait < 9e18 - us(now) ? now + EmuTime(std::llround(wait)) : kNever;
}

TaskModel::TaskModel(const TaskWork& work, EmuTime ideal, EmuBytes limit, EmuTime now)
    : work_(work), ideal_(ideal), limit_(limit), since_(now) {
  cpu_per_thread_ = static_cast<double>(work.cpu.count()) / work.threads;
  if (work.cpu == CoreTime(0)) {
    sleep_share_ = 1;
  } else if (work.sleep > EmuTime(0)) {
    sleep_share_ = us(work.sleep) / us(ideal);
  }
  if (!work_.waits) begin_sleep(now);
  if (stage_ == Stage::kSleeping && work_.sleep == EmuTime(0)) begin_work();
  rebase(now);
}

void TaskModel::begin_sleep(EmuTime now) {
  stage_ = Stage::kSleeping;
  sleep_end_ = now + work_.sleep;
}

void TaskModel::begin_work() { stage_ = work_.cpu > CoreTime(0) ? Stage::kWorking : Stage::kDone; }

int TaskModel::hungry() const { return stage_ == Stage::kWorking ? work_.threads : 0; }

double TaskModel::progress(EmuTime now) const {
  if (suspended_) return progress_;
  switch (stage_) {
    case Stage::kWaiting:
      return 0;
    case Stage::kSleeping: {
      double slept = 1 - us(sleep_end_ - now) / us(work_.sleep);
      return sleep_share_ * std::clamp(slept, 0.0, 1.0);
    }
    case Stage::kWorking: {
      double done = (done_ + rate_ * us(now - since_)) / cpu_per_thread_;
      return sleep_share_ + (1 - sleep_share_) * std::min(done, 1.0);
    }
    case Stage::kDone:
      return 1;
  }
  return 0;
}

CoreTime TaskModel::cpu(EmuTime now) const {
  double done = std::min(done_ + rate_ * us(now - since_), cpu_per_thread_);
  return CoreTime(std::llround(done * work_.threads));
}

double TaskModel::memory(EmuTime now) const { return memory_at(progress(now)); }

double TaskModel::memory_at(double progress) const {
  const std::vector<MemoryPoint>& points = work_.memory;
  if (points.empty()) return 0;
  auto use = [](const MemoryPoint& point) { return static_cast<double>(point.use.count()); };
  if (corner_ == 0) return use(points.front());
  const MemoryPoint& from = points[corner_ - 1];
  if (corner_ == points.size()) return use(from);
  const MemoryPoint& to = points[corner_];
  double way = std::clamp((progress - from.progress) / (to.progress - from.progress), 0.0, 1.0);
  return use(from) + way * (use(to) - use(from));
}

double TaskModel::growth_of_progress() const {
  if (suspended_) return 0;
  if (stage_ == Stage::kSleeping) return sleep_share_ / us(work_.sleep);
  if (stage_ == Stage::kWorking) return (1 - sleep_share_) * rate_ / cpu_per_thread_;
  return 0;
}

double TaskModel::time_to_corner() const {
  double growth = growth_of_progress();
  if (corner_ == work_.memory.size() || growth <= 0) return kEndless;
  return (work_.memory[corner_].progress - progress_) / growth;
}

void TaskModel::pass_corners() {
  auto reached = [&] {
    return work_.memory[corner_].progress <= progress_ || time_to_corner() <= kTiny;
  };
  while (corner_ < work_.memory.size() && reached()) ++corner_;
}

void TaskModel::snap_to_corner() {
  if (corner_ < work_.memory.size() && time_to_corner() <= kTiny)
    progress_ = std::max(progress_, work_.memory[corner_].progress);
}

void TaskModel::rebase(EmuTime now) {
  double before = memory_at(progress_);
  progress_ = progress(now);
  snap_to_corner();
  double after = memory_at(progress_);
  byte_us_ += (before + after) / 2 * us(now - since_);
  peak_ = std::max({peak_, before, after});
  if (stage_ == Stage::kWorking) {
    done_ = std::min(done_ + rate_ * us(now - since_), cpu_per_thread_);
  }
  since_ = now;
  pass_corners();
}

void TaskModel::advance(EmuTime now) {
  rebase(now);
  if (suspended_) return;
  if (stage_ == Stage::kSleeping && now >= sleep_end_) begin_work();
  if (stage_ == Stage::kWorking && cpu_per_thread_ - done_ <= rate_ * kTiny) {
    done_ = cpu_per_thread_;
    stage_ = Stage::kDone;
  }
}

void TaskModel::set_rate(double rate, EmuTime now) {
  rebase(now);
  rate_ = rate;
}

void TaskModel::suspend(EmuTime now) {
  rebase(now);
  suspended_ = true;
}

void TaskModel::resume(EmuTime now) {
  rebase(now);
  suspended_ = false;
  jumped_ = true;
  // A sleep went on meanwhile; memory follows in one go, past the corners in between.
  progress_ = progress(now);
  pass_corners();
  advance(now);
}

void TaskModel::inputs_ready(EmuTime now) {
  if (stage_ != Stage::kWaiting) return;
  rebase(now);
  begin_sleep(now);
  if (work_.sleep == EmuTime(0)) begin_work();
}

void TaskModel::plan(EmuTime now) {
  rebase(now);
  double corner = time_to_corner();
  jumped_ = false;
  slope_ = 0;
  if (corner < kEndless && corner_ > 0) {
    const MemoryPoint& from = work_.memory[corner_ - 1];
    const MemoryPoint& to = work_.memory[corner_];
    slope_ = static_cast<double>((to.use - from.use).count()) / (to.progress - from.progress) *
             growth_of_progress();
  }
  due_ = later(now, corner);
  if (!over_limit(now)) due_ = std::min(due_, time_above(memory(now), slope_, limit_, now));
  if (suspended_) return;
  if (stage_ == Stage::kSleeping) due_ = std::min(due_, sleep_end_);
  if (stage_ == Stage::kWorking && rate_ > 0)
    due_ = std::min(due_, later(now, (cpu_per_thread_ - done_) / rate_));
}

AttemptUsage TaskModel::usage(EmuTime now) const {
  TaskModel at_now = *this;
  at_now.rebase(now);
  AttemptUsage usage;
  usage.cpu = at_now.cpu(now);
  usage.peak_memory = std::min(EmuBytes(std::llround(at_now.peak_)), limit_);
  usage.memory_byte_seconds = at_now.byte_us_ / 1e6;
  usage.ideal = ideal_;
  return usage;
}

}  // namespace heddle
