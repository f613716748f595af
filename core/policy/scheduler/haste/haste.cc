#include "core/policy/scheduler/haste/haste.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "core/policy/scheduler/haste/haste_a.h"
#include "core/policy/table.h"

namespace heddle {
namespace {

Urgency urgency_of(const PolicySpec& policy) {
  const std::string form = policy_value(policy, "urgency");
  if (form == "balanced") return Urgency::kBalanced;
  return form == "none" ? Urgency::kNone : Urgency::kDeferred;
}

std::optional<double> given_aggressiveness(const PolicySpec& policy) {
  if (policy_value(policy, "aggressiveness") == "auto") return std::nullopt;
  return policy_number(policy, "aggressiveness");
}

}  // namespace

Haste::Haste(const Scenario& scenario) : Haste(scenario, Aggressiveness{0}) {}

HasteA::HasteA(const Scenario& scenario)
    : Haste(scenario, Aggressiveness{given_aggressiveness(scenario.policy)}) {}

Haste::Haste(const Scenario& scenario, Aggressiveness aggressiveness)
    : form_(urgency_of(scenario.policy)),
      weights_{policy_number(scenario.policy, "cores_weight"),
               policy_number(scenario.policy, "memory_weight")},
      aggressiveness_(aggressiveness),
      jobs_(scenario.jobs.begin(), scenario.jobs.end()) {
  if (policy_value(scenario.policy, "initial_assignment") == "knapsack")
    plan_.emplace(scenario.cluster.unit);
}

// What is known of jobs.

void Haste::refresh(Draft& draft) {
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

bool Haste::count(const Job& job) {
  bool& active = jobs_[job.id().value].active;
  const bool was_active =
      std::exchange(active, job.state() != JobState::kWaiting && !job.finished());
  const int change = static_cast<int>(active) - static_cast<int>(was_active);
  active_ += change;
  if (job.spec().iterative) active_iterative_ += change;
  return change > 0;
}

void Haste::gather_batch(const View& view, const std::vector<JobId>& submitted) {
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
  // What starts in the step in which a batch begins is of the one before.
  gathering_ = begins || (gathering_ && std::none_of(view.container_changes.begin(),
                                                     view.container_changes.end(), task_starts));
}

void Haste::put(const Draft& draft, JobId job) {
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

void Haste::launched(const Draft& draft, const Request& request) {
  put(draft, request.phase.job);
  if (plan_ && filling_ && visited_.choice == Choice::kPlan) plan_->took(*filling_, request.phase);
}

PreferenceTerms Haste::terms_of(const Draft& draft, const Request& request) const {
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

double Haste::aggressiveness() const {
  return aggressiveness_.fixed ? *aggressiveness_.fixed : 1 - share_of(active_iterative_, active_);
}

// The order for a node.

void Haste::in_order(const Round& round, const Visit& visit) {
  visited_ = {};
  if (!round.node()) {
    order_.in_order(round, visit);
    return;
  }
  filling_ = round.node();
  if (visit_planned(round, visit) && visit_fitting(round, visit)) visit_others(round, visit);
  filling_.reset();
}

bool Haste::visit_planned(const Round& round, const Visit& visit) {
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

bool Haste::visit_fitting(const Round& round, const Visit& visit) {
  const Draft& draft = round.draft();
  const Fitness fitness(weights_, draft.free(*round.node()), draft.view().cluster.total());
  return preferences_.in_order(round, fitness, aggressiveness(),
                               [&](const Request& request, const Preferences::Choice& choice) {
                                 visited_ = {Choice::kPreference, choice};
                                 return visit(request);
                               });
}

void Haste::visit_others(const Round& round, const Visit& visit) {
  visited_ = {};
  std::vector<const RequestOrder::Groups::value_type*> others;
  for (const auto& entry : order_.groups())
    if (!round.fits(entry.first.size) && round.useful(entry.first)) others.push_back(&entry);
  RequestOrder::in_order(round, others, visit);
}

std::string Haste::reason(const Request&) const {
  if (visited_.choice == Choice::kOrder) return "fits";
  const auto& [terms, fitness] = visited_.by;
  char text[96];
  std::snprintf(text, sizeof text, "%s: fitness %.3g, urgency %.3g, alignment %.3g",
                visited_.choice == Choice::kPlan ? "initial assignment" : "fits", fitness,
                terms.urgency, terms.alignment);
  return text;
}

}  // namespace heddle
