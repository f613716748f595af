#pragma once

#include <functional>
#include <map>

#include "common/ids.h"
#include "core/model/resources.h"

namespace heddle::backfill {

/// Room for jobs whose start is not known, because too much is held by jobs without an end. What
/// goes before them must fit beside them, so that they start when what ran before has ended.
class SideRoom {
 public:
  /// Begins a pass. No job's start is unknown yet. `total`: of the nodes that are alive, when they
  /// are empty. `ended`: returns whether a job has ended and gives back what it took.
  void begin(const Resources& total, const std::function<bool(JobId)>& ended) {
    std::erase_if(beside_, [&](const auto& one) { return ended(one.first); });
    limits_ = false;
    left_ = total_ = total;
    for (const auto& [job, size] : beside_) left_ -= size;
  }
  /// Returns true if some job's start is not known.
  bool limits() const { return limits_; }
  /// Keeps room for a job whose start is not known.
  void keep_for(const Resources& all) {
    limits_ = true;
    left_ = all.fits_in(left_) ? left_ - all : min(left_, total_ - all);
  }
  bool fits(const Resources& all) const { return !limits_ || all.fits_in(left_); }
  /// Takes room for a job that goes before one whose start is not known. Does nothing if there is
  /// no such job.
  void take(JobId job, const Resources& all) {
    if (!limits_) return;
    left_ -= all;
    beside_[job] = all;
  }
  void give_back(JobId job) {
    const auto own = beside_.find(job);
    if (own == beside_.end()) return;
    left_ += own->second;
    beside_.erase(own);
  }
  /// Gives back what all jobs took. Also called at the end of a pass in which all starts are known.
  void clear() {
    for (const auto& [job, size] : beside_) left_ += size;
    beside_.clear();
  }

 private:
  Resources total_, left_;
  bool limits_ = false;
  std::map<JobId, Resources> beside_;  ///< what jobs took, until they end
};

}  // namespace heddle::backfill
