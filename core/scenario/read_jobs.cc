#include <algorithm>
#include <set>

#include "common/text.h"
#include "core/policy/table.h"
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
  JobList(const Scenario& scenario, std::vector<JobSpec>& jobs);

  void read(const Section& section, std::size_t written);
  bool full() const { return full_; }

 private:
  void read_queue(const Section& section, JobSpec& job);
  std::optional<QueueRoom> room_of(const std::string& queue) const;
  void read_phases_of(const Section& section, JobSpec& job);
  void read_workload(const Section& section, JobSpec& job);
  std::optional<PhaseSpec> read_application_master(const Section& section);
  void put_in_front(const Section& section, const PhaseSpec& master, JobSpec& job);
  bool has_room(const Section& section, const JobSpec& job, int count);
  void expand(const Section& section, const JobSpec& job, int count, const Arrivals& arrivals,
              std::size_t written);
  void add(const Section& section, JobSpec job);

  const Scenario& scenario_;
  std::vector<std::string> leaves_;  ///< queues that may hold jobs
  const bool bounded_;               ///< queues bound what their jobs may hold
  PhaseContext context_;             ///< of the job being read
  std::vector<JobSpec>& jobs_;
  std::set<std::string> names_;
  std::int64_t phases_ = 0, tasks_ = 0;
  bool full_ = false;
};

JobList::JobList(const Scenario& scenario, std::vector<JobSpec>& jobs)
    : scenario_(scenario),
      bounded_(policy_value(scenario.policy, "scheduler") == "capacity"),
      context_{scenario.cluster, EmptyCluster(scenario.cluster), {}, false, {}, {}},
      jobs_(jobs) {
  std::set<std::string> parents;
  for (const QueueSpec& queue : scenario.queues) parents.insert(queue.parent);
  for (const QueueSpec& queue : scenario.queues)
    if (!parents.contains(queue.name)) leaves_.push_back(queue.name);
  const auto& nodes = scenario.cluster.nodes;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    context_.nodes.emplace(nodes[i].name, NodeId{static_cast<std::int64_t>(i)});
}

void JobList::read_workload(const Section& section, JobSpec& job) {
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
    phase.gang = context_.gang;
    phase.request = normalised(phase.request, scenario_.cluster);
    check_phase_fits(*section.get("workload"), phase, context_);
  }
}

void JobList::read_phases_of(const Section& section, JobSpec& job) {
  context_.gang = false;
  section.flag("gang", context_.gang);
  const bool named = section.has("workload");
  if (named == section.has("phases"))
    section.field().error(named ? "has both phases and workload; expected one of them"
                                : "has no phases; expected phases or workload");
  if (named) return read_workload(section, job);
  for (const char* size : {"maps", "cpu"})
    if (auto field = section.get(size))
      field->error("is a size of a named workload; expected it beside workload, or in a phase");
  if (auto field = section.get("phases")) read_phases(*field, context_, job.phases);
}

std::optional<PhaseSpec> JobList::read_application_master(const Section& section) {
  auto field = section.get("application_master");
  if (!field) return std::nullopt;
  PhaseSpec master;
  master.name = "am";
  master.kind = PhaseKind::kAm;
  master.threads = 1;
  read_resources(*field, master.request, {Millicores(1), EmuBytes(1)}, true);
  master.request = normalised(master.request, scenario_.cluster);
  const std::size_t wrong = field->findings().wrong();
  check_phase_fits(*field, master, context_);
  // One that fits nowhere itself says nothing about what fits beside it.
  if (field->findings().wrong() == wrong) context_.master = master.request;
  return master;
}

void JobList::put_in_front(const Section& section, const PhaseSpec& master, JobSpec& job) {
  for (PhaseSpec& phase : job.phases) {
    if (phase.name == master.name)
      section.get("application_master")
          ->error(
              "is called \"am\", and so is a phase of this job; expected that phase to have "
              "another name");
    for (int& index : phase.after) ++index;
  }
  job.phases.insert(job.phases.begin(), master);
}

void JobList::read_queue(const Section& section, JobSpec& job) {
  if (!section.has("queue") && leaves_.size() == 1) job.queue = leaves_[0];
  section.name("queue", job.queue);
  if (leaves_.empty() || std::find(leaves_.begin(), leaves_.end(), job.queue) != leaves_.end())
    return;
  auto field = section.get("queue");
  if (!field)
    return section.field().absent("queue").error("is missing; expected one of " + join(leaves_));
  field->error(with_nearest(
      (scenario_.queue(job.queue) ? "\"" + job.queue + "\" has queues below it and holds no jobs"
                                  : "no queue is called \"" + job.queue + "\"") +
          "; expected one of " + join(leaves_),
      job.queue, leaves_));
}

std::optional<QueueRoom> JobList::room_of(const std::string& name) const {
  const QueueSpec* queue = scenario_.queue(name);
  if (!bounded_ || !queue) return std::nullopt;
  const double share = scenario_.max_share(*queue);
  if (share >= 1) return std::nullopt;
  return QueueRoom{name, context_.empty.share(share)};
}

bool JobList::has_room(const Section& section, const JobSpec& job, int count) {
  phases_ += static_cast<std::int64_t>(job.phases.size()) * count;
  tasks_ += static_cast<std::int64_t>(job.task_count()) * count;
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
  section.whole("max_am_attempts", job.max_am_attempts, {1, 1000});
  section.word<Framework>("framework", job.framework, {{"mapreduce", Framework::kMapReduce}},
                          {"spark"});
  context_.queue = room_of(job.queue);
  context_.master = {};
  auto master = read_application_master(section);
  read_phases_of(section, job);
  if (master) put_in_front(section, *master, job);
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
