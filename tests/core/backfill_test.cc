// Compares the schedulers easy and conservative with a second, slow implementation of the published
// rules (Mu'alem and Feitelson, IEEE TPDS 2001).

#include <algorithm>
#include <map>
#include <random>
#include <span>
#include <sstream>

#include "tests/core/virtual_cluster.h"

namespace heddle::backfill_test {

struct Rules {
  bool conservative, machines, shortest_first;
};

/// Schedules whole seconds with tables of who holds which node when. By count, a job is at the
/// lowest nodes that are free when it starts.
class Reference {
 public:
  Reference(const Scenario& scenario, const Rules& rules)
      : jobs_(scenario.jobs), nodes_(scenario.cluster.nodes.size()), rules_(rules) {}

  /// Returns the start of each job, in seconds.
  std::vector<int> starts() {
    starts_.assign(jobs_.size(), -1);
    places_.resize(jobs_.size());
    for (now_ = 0; now_ < kHorizon / 2; ++now_) {
      const bool ended = any(
          [&](std::size_t job) { return starts_[job] >= 0 && starts_[job] + took(job) == now_; });
      const bool submitted = any([&](std::size_t job) { return submit(job) == now_; });
      if (ended || submitted) rules_.conservative ? conserve(ended) : easy();
    }
    return starts_;
  }

 private:
  static constexpr int kHorizon = 1000;
  /// The time and the nodes of a start. By count, `nodes` is empty if it is later than the
  /// decision.
  struct Place {
    int at = -1;
    std::vector<std::size_t> nodes;
  };

  int tasks(std::size_t job) const { return jobs_[job].phases[0].tasks; }
  int submit(std::size_t job) const { return static_cast<int>(to_seconds(jobs_[job].submit)); }
  int walltime(std::size_t job) const { return static_cast<int>(to_seconds(*jobs_[job].walltime)); }
  int took(std::size_t job) const {
    return std::min(walltime(job), static_cast<int>(jobs_[job].phases[0].sleep.mean / 1e6));
  }
  template <class Is>
  bool any(const Is& is) const {
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (is(job)) return true;
    return false;
  }

  std::vector<std::size_t> in_line() const {
    std::vector<std::size_t> line;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (starts_[job] < 0 && submit(job) <= now_) line.push_back(job);
    std::ranges::stable_sort(line, {}, [&](auto job) { return submit(job); });
    return line;
  }
  void shortest_first(std::span<std::size_t> jobs) const {
    if (rules_.shortest_first)
      std::ranges::stable_sort(jobs, {}, [&](auto job) { return walltime(job); });
  }

  void easy() {
    std::vector<std::size_t> line = in_line();
    const Place none;
    std::size_t first = 0;
    for (; first < line.size(); ++first) {
      const Place place = earliest(line[first]);
      if (place.at > now_) {
        places_[line[first]] = place;
        break;
      }
      start(line[first], place);
    }
    if (first == line.size()) return;
    const std::span others(line.begin() + static_cast<std::ptrdiff_t>(first) + 1, line.end());
    shortest_first(others);
    for (const std::size_t job : others)
      if (const Place place = earliest(job); place.at == now_) start(job, place);
    places_[line[first]] = none;  // the next decision makes another
  }

  void conserve(bool ended) {
    std::vector<std::size_t> line = in_line();
    if (!line.empty()) shortest_first(std::span(line).subspan(1));
    for (const std::size_t job : line) {
      if (!ended && places_[job].at > now_) continue;
      places_[job] = {};
      const Place place = earliest(job);
      if (place.at == now_)
        start(job, place);
      else
        places_[job] = place;
    }
  }

  void start(std::size_t job, const Place& place) {
    starts_[job] = now_;
    places_[job] = place;
  }

  /// Returns whether the job holds or has booked that node in that second.
  bool holds(std::size_t job, std::size_t node, int second) const {
    if (starts_[job] >= 0 && starts_[job] + took(job) <= now_) return false;
    const Place& place = places_[job];
    return place.at >= 0 && second >= place.at && second < place.at + walltime(job) &&
           std::ranges::count(place.nodes, node) > 0;
  }
  bool free(std::size_t node, int from, int until) const {
    for (int second = from; second < until; ++second)
      if (any([&](std::size_t job) { return holds(job, node, second); })) return false;
    return true;
  }
  /// Returns how many nodes are free in that second beside what is booked without nodes.
  int count(int second) const {
    int count = 0;
    for (std::size_t node = 0; node < nodes_; ++node) count += free(node, second, second + 1);
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (places_[job].nodes.empty() && places_[job].at >= 0 && second >= places_[job].at &&
          second < places_[job].at + walltime(job))
        count -= tasks(job);
    return count;
  }
  bool fits_by_count(std::size_t job, int at) const {
    for (int second = at; second < at + walltime(job); ++second)
      if (count(second) < tasks(job)) return false;
    return true;
  }

  Place earliest(std::size_t job) const {
    for (int at = now_; at < kHorizon - walltime(job); ++at) {
      if (!rules_.machines && !fits_by_count(job, at)) continue;
      if (!rules_.machines && at > now_) return {at, {}};
      Place place{at, {}};
      for (std::size_t node = 0; node < nodes_ && std::ssize(place.nodes) < tasks(job); ++node)
        if (free(node, at, at + (rules_.machines ? walltime(job) : 1))) place.nodes.push_back(node);
      if (std::ssize(place.nodes) == tasks(job)) return place;
    }
    return {};
  }

  std::vector<JobSpec> jobs_;
  std::size_t nodes_;
  Rules rules_;
  int now_ = 0;
  std::vector<int> starts_;
  std::vector<Place> places_;
};

/// Draws a whole number from 1 to `most`.
int drawn(std::minstd_rand& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
}

// Jobs of whole seconds, which end early, at their walltimes, or are killed there.
Scenario random_jobs(std::minstd_rand& random, const Rules& rules) {
  const int nodes = drawn(random, 5) + 1;
  Scenario scenario = cluster_of(nodes, 1, 1, rules.conservative ? "conservative" : "easy");
  if (rules.machines) set_policy(scenario, "backfill", "machines");
  if (rules.shortest_first) set_policy(scenario, "backfill_order", "sjf");
  const int jobs = drawn(random, 12);
  for (int job = 0; job < jobs; ++job) {
    const int submit = drawn(random, 20) - 1;
    const int tasks = drawn(random, nodes);
    JobSpec spec = job_of("j" + std::to_string(job), submit, tasks, 1, 1, drawn(random, 20));
    spec.phases[0].gang = true;
    spec.walltime = emu_seconds(drawn(random, 20));
    scenario.jobs.push_back(std::move(spec));
  }
  return scenario;
}

TEST(Backfilling, AgreesWithASlowReference) {
  std::minstd_rand random(20);
  for (int i = 0; i < 200; ++i) {
    const Rules rules{i % 2 == 1, i / 2 % 2 == 0, i / 4 % 2 == 1};
    const Scenario scenario = random_jobs(random, rules);
    const FinishedRun cluster(scenario);
    std::vector<int> starts;
    for (const JobSpec& job : scenario.jobs)
      starts.push_back(static_cast<int>(to_seconds(job.submit) + cluster.wait_s(job.name)));
    EXPECT_EQ(starts, Reference(scenario, rules).starts()) << i;
  }
}

/// Returns the start that each job was promised, in seconds, from notes such as
/// "5.0 conservative.promise job 0 start_s 80".
std::map<int, double> promises_of(const VirtualCluster& cluster) {
  std::map<int, double> promises;
  for (const std::string& note : cluster.notes()) {
    std::istringstream words(note);
    std::string skip;
    int job = 0;
    double start = 0;
    words >> skip >> skip >> skip >> job >> skip >> start;
    promises[job] = start;
  }
  return promises;
}

// The published guarantee of conservative backfilling.
TEST(Backfilling, NoJobStartsAfterItsPromise) {
  std::minstd_rand random(21);
  int waited = 0;
  for (int i = 0; i < 1000; ++i) {
    const Scenario scenario = random_jobs(random, {true, i % 2 == 0, i / 2 % 2 == 0});
    const FinishedRun cluster(scenario);
    const std::map<int, double> promises = promises_of(cluster);
    ASSERT_EQ(promises.size(), scenario.jobs.size()) << i;
    for (const auto& [job, promise] : promises) {
      const JobSpec& spec = scenario.jobs[static_cast<std::size_t>(job)];
      const double wait = cluster.wait_s(spec.name);
      EXPECT_LE(to_seconds(spec.submit) + wait, promise) << i << ' ' << job;
      waited += wait > 0;
    }
  }
  EXPECT_GT(waited, 1000) << "the jobs are too few to wait";
}

}  // namespace heddle::backfill_test
