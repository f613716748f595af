// Compares the schedulers easy and conservative with a second, slow implementation.

#include <algorithm>
#include <random>

#include "tests/core/virtual_cluster.h"

namespace heddle::backfill_test {

/// Schedules whole seconds with tables of who holds which node when.
class Reference {
 public:
  Reference(const Scenario& scenario, bool conservative, bool machines, bool shortest_first)
      : jobs_(scenario.jobs),
        nodes_(scenario.cluster.nodes.size()),
        conservative_(conservative),
        machines_(machines),
        shortest_first_(shortest_first) {}

  /// Returns the start of each job, in seconds.
  std::vector<int> starts() {
    starts_.assign(jobs_.size(), -1);
    nodes_of_.resize(jobs_.size());
    for (int now = 0; now < kHorizon / 2; ++now)
      if (has_news(now)) decide(now);
    return starts_;
  }

 private:
  static constexpr int kHorizon = 1000;
  using Table = std::vector<std::vector<bool>>;  ///< by node and second

  int tasks(std::size_t job) const { return jobs_[job].phases[0].tasks; }
  int submit(std::size_t job) const { return static_cast<int>(to_seconds(jobs_[job].submit)); }
  int walltime(std::size_t job) const { return static_cast<int>(to_seconds(*jobs_[job].walltime)); }
  int took(std::size_t job) const {
    return std::min(walltime(job), static_cast<int>(jobs_[job].phases[0].sleep.mean / 1e6));
  }

  /// Returns whether a job is submitted or ends.
  bool has_news(int now) const {
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (submit(job) == now || (starts_[job] >= 0 && starts_[job] + took(job) == now)) return true;
    return false;
  }

  std::vector<std::size_t> in_line(int now) const {
    std::vector<std::size_t> line;
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (starts_[job] < 0 && submit(job) <= now) line.push_back(job);
    std::stable_sort(line.begin(), line.end(),
                     [&](auto a, auto b) { return submit(a) < submit(b); });
    if (shortest_first_ && !line.empty())
      std::stable_sort(line.begin() + 1, line.end(),
                       [&](auto a, auto b) { return walltime(a) < walltime(b); });
    return line;
  }

  void decide(int now) {
    Table held(nodes_, std::vector<bool>(kHorizon));
    std::vector<int> reserved(kHorizon);
    for (std::size_t job = 0; job < jobs_.size(); ++job)
      if (starts_[job] >= 0 && starts_[job] + took(job) > now)
        hold(nodes_of_[job], now, starts_[job] + walltime(job), held);
    bool first = true;
    for (const std::size_t job : in_line(now)) {
      const bool reserves = first || conservative_;
      for (int at = now; at < kHorizon - walltime(job); ++at) {
        if (at > now && !reserves) break;
        std::vector<std::size_t> free = free_nodes(held, at, at + (machines_ ? walltime(job) : 1));
        bool fits = std::ssize(free) >= tasks(job);
        for (int s = at; s < at + walltime(job) && !machines_; ++s)
          fits &= std::ssize(free_nodes(held, s, s + 1)) - reserved[s] >= tasks(job);
        if (!fits) continue;
        free.resize(static_cast<std::size_t>(tasks(job)));
        if (machines_ || at == now)
          hold(free, at, at + walltime(job), held);
        else
          for (int s = at; s < at + walltime(job); ++s) reserved[s] += tasks(job);
        if (at > now) break;
        starts_[job] = now;
        nodes_of_[job] = free;
        break;
      }
      if (starts_[job] < 0) first = false;
    }
  }

  static void hold(const std::vector<std::size_t>& nodes, int from, int until, Table& held) {
    for (std::size_t node : nodes)
      for (int s = from; s < until; ++s) held[node][s] = true;
  }
  std::vector<std::size_t> free_nodes(const Table& held, int from, int until) const {
    std::vector<std::size_t> free;
    for (std::size_t node = 0; node < nodes_; ++node)
      if (std::none_of(held[node].begin() + from, held[node].begin() + until,
                       [](bool it) { return it; }))
        free.push_back(node);
    return free;
  }

  std::vector<JobSpec> jobs_;
  std::size_t nodes_;
  bool conservative_, machines_, shortest_first_;
  std::vector<int> starts_;
  std::vector<std::vector<std::size_t>> nodes_of_;
};

/// Draws a whole number from 1 to `most`.
int drawn(std::minstd_rand& random, int most) {
  return static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
}

// Jobs of whole seconds end early, at their walltimes, or are killed there.
TEST(Backfilling, AgreesWithASlowReference) {
  std::minstd_rand random(20);
  for (int i = 0; i < 200; ++i) {
    const bool conservative = i % 2 == 1, machines = i / 2 % 2 == 0, shortest = i / 4 % 2 == 1;
    const int nodes = drawn(random, 5) + 1;
    Scenario scenario = cluster_of(nodes, 1, 1, conservative ? "conservative" : "easy");
    if (!machines) set_policy(scenario, "backfill", "count");
    if (shortest) set_policy(scenario, "backfill_order", "sjf");
    const int jobs = drawn(random, 12);
    for (int job = 0; job < jobs; ++job) {
      const int submit = drawn(random, 20) - 1;
      const int tasks = drawn(random, nodes);
      JobSpec spec = job_of("j" + std::to_string(job), submit, tasks, 1, 1, drawn(random, 20));
      spec.phases[0].gang = true;
      spec.walltime = emu_seconds(drawn(random, 20));
      scenario.jobs.push_back(std::move(spec));
    }
    const FinishedRun cluster(scenario);
    std::vector<int> starts;
    for (const JobSpec& job : scenario.jobs)
      starts.push_back(static_cast<int>(to_seconds(job.submit) + cluster.wait_s(job.name)));
    EXPECT_EQ(starts, Reference(scenario, conservative, machines, shortest).starts()) << i;
  }
}

}  // namespace heddle::backfill_test
