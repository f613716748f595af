#include <algorithm>
#include <set>

#include "common/text.h"
#include "core/scenario/draw.h"
#include "core/scenario/fit.h"
#include "core/scenario/sections.h"
#include "workloads/catalogue.h"

namespace heddle {
namespace {

constexpr EmuTime kMicrosecond{1};
// Part of the key of arrival draws; apart from the job indices that draw_work() begins with.
constexpr std::uint64_t kArrivals = 0x6172726976616c73U;

/// When the copies of one written job are submitted.
struct Arrivals {
  EmuTime start;
  EmuTime every;    ///< 0: not so
  EmuTime poisson;  ///< 0: not so
};

Arrivals read_submit(const Section& job) {
  Arrivals arrivals;
  auto field = job.get("submit");
  if (!field) return arrivals;
  if (field->node().kind != YamlNode::Kind::kMap) {
    job.duration("submit", arrivals.start, {EmuTime(0), kMaxTime});
    return arrivals;
  }
  Section section(*field, "submit");
  section.duration("start", arrivals.start, {EmuTime(0), kMaxTime});
  section.duration("every", arrivals.every, {kMicrosecond, kMaxTime});
  section.duration("poisson", arrivals.poisson, {kMicrosecond, kMaxTime});
  if (section.has("every") && section.has("poisson"))
    field->error("has both every and poisson; expected one of them");
  return arrivals;
}

/// The jobs list being read, and its bounds over everything expanded.
class JobList {
 public:
  JobList(const Scenario& scenario, std::vector<JobSpec>& jobs)
      : scenario_(scenario), cluster_(scenario.cluster), jobs_(jobs) {}

  void read(const Section& section, std::size_t written);
  bool full() const { return full_; }

 private:
  void read_phases_of(const Section& section, JobSpec& job);
  void read_workload(const Section& section, bool gang, JobSpec& job);
  void read_queue(const Section& section, JobSpec& job);
  bool has_room(const Section& section, const JobSpec& job, int count);
  void expand(const Section& section, const JobSpec& job, int count, const Arrivals& arrivals,
              std::size_t written);
  void add(const Section& section, JobSpec job);

  const Scenario& scenario_;
  EmptyCluster cluster_;
  std::vector<JobSpec>& jobs_;
  std::set<std::string> names_;
  std::int64_t phases_ = 0, tasks_ = 0;
  bool full_ = false;
};

void JobList::read_workload(const Section& section, bool gang, JobSpec& job) {
  WorkloadSizes sizes;
  int maps = 0;
  Drawn cpu;
  if (section.whole("maps", maps, {1, kMaxTasks})) sizes.maps = maps;
  if (read_drawn_duration(section, "cpu", cpu)) sizes.cpu = cpu;
  auto name = section.text("workload");
  if (!name) return;
  auto phases = expand_workload(*name, sizes);
  if (!phases) return section.get("workload")->error(phases.error().text);
  job.phases = *phases;
  for (PhaseSpec& phase : job.phases) {
    phase.gang = gang;
    phase.request = normalised(phase.request, scenario_.cluster);
    check_phase_fits(*section.get("workload"), phase, cluster_);
  }
}

void JobList::read_phases_of(const Section& section, JobSpec& job) {
  bool gang = false;
  section.flag("gang", gang);
  const bool named = section.has("workload");
  if (named == section.has("phases"))
    section.field().error(named ? "has both phases and workload; expected one of them"
                                : "has no phases; expected phases or workload");
  if (named) return read_workload(section, gang, job);
  for (const char* size : {"maps", "cpu"})
    if (auto field = section.get(size))
      field->error("is a size of a named workload; expected it beside workload, or in a phase");
  if (auto field = section.get("phases"))
    read_phases(*field, gang, scenario_.cluster, cluster_, job.phases);
}

void JobList::read_queue(const Section& section, JobSpec& job) {
  const auto& queues = scenario_.queues;
  std::vector<std::string> known;
  for (const QueueSpec& queue : queues) known.push_back(queue.name);
  if (!section.has("queue") && known.size() == 1) job.queue = known[0];
  section.name("queue", job.queue);
  if (std::find(known.begin(), known.end(), job.queue) != known.end()) return;
  Field at = section.get("queue").value_or(section.field());
  at.error(with_nearest("no queue is called \"" + job.queue + "\"; expected one of " + join(known),
                        job.queue, known));
}

bool JobList::has_room(const Section& section, const JobSpec& job, int count) {
  phases_ += static_cast<std::int64_t>(job.phases.size()) * count;
  for (const PhaseSpec& phase : job.phases)
    tasks_ += static_cast<std::int64_t>(phase.tasks) * count;
  auto over = [&](std::int64_t have, std::int64_t most, const char* what) {
    if (have <= most) return false;
    section.field().error("makes " + std::to_string(have) + " " + what +
                          " in all; expected at most " + std::to_string(most));
    return true;
  };
  full_ = over(static_cast<std::int64_t>(jobs_.size()) + count, kMaxJobs, "jobs") ||
          over(phases_, kMaxAllPhases, "phases") || over(tasks_, kMaxAllTasks, "tasks");
  return !full_;
}

void JobList::add(const Section& section, JobSpec job) {
  if (!job.name.empty() && !names_.insert(job.name).second)
    section.field().error("a second job is called \"" + job.name + "\"; expected names to differ");
  jobs_.push_back(std::move(job));
}

void JobList::expand(const Section& section, const JobSpec& job, int count,
                     const Arrivals& arrivals, std::size_t written) {
  EmuTime submit = arrivals.start;
  const Drawn gap{Drawn::Dist::kExponential, static_cast<double>(arrivals.poisson.count()), 0};
  for (int n = 1; n <= count; ++n) {
    JobSpec copy = job;
    copy.name += "-" + std::to_string(n);
    copy.submit = submit;
    if (!job.name.empty() && !valid_name(copy.name))
      return section.field().error("\"" + copy.name + "\" is too long for a name");
    if (submit > kMaxTime)
      return section.field().error("\"" + copy.name + "\" would be submitted after " +
                                   print_duration(kMaxTime));
    add(section, std::move(copy));
    submit += arrivals.every;
    std::uint64_t key =
        draw_key(scenario_.seed, {kArrivals, written, static_cast<std::uint64_t>(n)});
    submit += EmuTime(static_cast<std::int64_t>(draw(gap, key)));
  }
}

void JobList::read(const Section& section, std::size_t written) {
  JobSpec job;
  section.need("name");
  section.name("name", job.name);
  read_queue(section, job);
  section.name("user", job.user);
  section.whole("priority", job.priority, {-1000000, 1000000});
  section.fraction("weight", job.weight, {0.001, 1000});
  section.whole("max_attempts", job.max_attempts, {1, 1000});
  int framework = 0;
  section.word<int>("framework", framework, {{"mapreduce", 0}}, {"spark"});
  read_phases_of(section, job);
  Arrivals arrivals = read_submit(section);
  int count = 0;
  section.whole("count", count, {1, kMaxJobs});
  if (!has_room(section, job, std::max(count, 1))) return;
  if (count > 0) return expand(section, job, count, arrivals, written);
  job.submit = arrivals.start;
  add(section, std::move(job));
}

}  // namespace

void read_jobs(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs) {
  const auto& items = field.node().items;
  if (field.node().kind != YamlNode::Kind::kList || items.empty())
    return field.error("is " + std::string(field.kind_text()) +
                       "; expected a list of at least one job");
  JobList list(scenario, jobs);
  for (std::size_t i = 0; i < items.size() && !list.full(); ++i) {
    Section section(field.item(i), "job");
    if (items[i].kind == YamlNode::Kind::kMap) list.read(section, i);
  }
}

}  // namespace heddle
