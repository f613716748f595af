#include "core/model/phase_detector.h"

#include <algorithm>

namespace heddle {
namespace {

/// Drops times outside (at - window, at].
void drop_old(std::deque<EmuTime>& times, EmuTime at, EmuTime window) {
  while (!times.empty() && times.front() + window <= at) times.pop_front();
}

}  // namespace

std::int64_t DetectedPhase::released_by(EmuTime t) const {
  if (!release || t < *release) return 0;
  const EmuTime past = t - *release;
  if (past >= spread()) return size;
  return static_cast<std::int64_t>(static_cast<__int128>(size) * past.count() / spread().count());
}

int PhaseDetector::threshold(int wanted, const DetectedPhase& phase) {
  const int size = phase.asked > 0 ? phase.asked : phase.tasks;
  return std::min(wanted, (size + 1) / 2 - 1);
}

void PhaseDetector::fix_size() {
  DetectedPhase& open = phases_.back();
  if (open.asked == 0) open.asked = asked_ + open.tasks - open.trailing;
}

void PhaseDetector::asked(int tasks) {
  asked_ = tasks;
  fix_size();
}

void PhaseDetector::started(EmuTime at, std::int64_t task, std::int64_t size) {
  pass(at, false);
  DetectedPhase& open = phases_.back();
  ++open.tasks;
  open.size += size;
  ++open.running;
  open.running_size += size;
  running_[task] = {phases_.size() - 1, size};
  asked_ = std::max(asked_ - 1, 0);
  fix_size();
  if (!open.first_start) open.first_start = at;
  open.last_start = at;
  drop_old(starts_, at, options_.window);
  starts_.push_back(at);
  open.begun = open.begun || std::ssize(starts_) > threshold(options_.starts, open);
}

std::int64_t PhaseDetector::ended(EmuTime at, std::int64_t task) {
  pass(at, false);
  auto found = running_.find(task);
  if (found == running_.end()) return 0;
  const auto [index, size] = found->second;
  running_.erase(found);
  DetectedPhase& phase = phases_[index];
  --phase.running;
  phase.running_size -= size;
  std::deque<EmuTime>& ends = ends_[index];
  drop_old(ends, at, options_.window);
  ends.push_back(at);
  if (!phase.release && std::ssize(ends) > threshold(options_.ends, phase))
    phase.release = ends.front();
  return size;
}

void PhaseDetector::pass(EmuTime at, bool inclusive) {
  auto silent = [&](EmuTime last) {
    const EmuTime due = last + options_.window;
    return due < at || (inclusive && due == at);
  };
  if (phases_.back().begun && silent(*phases_.back().last_start)) {
    phases_.back().closed = true;
    starts_.clear();
    phases_.emplace_back();
    fix_size();
  }
  for (std::size_t i = 0; i + 1 < phases_.size(); ++i)
    if (phases_[i].release && phases_[i].running > 0 && silent(ends_[i].back())) carry_over(i);
}

void PhaseDetector::carry_over(std::size_t from) {
  DetectedPhase& left = phases_[from];
  DetectedPhase& next = phases_[from + 1];
  for (auto& [task, entry] : running_)
    if (entry.phase == from) entry.phase = from + 1;
  next.tasks += left.running;
  next.trailing += left.running;
  next.running += left.running;
  next.size += left.running_size;
  next.running_size += left.running_size;
  left.running = 0;
  left.running_size = 0;
}

std::int64_t PhaseDetector::expected(EmuTime now, EmuTime horizon) const {
  std::int64_t sum = 0;
  for (const DetectedPhase& phase : phases_)
    if (phase.running > 0)
      sum +=
          std::min(phase.running_size, phase.released_by(now + horizon) - phase.released_by(now));
  return sum;
}

}  // namespace heddle
