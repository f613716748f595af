#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "common/text.h"
#include "core/scenario/draw.h"
#include "core/scenario/fit.h"
#include "core/scenario/quantity_text.h"
#include "yaml/conditions.h"
#include "yaml/job.h"
#include "yaml/jobs_table.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"

namespace heddle {
namespace {

// Part of the keys of the draws for arrivals. The keys of draw_work() begin with the index of a
// job, and no job has this index.
constexpr std::uint64_t kArrivals = 0x6172726976616c73U;
// Part of the keys of the draws for workloads. No job has this index either.
constexpr std::uint64_t kWorkloads = 0x776f726b6c6f6164U;

const Resources kDefaultMaster{Millicores(1000), EmuBytes(1LL << 30)};

Arrivals read_submit(const Section& job) {
  Arrivals arrivals;
  auto field = job.get("submit");
  if (!field) return arrivals;
  if (!field->is(YamlNode::Kind::kMap)) {
    if (field->is(YamlNode::Kind::kScalar))
      submit_keys().find("start")->form->read(*field, &arrivals.start);
    else
      field->wrong_kind(job_keys().find("submit")->form_name);
    return arrivals;
  }
  const Section section(*field, submit_keys());
  section.read(&arrivals);
  if (section.has("every") && section.has("poisson"))
    field->error("has both every and poisson; expected one of them");
  return arrivals;
}

/// Reads the list of jobs. Checks the limits on the sum of all expanded jobs.
class JobList {
 public:
  JobList(const Scenario& scenario, const PolicyTable& policies, std::vector<JobSpec>& jobs);

  void read(const Section& section, std::size_t index);
  /// Reads the conditions of the jobs from index `first` on, which are those of the section.
  void read_after(const Section& section, std::size_t first);
  /// Adds a job of a table. `node` has its line. Reports what is wrong with it instead.
  void add_row(JobSpec job, const YamlNode& node, Findings& findings);
  bool full() const { return full_; }
  Conditions& conditions() { return conditions_; }

 private:
  void check_queue(const Section& section, const JobSpec& job);
  /// Checks the job's partition and quality of service. Sets what the partition gives to the job.
  void check_slurm(const Section& section, JobSpec& job);
  /// Gives the array of an entry with a count its name, if it has none. Reports a limit that is not
  /// that of the other jobs of the array.
  void check_array(const Section& section, bool counts, JobSpec& job);
  /// Returns what is wrong with the job's array; "" if nothing is.
  std::string array_fault(const JobSpec& job);
  /// Returns what is wrong with the job's account; "" if nothing is.
  std::string account_fault(const JobSpec& job, const Findings& findings) const;
  std::optional<QueueRoom> room_of(const std::string& queue) const;
  void check_framework(const Section& section, const JobSpec& job);
  ExpandedWorkload read_what_it_does(const Section& section, const WrittenJob& written,
                                     std::size_t index);
  WorkloadPlan read_written(const Section& section, const WrittenJob& written);
  std::optional<PhaseSpec> read_application_master(const Section& section, const JobSpec& job);
  void put_in_front(const Section& section, const PhaseSpec& master, WorkloadPlan& plan);
  /// Reports a `release` of jobs that are not rigid.
  static void check_release(const Section& section, const JobSpec& job,
                            const ExpandedWorkload& work);
  /// Refuses jobs that the policy does not take.
  void refuse_others(const Section& section, const ExpandedWorkload& work) const;
  bool has_room(const Section& section, const ExpandedWorkload& work, int count);
  void expand(const Section& section, const JobSpec& job, const ExpandedWorkload& work, int count,
              const Arrivals& arrivals, std::size_t written);
  void fit_requests(const Section& section, JobSpec& job);
  void count_requested(const Section& section, const JobSpec& job);
  void add(const Section& section, JobSpec job);
  bool certainly_fits(const PhaseSpec& phase);

  const Scenario& scenario_;
  std::vector<std::string> leaves_;    ///< queues that can have jobs
  std::vector<std::string> accounts_;  ///< names; empty: they are not checked
  std::unordered_set<std::string> known_accounts_;
  const QueueBound bound_;             ///< what queues limit of what their jobs can hold
  const std::string_view rigid_only_;  ///< the policy, if it takes only rigid jobs; "" otherwise
  PhaseContext context_;               ///< context of the job being read
  std::optional<MadeRequests> made_;   ///< rules for the requests of the job being read
  std::vector<JobSpec>& jobs_;
  Conditions conditions_;
  std::set<std::string> names_;
  std::int64_t phases_ = 0, stages_ = 0, tasks_ = 0, entries_ = 0;
  bool full_ = false;
  std::unordered_set<std::string> table_names_;
  std::map<std::string, std::optional<int>> array_limits_;
  /// How many containers of a size fit on the empty cluster.
  std::map<Resources, std::int64_t, BySize> rooms_;
  double requested_bytes_ = 0;  ///< total of all tasks so far
};

JobList::JobList(const Scenario& scenario, const PolicyTable& policies, std::vector<JobSpec>& jobs)
    : scenario_(scenario),
      bound_(policies.queue_bound(scenario.policy)),
      rigid_only_(policies.rigid_only(scenario.policy)),
      context_{scenario.cluster,
               EmptyCluster(scenario.cluster),
               nodes_by_name(scenario.cluster),
               false,
               {},
               {},
               {},
               {},
               {}},
      jobs_(jobs) {
  std::set<std::string> parents;
  for (const QueueSpec& queue : scenario.queues) parents.insert(queue.parent);
  for (const QueueSpec& queue : scenario.queues)
    if (!parents.contains(queue.name) &&
        std::find(leaves_.begin(), leaves_.end(), queue.name) == leaves_.end())
      leaves_.push_back(queue.name);
  for (const AccountSpec& account : scenario.accounts) accounts_.push_back(account.name);
  known_accounts_.insert(accounts_.begin(), accounts_.end());
}

/// Reports keys that only other jobs have.
void JobList::check_framework(const Section& section, const JobSpec& job) {
  auto idle = section.get("executor_idle_timeout");
  if (job.framework != Framework::kSpark) {
    for (const char* key : {"deploy", "stages", "executor_idle_timeout"})
      if (auto field = section.get(key))
        field->error(
            "applies only to jobs with framework: spark; expected framework: spark, or no such "
            "key");
  } else if (idle && job.deploy != Deploy::kDynamic) {
    idle->error(
        "applies only to deploy: dynamic, which releases idle executors; expected deploy: dynamic, "
        "or no such key");
  }
}

/// Reads the work of a job without a named workload.
WorkloadPlan JobList::read_written(const Section& section, const WrittenJob& written) {
  WorkloadPlan plan;
  const bool spark = written.job.framework == Framework::kSpark;
  refuse_sizes(section, spark);
  if (!spark) {
    if (auto field = section.get("phases")) read_phases(*field, context_, plan.phases);
    return plan;
  }
  if (auto field = section.need("executors")) {
    PhaseSpec executors;
    apply_executors(read_executors(*field, true), context_, executors);
    check_phase_fits(*field, executors, context_);
    plan.phases = {executors};
  }
  read_stages(section, written.sizes.iterations.value_or(1), plan);
  return plan;
}

ExpandedWorkload JobList::read_what_it_does(const Section& section, const WrittenJob& written,
                                            std::size_t index) {
  const JobSpec& job = written.job;
  context_.gang = written.gang;
  context_.where = written.where;
  const std::string own = job.framework == Framework::kSpark ? "stages" : "phases";
  if (own == "stages" && section.has("phases"))
    section.get("phases")->error(
        "applies only to jobs with framework: mapreduce; expected executors and stages");
  const bool named = section.has("workload");
  if (named && section.has(own))
    section.field().error("has both " + own + " and workload; expected one of them");
  if (!named && !section.has(own))
    section.field().error("has no " + own + "; expected " + own + " or workload");
  if (!named) return {{{"", read_written(section, written)}}, false};
  const WorkloadContext use{job.framework, scenario_.storage.block_size,
                            draw_key(scenario_.seed, {kWorkloads, index})};
  ExpandedWorkload work = read_workload(section, written.sizes, use, written.count, context_);
  const std::size_t wrong = section.field().findings().wrong();
  for (const MixJob& each : work.jobs)
    for (const PhaseSpec& phase : each.plan.phases)
      if (context_.made_by.empty() && section.field().findings().wrong() == wrong)
        check_phase_fits(*section.get("workload"), phase, context_);
  return work;
}

/// Reads the application master. Named workloads and Spark jobs with the driver in the cluster have
/// an application master by default. Other jobs have an application master only if the scenario
/// says so.
std::optional<PhaseSpec> JobList::read_application_master(const Section& section,
                                                          const JobSpec& job) {
  const bool spark = job.framework == Framework::kSpark;
  const bool outside = spark && job.deploy == Deploy::kYarnClient;
  auto field = section.get("application_master");
  if (field && field->is(YamlNode::Kind::kScalar) && field->node().text == "none")
    return std::nullopt;
  if (field && outside)
    field->error("the driver of a yarn-client job runs outside of the cluster; expected none");
  if (!field && (outside || (!spark && !section.has("workload")))) return std::nullopt;
  PhaseSpec master;
  master.name = "am";
  master.kind = PhaseKind::kAm;
  master.threads = 1;
  if (field)
    Section(*field, resources_keys(true)).read(&master.request);
  else
    master.request = kDefaultMaster;
  master.request = normalised(master.request, scenario_.cluster);
  master.where = context_.partition;
  const Field& at = field ? *field : section.field();
  const std::size_t wrong = at.findings().wrong();
  check_phase_fits(at, master, context_);
  // If the application master itself fits no node, the phases are checked without it.
  if (at.findings().wrong() == wrong) context_.master = master.request;
  return master;
}

void JobList::put_in_front(const Section& section, const PhaseSpec& master, WorkloadPlan& plan) {
  for (PhaseSpec& phase : plan.phases) {
    if (phase.name == master.name)
      section.get("application_master")
          ->error(
              "has the name \"am\", which a phase of this job also has; expected another name for "
              "that phase");
    for (int& index : phase.after) ++index;
  }
  plan.phases.insert(plan.phases.begin(), master);
}

void JobList::refuse_others(const Section& section, const ExpandedWorkload& work) const {
  if (rigid_only_.empty()) return;
  for (const MixJob& each : work.jobs) {
    JobSpec job;
    job.phases = each.plan.phases;
    if (job.phases.empty() || job.rigid()) continue;
    section.field().error("is not rigid, and " + std::string(rigid_only_) +
                          " takes only rigid jobs; expected one phase with gang: true, and no "
                          "application master");
    return;
  }
}

void JobList::check_release(const Section& section, const JobSpec& job,
                            const ExpandedWorkload& work) {
  if (job.release == Release::kDefault) return;
  for (const MixJob& each : work.jobs) {
    JobSpec one;
    one.phases = each.plan.phases;
    if (one.phases.empty() || one.rigid()) continue;
    section.get("release")->error(
        "applies only to rigid jobs; expected one phase with gang: true and no application master, "
        "or no such key");
    return;
  }
}

void JobList::check_queue(const Section& section, const JobSpec& job) {
  if (leaves_.empty() || std::find(leaves_.begin(), leaves_.end(), job.queue) != leaves_.end())
    return;
  auto field = section.get("queue");
  if (!field)
    return section.field().absent("queue").error(
        "is missing; expected one of " + join(leaves_) +
        ", as a scenario that lists queues has no queue \"default\" besides them");
  field->error(with_nearest(
      (scenario_.queue(job.queue) ? "\"" + job.queue + "\" has queues below it and holds no jobs"
                                  : "no queue is called \"" + job.queue + "\"") +
          "; expected one of " + join(leaves_),
      job.queue, leaves_));
}

void JobList::check_slurm(const Section& section, JobSpec& job) {
  const auto report = [&](const char* key, const std::string& fault) {
    if (fault.empty()) return;
    const auto field = section.get(key);
    (field ? *field : section.field().absent(key)).error(fault);
  };
  report("partition", partition_fault(scenario_, job));
  report("qos", qos_fault(scenario_, job));
}

void JobList::check_array(const Section& section, bool counts, JobSpec& job) {
  const auto limit = section.get("array_limit");
  if (job.array_limit && job.array.empty() && counts) job.array = job.name;
  if (const std::string fault = array_fault(job); !fault.empty())
    (limit ? *limit : section.field().absent("array_limit")).error(fault);
}

std::string JobList::array_fault(const JobSpec& job) {
  if (job.array.empty())
    return job.array_limit ? "counts the jobs of an array; expected array, or count" : "";
  const auto [known, fresh] = array_limits_.try_emplace(job.array, job.array_limit);
  if (fresh || known->second == job.array_limit) return "";
  const auto text = [](std::optional<int> limit) {
    return limit ? std::to_string(*limit) : std::string("none");
  };
  return "is " + text(job.array_limit) + "; expected " + text(known->second) +
         ", as of the jobs of array \"" + job.array + "\" before";
}

std::string JobList::account_fault(const JobSpec& job, const Findings& findings) const {
  if (job.account.empty() || accounts_.empty() || known_accounts_.contains(job.account)) return "";
  if (findings.full()) return "unknown account";
  return with_nearest(
      "no account is called \"" + job.account + "\"; expected one of " + join(accounts_),
      job.account, accounts_);
}

std::optional<QueueRoom> JobList::room_of(const std::string& name) const {
  const QueueSpec* queue = scenario_.queue(name);
  if (bound_ == QueueBound::kNone || !queue) return std::nullopt;
  const double share = scenario_.max_share(*queue);
  if (share >= 1) return std::nullopt;
  QueueRoom room{name, context_.empty.share(share)};
  if (bound_ == QueueBound::kMemory) {
    const EmuBytes memory = room.most.memory;
    room.most = context_.empty.share(1);
    room.most.memory = memory;
  }
  return room;
}

bool JobList::has_room(const Section& section, const ExpandedWorkload& work, int count) {
  const int copies = work.differ ? 1 : count;
  for (const auto& [what, plan] : work.jobs) {
    phases_ += static_cast<std::int64_t>(plan.phases.size()) * copies;
    for (const PhaseSpec& phase : plan.phases) {
      if (phase.kind != PhaseKind::kAm) tasks_ += static_cast<std::int64_t>(phase.tasks) * copies;
      entries_ += static_cast<std::int64_t>(phase.each.size()) * copies;
    }
    stages_ += static_cast<std::int64_t>(plan.stages.size()) * copies;
    for (const StageSpec& stage : plan.stages)
      tasks_ += static_cast<std::int64_t>(stage.tasks) * copies;
  }
  auto over = [&](std::int64_t have, std::int64_t most, const char* what) {
    if (have <= most) return false;
    section.field().error("makes " + std::to_string(have) + " " + what +
                          " in all; expected at most " + std::to_string(most));
    return true;
  };
  full_ = over(static_cast<std::int64_t>(jobs_.size()) + count, kMaxJobs, "jobs") ||
          over(phases_, kMaxAllPhases, "phases") || over(stages_, kMaxAllPhases, "stages") ||
          over(tasks_, kMaxAllTasks, "tasks") || over(entries_, kMaxAllEntries, "tasks of each");
  return !full_;
}

/// Computes the requests of the job that will be added next. Reports the first request that does
/// not fit.
void JobList::fit_requests(const Section& section, JobSpec& job) {
  const Findings& findings = section.field().findings();
  if (!made_ || findings.wrong() > 0) return;
  make_requests(*made_, scenario_.cluster, scenario_.seed,
                JobId{static_cast<std::int64_t>(jobs_.size())}, job);
  for (const PhaseSpec& phase : job.phases)
    if (phase.kind != PhaseKind::kAm && findings.wrong() == 0)
      check_phase_fits(*section.get("requests"), phase, context_);
}

/// Counts the memory that all tasks request together. Reports once if this is more than the
/// maximum.
void JobList::count_requested(const Section& section, const JobSpec& job) {
  if (full_) return;
  for (const PhaseSpec& phase : job.phases)
    requested_bytes_ += static_cast<double>(phase.request.memory.count()) * phase.tasks;
  full_ = requested_bytes_ > static_cast<double>(kMaxRequestedMemory.count());
  if (full_)
    section.field().error("the tasks of the jobs up to this one request more than " +
                          print_bytes(kMaxRequestedMemory) +
                          " of memory together; expected fewer tasks or smaller requests");
}

void JobList::add(const Section& section, JobSpec job) {
  fit_requests(section, job);
  count_requested(section, job);
  section.field().check_new("job", job.name, names_);
  jobs_.push_back(std::move(job));
}

void give(const WorkloadPlan& plan, JobSpec& job) {
  job.phases = plan.phases;
  job.stages = plan.stages;
  job.iterative = plan.iterative;
}

void JobList::expand(const Section& section, const JobSpec& job, const ExpandedWorkload& work,
                     int count, const Arrivals& arrivals, std::size_t written) {
  EmuTime submit = arrivals.start;
  if (count > 1 && arrivals.poisson > EmuTime(0)) section.field().findings().drawn_jobs = true;
  const Drawn gap{Drawn::Dist::kExponential, static_cast<double>(arrivals.poisson.count()), 0};
  for (int n = 1; n <= count; ++n) {
    const auto& [what, plan] = work.jobs[work.differ ? static_cast<std::size_t>(n) - 1 : 0];
    JobSpec copy = job;
    copy.name += "-" + std::to_string(n) + (what.empty() ? "" : "-" + what);
    copy.submit = submit;
    give(plan, copy);
    if (!job.name.empty() && !valid_name(copy.name))
      return section.field().error("\"" + copy.name + "\" is too long for a name");
    if (submit > kMaxInstant)
      return section.field().error("\"" + copy.name + "\" would be submitted after " +
                                   print_duration(kMaxInstant));
    add(section, std::move(copy));
    submit += arrivals.every;
    std::uint64_t key =
        draw_key(scenario_.seed, {kArrivals, written, static_cast<std::uint64_t>(n)});
    submit += EmuTime(static_cast<std::int64_t>(draw(gap, key)));
  }
}

void JobList::read(const Section& section, std::size_t index) {
  WrittenJob written;
  JobSpec& job = written.job;
  if (leaves_.size() == 1) job.queue = leaves_[0];
  section.read(&written);
  check_queue(section, job);
  if (const std::string fault = account_fault(job, section.field().findings()); !fault.empty())
    section.get("account")->error(fault);
  check_slurm(section, job);
  check_framework(section, job);
  made_ = read_requests(section, job.framework);
  context_.made_by = made_ ? made_->text : "";
  context_.queue = room_of(job.queue);
  context_.partition = in_partition(scenario_, job);
  context_.master = {};
  auto master = read_application_master(section, job);
  ExpandedWorkload work = read_what_it_does(section, written, index);
  if (made_)
    for (const MixJob& each : work.jobs) refuse_commands(section, each.plan.phases);
  if (work.jobs.empty()) work.jobs.emplace_back();  // so that the job's name is checked
  if (section.read("iterative", &written))
    for (MixJob& each : work.jobs) each.plan.iterative = job.iterative;
  if (master)
    for (MixJob& each : work.jobs) put_in_front(section, *master, each.plan);
  check_release(section, job, work);
  refuse_others(section, work);
  check_array(section, written.count > 0 || work.differ, job);
  Arrivals arrivals = read_submit(section);
  const int jobs = work.differ ? static_cast<int>(work.jobs.size()) : std::max(written.count, 1);
  if (!has_room(section, work, jobs)) return;
  if (written.count > 0 || work.differ) return expand(section, job, work, jobs, arrivals, index);
  job.submit = arrivals.start;
  give(work.jobs[0].plan, job);
  add(section, std::move(job));
}

void JobList::read_after(const Section& section, std::size_t first) {
  const auto name = section.get("name");
  const bool counts = first < jobs_.size() && name && jobs_[first].name != name->node().text;
  if (counts) conditions_.name(name->node().text, first, jobs_.size());
  const auto after = section.get("after");
  if (!after) return;
  read_conditions(*after, [&](WrittenCondition condition, const Field& item) {
    conditions_.add(first, jobs_.size(), std::move(condition),
                    [item](const std::string& text) { item.error(text); });
  });
}

void JobList::add_row(JobSpec job, const YamlNode& node, Findings& findings) {
  const auto wrong = [&](const std::string& text) {
    Field(node, "jobs." + job.name, findings).error(text);
  };
  if (!leaves_.empty() && std::find(leaves_.begin(), leaves_.end(), job.queue) == leaves_.end())
    return wrong(
        with_nearest("no queue is called \"" + job.queue + "\"; expected one of " + join(leaves_),
                     job.queue, leaves_));
  for (const std::string& fault : {account_fault(job, findings), partition_fault(scenario_, job),
                                   qos_fault(scenario_, job), array_fault(job)})
    if (!fault.empty()) return wrong(fault);
  if (!rigid_only_.empty() && !job.rigid())
    return wrong("is not rigid, and " + std::string(rigid_only_) + " takes only rigid jobs");
  if (job.release != Release::kDefault && !job.rigid())
    return wrong("release applies only to rigid jobs");
  if (!table_names_.insert(job.name).second) return wrong("another job has this name");
  context_.queue = room_of(job.queue);
  context_.partition = in_partition(scenario_, job);
  context_.master = job.has_am() ? job.phases.front().request : Resources{};
  for (PhaseSpec& phase : job.phases) {
    add_partition(context_, phase);
    phase.request = normalised(phase.request, scenario_.cluster);
    if (phase.kind != PhaseKind::kAm) tasks_ += phase.tasks;
    requested_bytes_ += static_cast<double>(phase.request.memory.count()) * phase.tasks;
    if (!certainly_fits(phase))
      check_phase_fits(Field(node, "jobs." + job.name, findings), phase, context_);
  }
  full_ =
      tasks_ > kMaxAllTasks || requested_bytes_ > static_cast<double>(kMaxRequestedMemory.count());
  if (full_)
    return wrong("the jobs up to this one have more than " + std::to_string(kMaxAllTasks) +
                 " tasks, or request more than " + print_bytes(kMaxRequestedMemory) +
                 " of memory together");
  jobs_.push_back(std::move(job));
}

/// Returns true only if check_phase_fits() finds nothing. Remembers the room for each size.
bool JobList::certainly_fits(const PhaseSpec& phase) {
  if (context_.queue || context_.master != Resources{} || !phase.where.empty()) return false;
  const auto known = rooms_.find(phase.request);
  const std::int64_t room =
      known != rooms_.end()
          ? known->second
          : rooms_
                .emplace(phase.request,
                         context_.empty.known() ? context_.empty.room_for(phase.request) : 0)
                .first->second;
  return room >= (phase.gang ? phase.tasks : 1);
}

void read_table(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs) {
  const Section section(field, jobs_table_keys());
  WrittenTable written;
  if (!section.need("table") || !section.read("table", &written)) return;
  Findings& findings = field.findings();
  if (findings.table.empty())
    return section.get("table")->error(
        "no table follows; expected a line ... after the document, and the table after it");
  const auto at_line = [&](std::int64_t line) {
    YamlNode node;
    node.line = findings.table_line + static_cast<int>(line);
    return node;
  };
  JobList list(scenario, findings.policies, jobs);
  JobsTable table(findings.table, findings.counted,
                  [&](std::int64_t line, const std::string& fault) {
                    const YamlNode node = at_line(line);
                    Field(node, "", findings).error(fault);
                  });
  JobSpec job;
  while (!list.full() && table.next(job)) {
    const std::int64_t line = table.line();
    const std::size_t first = jobs.size();
    const std::string name = job.name;
    list.add_row(std::move(job), at_line(line), findings);
    for (const WrittenCondition& condition : table.conditions())
      list.conditions().add(first, jobs.size(), condition,
                            [&, line, name](const std::string& text) {
                              const YamlNode node = at_line(line);
                              Field(node, "jobs." + name + ".after_jobs", findings).error(text);
                            });
  }
  if (!list.full()) list.conditions().resolve(jobs);
  if (findings.wrong() == 0 && std::ssize(jobs) != written.jobs)
    section.get("table")->error("is " + std::to_string(written.jobs) + ", but the table has " +
                                std::to_string(jobs.size()) +
                                " jobs; expected a whole table and its number of jobs");
}

}  // namespace

void read_jobs(const Field& field, const Scenario& scenario, std::vector<JobSpec>& jobs) {
  if (field.is(YamlNode::Kind::kMap)) return read_table(field, scenario, jobs);
  const auto& items = field.node().items;
  if (!field.is_list("a list of at least one job", 1)) return;
  JobList list(scenario, field.findings().policies, jobs);
  for (std::size_t i = 0; i < items.size() && !list.full(); ++i) {
    const Section section(field.item(i), written_job_keys());
    if (items[i].kind != YamlNode::Kind::kMap) continue;
    const std::size_t first = jobs.size();
    list.read(section, i);
    list.read_after(section, first);
  }
  if (!list.full()) list.conditions().resolve(jobs);
}

}  // namespace heddle
