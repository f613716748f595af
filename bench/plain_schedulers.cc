#include "bench/plain_schedulers.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <queue>
#include <set>

namespace heddle::bench {
namespace {

using Index = std::size_t;

/// A machine, and the jobs that wait for it.
class Machine {
 public:
  Machine(const std::vector<PlainJob>& jobs, std::int64_t processors)
      : jobs_(jobs), free_(processors), starts_(jobs.size()) {}

  /// Lets `schedule` decide whenever jobs were submitted or have ended.
  std::vector<EmuTime> run(const std::function<void(Machine&)>& schedule) {
    for (Index next = 0; next < jobs_.size() || !ends_.empty();) {
      now_ = next == jobs_.size() ? ends_.top().first
             : ends_.empty()      ? jobs_[next].submit
                                  : std::min(ends_.top().first, jobs_[next].submit);
      for (; !ends_.empty() && ends_.top().first == now_; ends_.pop()) {
        const Index job = ends_.top().second;
        free_ += jobs_[job].processors;
        limits_.erase({starts_[job] + jobs_[job].limit, job});
      }
      for (; next < jobs_.size() && jobs_[next].submit == now_; ++next) queue_.push_back(next);
      schedule(*this);
    }
    return starts_;
  }

  bool fits(Index job) const { return jobs_[job].processors <= free_; }

  void start(Index job) {
    free_ -= jobs_[job].processors;
    starts_[job] = now_;
    ends_.emplace(now_ + jobs_[job].run, job);
    limits_.emplace(now_ + jobs_[job].limit, job);
  }

  void start_in_order() {
    for (; !queue_.empty() && fits(queue_.front()); queue_.pop_front()) start(queue_.front());
  }

  void backfill() {
    if (queue_.empty()) return;
    const std::int64_t wanted = jobs_[queue_.front()].processors;
    // The first job starts at `shadow` at the latest. Then `extra` processors are left.
    std::int64_t at_shadow = free_;
    EmuTime shadow;
    for (auto it = limits_.begin();
         it != limits_.end() && (at_shadow < wanted || it->first == shadow); ++it) {
      shadow = it->first;
      at_shadow += jobs_[it->second].processors;
    }
    std::int64_t extra = at_shadow - wanted;
    for (auto it = queue_.begin() + 1; it != queue_.end();) {
      const PlainJob& job = jobs_[*it];
      const bool in_time = now_ + job.limit <= shadow;
      if (!fits(*it) || !(in_time || job.processors <= extra)) {
        ++it;
        continue;
      }
      if (!in_time) extra -= job.processors;
      start(*it);
      it = queue_.erase(it);
    }
  }

 private:
  using End = std::pair<EmuTime, Index>;
  const std::vector<PlainJob>& jobs_;
  std::int64_t free_;
  EmuTime now_;
  std::deque<Index> queue_;
  std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
  std::set<End> limits_;  ///< when the jobs that run have ended at the latest
  std::vector<EmuTime> starts_;
};

}  // namespace

std::vector<EmuTime> plain_fcfs(const std::vector<PlainJob>& jobs, std::int64_t processors) {
  return Machine(jobs, processors).run([](Machine& machine) { machine.start_in_order(); });
}

std::vector<EmuTime> plain_easy(const std::vector<PlainJob>& jobs, std::int64_t processors) {
  return Machine(jobs, processors).run([](Machine& machine) {
    machine.start_in_order();
    machine.backfill();
  });
}

}  // namespace heddle::bench
