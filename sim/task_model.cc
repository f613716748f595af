#include "sim/task_model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heddle::sim {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

}  // namespace

TaskModel::TaskModel(const TaskWork& work, EmuTime ideal, EmuBytes limit, EmuTime now)
    : profile_peak_(peak_use(work.memory)),
      limit_(limit),
      threads_(work.threads),
      writes_(!work.writes.empty() || work.executor),
      executor_(work.executor),
      since_(now),
      crash_at_(work.crash_at.value_or(2)),
      memory_(work.memory),
      ideal_(ideal),
      sleep_(work.sleep),
      pause_(work.pause),
      pauses_(work.pauses),
      cpu_per_thread_(static_cast<double>(work.cpu.count()) / work.threads),
      pieces_(work.pieces),
      piece_ends_(piece_ends(work)) {
  enter_segment();
  bool waits = work.waits || !work.reads.empty() || work.sources > 0 || work.executor;
  if (!waits) begin_leg(0, now);
  rebase(now);
  crash_if_due(now);
}

double TaskModel::time_to_crash(EmuTime now) const {
  const double left = crash_at_ - progress(now);
  if (left <= 0) return 0;
  const double growth = growth_of_progress();
  return crash_at_ <= 1 && growth > 0 ? left / growth : kEndless;
}

void TaskModel::crash_if_due(EmuTime now) {
  if (suspended_ || crashed_ || time_to_crash(now) > kTiny) return;
  rebase(now);
  crashed_ = true;
  stage_ = Stage::kDone;
  to_ = progress_;
}

double TaskModel::share(EmuTime span) const {
  return span > EmuTime(0) ? us(span) / us(ideal_) : 0;
}

void TaskModel::begin_leg(int leg, EmuTime now) {
  const int last = pieces_.empty() ? 2 * pauses_ + 1 : 2 * static_cast<int>(pieces_.size());
  for (leg_ = leg; leg_ <= last; ++leg_) {
    const bool begun =
        pieces_.empty() || leg_ == 0
            ? begin_even_leg(leg_, now)
            : begin_piece(static_cast<std::size_t>(leg_ - 1) / 2, leg_ % 2 == 1, now);
    if (begun) return;
  }
  stage_ = writes_ ? Stage::kWriting : Stage::kDone;
  to_ = goal_;
}

bool TaskModel::begin_even_leg(int leg, EmuTime now) {
  const EmuTime wait = leg == 0 ? sleep_ : pause_;
  if (leg % 2 == 0 && wait > EmuTime(0)) {
    begin_wait(wait, to_ + share(wait), now);
    return true;
  }
  if (leg % 2 == 0 || cpu_per_thread_ <= 0) return false;
  const int piece = leg / 2 + 1, pieces = pauses_ + 1;
  const double way = (1 - share(sleep_) - share(pause_ * pauses_)) / pieces;
  begin_cpu(cpu_per_thread_ * piece / pieces, piece == pieces ? goal_ : to_ + way);
  return true;
}

bool TaskModel::begin_piece(std::size_t piece, bool burns, EmuTime now) {
  const auto& [cpu, pause] = pieces_[piece];
  if (burns && cpu > CoreTime(0)) {
    begin_cpu(done_ + static_cast<double>(cpu.count()) / threads_, piece_ends_[piece].burnt);
    return true;
  }
  if (burns || pause <= EmuTime(0)) return false;
  begin_wait(pause, piece_ends_[piece].rested, now);
  return true;
}

void TaskModel::begin_wait(EmuTime span, double to, EmuTime now) {
  stage_ = Stage::kSleeping;
  wait_ = span;
  wait_end_ = now + span;
  from_ = to_;
  to_ = to;
}

void TaskModel::begin_cpu(double until, double to) {
  stage_ = Stage::kWorking;
  cpu_from_ = done_;
  cpu_to_ = until;
  from_ = to_;
  to_ = to;
}

int TaskModel::runnable() const { return stage_ == Stage::kWorking ? threads_ : 0; }

double TaskModel::progress(EmuTime now) const {
  if (suspended_) return progress_;
  if (stage_ == Stage::kSleeping) {
    double slept = 1 - us(wait_end_ - now) / us(wait_);
    return from_ + (to_ - from_) * std::clamp(slept, 0.0, 1.0);
  }
  if (stage_ == Stage::kWorking) {
    double done = (done_ - cpu_from_ + rate_ * us(now - since_)) / (cpu_to_ - cpu_from_);
    return from_ + (to_ - from_) * std::min(done, 1.0);
  }
  return to_;
}

CoreTime TaskModel::cpu(EmuTime now) const {
  double done = done_;
  if (stage_ == Stage::kWorking) done = std::min(done_ + rate_ * us(now - since_), cpu_to_);
  return past_cpu_ + CoreTime(std::llround(done * threads_));
}

double TaskModel::memory(EmuTime now) const { return memory_at(progress(now)); }

TaskModel::Use TaskModel::use(EmuTime now) const {
  const double progress = this->progress(now);
  return {cpu(now), memory_at(progress), progress};
}

double TaskModel::memory_at(double progress) const {
  if (segment_.change == 0) return segment_.use;
  const double way = std::clamp((progress - segment_.from) / segment_.length, 0.0, 1.0);
  return segment_.use + way * segment_.change;
}

void TaskModel::enter_segment() {
  segment_ = {};
  if (memory_.empty()) return;
  const auto use = [](const MemoryPoint& point) { return static_cast<double>(point.use.count()); };
  const MemoryPoint& from = memory_[corner_ == 0 ? 0 : corner_ - 1];
  segment_.use = use(from);
  if (corner_ == 0 || corner_ == memory_.size()) return;
  const MemoryPoint& to = memory_[corner_];
  segment_ = {use(from), use(to) - use(from), from.progress, to.progress - from.progress};
}

double TaskModel::growth_of_progress() const {
  if (suspended_) return 0;
  if (stage_ == Stage::kSleeping) return (to_ - from_) / us(wait_);
  if (stage_ == Stage::kWorking) return (to_ - from_) * rate_ / (cpu_to_ - cpu_from_);
  return 0;
}

double TaskModel::time_to_corner() const {
  double growth = growth_of_progress();
  if (corner_ == memory_.size() || growth <= 0) return kEndless;
  return (memory_[corner_].progress - progress_) / growth;
}

void TaskModel::pass_corners() {
  auto reached = [&] {
    return memory_[corner_].progress <= progress_ || time_to_corner() <= kTiny;
  };
  const std::size_t before = corner_;
  while (corner_ < memory_.size() && reached()) ++corner_;
  if (corner_ != before) enter_segment();
}

void TaskModel::snap_to_corner() {
  if (corner_ < memory_.size() && time_to_corner() <= kTiny)
    progress_ = std::max(progress_, memory_[corner_].progress);
}

void TaskModel::rebase(EmuTime now) {
  double before = memory_at(progress_);
  progress_ = progress(now);
  snap_to_corner();
  double after = memory_at(progress_);
  byte_us_ += (before + after) / 2 * us(now - since_);
  peak_ = std::max({peak_, before, after});
  if (stage_ == Stage::kWorking) done_ = std::min(done_ + rate_ * us(now - since_), cpu_to_);
  since_ = now;
  pass_corners();
}

void TaskModel::advance(EmuTime now) {
  rebase(now);
  if (suspended_) return;
  if (stage_ == Stage::kSleeping && now >= wait_end_) begin_leg(leg_ + 1, now);
  if (stage_ == Stage::kWorking && cpu_to_ - done_ <= rate_ * kTiny) {
    done_ = cpu_to_;
    begin_leg(leg_ + 1, now);
  }
  crash_if_due(now);
}

void TaskModel::set_rate(double rate, EmuTime now) {
  rebase(now);
  rate_ = rate;
}

void TaskModel::suspend(EmuTime now) {
  rebase(now);
  suspended_ = true;
}

void TaskModel::jump(EmuTime now) {
  jumped_ = true;
  progress_ = progress(now);
  pass_corners();
}

void TaskModel::resume(EmuTime now) {
  rebase(now);
  suspended_ = false;
  if (std::exchange(inputs_ready_, false)) begin_leg(0, now);
  jump(now);  // a sleep has continued during the stop
  advance(now);
}

void TaskModel::inputs_ready(EmuTime now) {
  if (stage_ != Stage::kWaiting) return;
  rebase(now);
  inputs_ready_ = suspended_;
  if (inputs_ready_) return;
  begin_leg(0, now);
  if (stage_ != Stage::kSleeping && stage_ != Stage::kWorking) jump(now);
}

void TaskModel::run(const TaskPart& part, EmuTime now) {
  rebase(now);
  past_cpu_ = cpu(now);
  done_ = 0;
  threads_ = part.threads;
  cpu_per_thread_ = static_cast<double>(part.cpu.count()) / part.threads;
  goal_ = std::max(to_, part.progress);
}

void TaskModel::finish(EmuTime now) {
  rebase(now);
  stage_ = Stage::kDone;
}

void TaskModel::written(EmuTime now) {
  rebase(now);
  stage_ = executor_ ? Stage::kWaiting : Stage::kDone;
}

void TaskModel::plan(EmuTime now) {
  rebase(now);
  double corner = time_to_corner();
  jumped_ = false;
  slope_ = 0;
  if (corner < kEndless) slope_ = segment_.change / segment_.length * growth_of_progress();
  due_ = later(now, std::min(corner, suspended_ ? kEndless : time_to_crash(now)));
  if (slope_ > 0 && !over_limit(now))
    due_ = std::min(due_, time_above(memory(now), slope_, limit_, now));
  if (suspended_) return;
  if (stage_ == Stage::kSleeping) due_ = std::min(due_, wait_end_);
  if (stage_ == Stage::kWorking && rate_ > 0)
    due_ = std::min(due_, later(now, (cpu_to_ - done_) / rate_));
}

AttemptUsage TaskModel::usage(EmuTime now) {
  rebase(now);
  AttemptUsage usage;
  usage.cpu = cpu(now);
  usage.peak_memory = std::min(EmuBytes(std::llround(peak_)), limit_);
  usage.memory_byte_seconds = byte_us_ / 1e6;
  usage.ideal = ideal_;
  return usage;
}

}  // namespace heddle::sim
