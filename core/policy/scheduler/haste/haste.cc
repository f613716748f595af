#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "core/policy/scheduler/haste/initial_plan.h"
#include "core/policy/scheduler/haste/map_stages.h"
#include "core/policy/scheduler/haste/preferences.h"
#include "core/policy/scheduler/haste/terms.h"
#include "core/policy/scheduler/schedulers.h"

namespace heddle {
namespace {

constexpr WordOption<Urgency> kUrgency(
    {.name = "urgency",
     .words = {"deferred", "balanced", "none"},
     .by_default = "deferred",
     .help = "how urgent reduces are relative to maps of their job; none: urgency does not count"});
enum class InitialAssignment { kKnapsack, kNone };
constexpr WordOption<InitialAssignment> kInitialAssignment(
    {.name = "initial_assignment",
     .words = {"knapsack", "none"},
     .by_default = "knapsack",
     .help = "how nodes are filled when a batch comes to an idle cluster"});
constexpr AutoNumberOption kAggressiveness(
    {.name = "aggressiveness",
     .least = 0,
     .most = 1,
     .words = {"auto"},
     .by_default = "auto",
     .help = "weight of alignment; auto: the share of jobs that are not iterative"});

/// HaSTE. To fill a node, the request that fits and has the largest preference norm(fitness) +
/// norm(urgency) goes first. Each term is normalized over the candidates. These are the requests
/// that fit and are allowed to be launched there now. Fitness is the score of ffd-dp. The urgency
/// of a job's task depends on the progress of the job's maps and on what its reduces hold. Ties are
/// broken by urgency, and then by (priority, submit time, job id, phase). Requests that do not fit
/// come after all that fit, in the order of that tuple. When a batch comes to an idle cluster, each
/// node is filled once as a knapsack first (InitialPlan).
///
/// HaSTE-A. HaSTE with a third term, g * norm(alignment). The term pulls iterative jobs forward.
/// The nearer a job is to its end, the more it is pulled. The batch then does not end with the long
/// chains of stages of these jobs. g is the option aggressiveness.
///
/// docs/reference/policies.md says how Heddle reads the papers.
class Haste : public Scheduler {
 public:
  /// `aggressiveness`: the weight of alignment, 0 to 1. With nullopt, the weight is the share of
  /// jobs that are not iterative among the submitted, unfinished jobs.
  Haste(const Scenario& scenario, std::optional<double> aggressiveness)
      : Scheduler({.by_node = true}),
        form_(value(scenario.policy, kUrgency)),
        weights_(Fitness::weights(scenario.policy)),
        aggressiveness_(aggressiveness),
        jobs_(scenario.jobs.begin(), scenario.jobs.end()) {
    if (value(scenario.policy, kInitialAssignment) == InitialAssignment::kKnapsack)
      plan_.emplace(scenario.cluster.unit);
  }

  void refresh(Draft& draft) override {
    const View& view = draft.view();
    std::vector<JobId> submitted;
    for (JobId id : view.changed_jobs)
      if (count(view.cluster.job(id))) submitted.push_back(id);
    if (plan_) gather_batch(view, submitted);
    if (view.cluster.allowances() != allowances_) {
      allowances_ = view.cluster.allowances();
      for (const Job& job : view.cluster.jobs()) put(draft, job.id());
    } else {
      for (JobId id : view.changed_jobs) put(draft, id);
    }
    if (plan_) plan_->make(draft);
  }

  void in_order(const Round& round, const Visit& visit) override {
    visited_ = {};
    if (!round.node()) {
      order_.in_order(round, visit);
      return;
    }
    filling_ = round.node();
    if (visit_planned(round, visit) && visit_fitting(round, visit)) visit_others(round, visit);
    filling_.reset();
  }

  std::string reason(const Request&) const override {
    if (visited_.choice == Choice::kOrder) return "fits";
    const auto& [terms, fitness] = visited_.by;
    char text[96];
    std::snprintf(text, sizeof text, "%s: fitness %.3g, urgency %.3g, alignment %.3g",
                  visited_.choice == Choice::kPlan ? "initial assignment" : "fits", fitness,
                  terms.urgency, terms.alignment);
    return text;
  }

  void launched(const Draft& draft, const Request& request) override {
    put(draft, request.phase.job);
    if (plan_ && filling_ && visited_.choice == Choice::kPlan)
      plan_->took(*filling_, request.phase);
  }

  EmuTime passes_until() const override { return kNever; }

 private:
  /// The facts about a job that the scheduler remembers.
  struct Known {
    explicit Known(const JobSpec& job) : stages(job), terms(job.phases.size()) {}
    MapStages stages;
    std::vector<PreferenceTerms> terms;  ///< by phase, only for phases with a request
    bool active = false;                 ///< submitted and not finished
    int batch = 0;                       ///< number of the batch to which the job belongs
  };
  enum class Choice { kOrder, kPlan, kPreference };
  /// Says how the request that is being visited was chosen.
  struct Visited {
    Choice choice = Choice::kOrder;
    Preferences::Choice by;
  };

  void put(const Draft& draft, JobId job) {
    order_.put(draft, job, 0);
    if (plan_ && jobs_[job.value].batch == batch_) plan_->put(draft, job);
    std::vector<PreferenceTerms>& terms = jobs_[job.value].terms;
    for (int phase = 0; phase < std::ssize(terms); ++phase) {
      const Request* request = draft.view().cluster.request({job, phase});
      if (!request) {
        preferences_.remove({job, phase});
        continue;
      }
      terms[phase] = terms_of(draft, *request);
      preferences_.put(draft, *request, terms[phase]);
    }
  }

  /// Returns true if the job was submitted since the last step.
  bool count(const Job& job) {
    bool& active = jobs_[job.id().value].active;
    const bool was_active =
        std::exchange(active, job.state() != JobState::kWaiting && !job.finished());
    const int change = static_cast<int>(active) - static_cast<int>(was_active);
    active_ += change;
    if (job.spec().iterative) active_iterative_ += change;
    return change > 0;
  }

  /// Takes in jobs that were submitted. They begin a batch, join the current batch, or come too
  /// late for it.
  void gather_batch(const View& view, const std::vector<JobId>& submitted) {
    const bool begins = !submitted.empty() && active_ == std::ssize(submitted);
    if (begins) {
      ++batch_;
      plan_->begin_batch();
    }
    if (begins || gathering_)
      for (JobId job : submitted) jobs_[job.value].batch = batch_;
    const auto task_starts = [&](const ContainerChange& change) {
      const auto [job, phase] = change.container.task.phase;
      return !change.ended && view.cluster.job(job).spec().phases[phase].kind != PhaseKind::kAm;
    };
    // If a batch begins in this step, tasks that start in this step belong to the previous batch.
    gathering_ = begins || (gathering_ && std::none_of(view.container_changes.begin(),
                                                       view.container_changes.end(), task_starts));
  }

  PreferenceTerms terms_of(const Draft& draft, const Request& request) const {
    if (request.kind == PhaseKind::kAm) return {form_ == Urgency::kNone ? 0 : kMostUrgent, 0};
    const Job& job = draft.view().cluster.job(request.phase.job);
    const MapStages& stages = jobs_[job.id().value].stages;
    const StageLoad load = stages.load(draft, request.phase);
    PreferenceTerms terms;
    terms.urgency =
        request.kind == PhaseKind::kReduce ? reduce_urgency(form_, load) : map_urgency(form_, load);
    if (job.spec().iterative)
      terms.alignment = job.stages() ? alignment(job.stages()->complete_stages(),
                                                 static_cast<int>(job.spec().stages.size()))
                                     : alignment(stages.complete(job), stages.count());
    return terms;
  }

  /// Visits the requests that are planned for the node. Returns false if a visit ended the round.
  bool visit_planned(const Round& round, const Visit& visit) {
    const InitialPlan::Shares* shares = plan_ ? plan_->of(*round.node()) : nullptr;
    if (!shares) return true;
    const Draft& draft = round.draft();
    const Fitness fitness(weights_, draft.free(*round.node()), draft.view().cluster.total());
    for (const InitialPlan::Share& share : *shares) {
      const Request* request = draft.view().cluster.request(share.phase);
      if (!request || request->gang || draft.pending(*request) == 0 ||
          !round.fits(request->resources))
        continue;
      visited_ = {
          Choice::kPlan,
          {jobs_[share.phase.job.value].terms[share.phase.phase], fitness.of(request->resources)}};
      if (!visit(*request)) return false;
    }
    return true;
  }

  bool visit_fitting(const Round& round, const Visit& visit) {
    const Draft& draft = round.draft();
    const Fitness fitness(weights_, draft.free(*round.node()), draft.view().cluster.total());
    const double g = aggressiveness_.value_or(1 - share_of(active_iterative_, active_));
    return preferences_.in_order(round, fitness, g,
                                 [&](const Request& request, const Preferences::Choice& choice) {
                                   visited_ = {Choice::kPreference, choice};
                                   return visit(request);
                                 });
  }

  void visit_others(const Round& round, const Visit& visit) {
    visited_ = {};
    std::vector<const RequestOrder::Groups::value_type*> others;
    for (const auto& entry : order_.groups())
      if (!round.fits(entry.first.size) && round.useful(entry.first)) others.push_back(&entry);
    RequestOrder::in_order(round, others, visit);
  }

  Urgency form_;
  Fitness::Weights weights_;
  std::optional<double> aggressiveness_;
  RequestOrder order_;
  Preferences preferences_;
  std::optional<InitialPlan> plan_;
  std::vector<Known> jobs_;
  int active_ = 0, active_iterative_ = 0;  ///< number of jobs
  int batch_ = 0;                          ///< number of batches so far
  bool gathering_ = false;                 ///< no task of the last batch has started
  Resources allowances_;                   ///< allowances with which the terms were computed
  std::optional<NodeId> filling_;          ///< the node that is being filled, if any
  Visited visited_;
};

}  // namespace

constinit const SchedulerPart kHasteScheduler{
    {.name = "haste",
     .summary = "fitness and urgency",
     .good_at = "the makespan of batches whose jobs differ in shape and have reduces.",
     .bad_at = "the same cases as ffd-dp. Each term is scaled over the present candidates, so "
               "small differences count as much as large ones.",
     .source = "Yao et al., \"HaSTE: Hadoop YARN Scheduling Based on Task-Dependency and "
               "Resource-Demand\", CLOUD 2014",
     .options = {&kCoresWeight, &kMemoryWeight, &kInitialAssignment, &kUrgency}},
    [](const Scenario& scenario) -> std::unique_ptr<Scheduler> {
      return std::make_unique<Haste>(scenario, 0.0);
    }};

constinit const SchedulerPart kHasteAScheduler{
    {.name = "haste-a",
     .summary = "fitness, urgency and alignment of iterative jobs",
     .good_at = "batches in which some jobs are long chains of stages. These are pulled forward, "
                "and the others fill up beside them.",
     .bad_at =
         "stages of different length, because stages are counted, not measured. If no job is "
         "iterative, or by default if every job is, haste-a equals haste. It is close to haste "
         "if `max_am_share` admits few jobs at a time, because application masters go by "
         "submission.",
     .source = "Yao et al., \"New Scheduling Algorithms for Improving Performance and Resource "
               "Utilization in Hadoop YARN Clusters\", TCC 2019",
     .options = {&kCoresWeight, &kMemoryWeight, &kInitialAssignment, &kUrgency, &kAggressiveness}},
    [](const Scenario& scenario) -> std::unique_ptr<Scheduler> {
      return std::make_unique<Haste>(scenario, value(scenario.policy, kAggressiveness));
    }};

}  // namespace heddle
