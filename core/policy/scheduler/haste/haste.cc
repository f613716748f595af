#include "core/policy/scheduler/haste/haste.h"

#include <algorithm>
#include <cstdio>

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
  for (JobId id : view.changed_jobs) count(view.cluster.job(id));
  if (view.cluster.allowances() != allowances_) {
    allowances_ = view.cluster.allowances();
    for (const Job& job : view.cluster.jobs()) put(draft, job.id());
  } else {
    for (JobId id : view.changed_jobs) put(draft, id);
  }
  const bool changed = !view.changed_jobs.empty() || !view.changed_nodes.empty();
  if (plan_ && changed && held_ == 0) plan_->make(draft, order_);
}

void Haste::count(const Job& job) {
  Known& known = jobs_[job.id().value];
  const bool active = job.state() != JobState::kWaiting && !job.finished();
  const int change = static_cast<int>(active) - static_cast<int>(known.active);
  known.active = active;
  active_ += change;
  if (job.spec().iterative) active_iterative_ += change;
  int holds = 0;
  for (int i = 0; i < std::ssize(job.spec().phases); ++i)
    if (job.spec().phases[i].kind != PhaseKind::kAm) holds += job.live(i);
  held_ += holds - known.holds;
  known.holds = holds;
}

void Haste::put(const Draft& draft, JobId job) {
  order_.put(draft, job, 0);
  const auto& requests = draft.view().cluster.requests();
  for (auto it = requests.lower_bound({job, 0}); it != requests.end() && it->first.job == job; ++it)
    jobs_[job.value].terms[it->first.phase] = terms_of(draft, it->second);
}

void Haste::launched(const Draft& draft, const Request& request) {
  put(draft, request.phase.job);
  if (!plan_ || !filling_) return;
  if (visited_.choice == Choice::kPlan)
    plan_->took(*filling_, request.phase);
  else
    plan_->drop(*filling_);
}

Haste::Terms Haste::terms_of(const Draft& draft, const Request& request) const {
  if (request.kind == PhaseKind::kAm) return {form_ == Urgency::kNone ? 0 : kMostUrgent, 0};
  const Job& job = draft.view().cluster.job(request.phase.job);
  const MapStages& stages = jobs_[job.id().value].stages;
  const StageLoad load = stages.load(draft, request.phase);
  Terms terms;
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
    visited_ = {Choice::kPlan,
                {request, nullptr, jobs_[share.phase.job.value].terms[share.phase.phase],
                 fitness.of(request->resources), 0}};
    if (!visit(*request)) return false;
  }
  return true;
}

std::vector<Haste::Candidate> Haste::candidates(const Round& round) const {
  const Draft& draft = round.draft();
  const Fitness fitness(weights_, draft.free(*round.node()), draft.view().cluster.total());
  std::vector<Candidate> found;
  for (const auto& [group, keys] : order_.groups()) {
    if (!round.fits(group.size)) continue;
    const float fit = fitness.of(group.size);
    for (const RequestOrder::Key& key : keys) {
      const PhaseId phase = RequestOrder::phase_of(key);
      const Request* request = draft.view().cluster.request(phase);
      if (draft.pending(*request) > 0)
        found.push_back({request, &key, jobs_[phase.job.value].terms[phase.phase], fit, 0});
    }
  }
  return found;
}

bool Haste::visit_fitting(const Round& round, const Visit& visit) {
  std::vector<Candidate> left = candidates(round);
  Spread fitness, urgency, alignment;
  for (const Candidate& candidate : left) {
    fitness.add(candidate.fitness);
    urgency.add(candidate.terms.urgency);
    alignment.add(candidate.terms.alignment);
  }
  const double g = aggressiveness();
  for (Candidate& candidate : left)
    candidate.preference = fitness.norm(candidate.fitness) + urgency.norm(candidate.terms.urgency) +
                           g * alignment.norm(candidate.terms.alignment);
  // A heap: mostly the first few are enough.
  std::make_heap(left.begin(), left.end());
  for (; !left.empty(); left.pop_back()) {
    std::pop_heap(left.begin(), left.end());
    visited_ = {Choice::kPreference, left.back()};
    if (!visit(*left.back().request)) return false;
  }
  return true;
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
  const auto& [request, key, terms, fitness, preference] = visited_.candidate;
  char text[96];
  std::snprintf(text, sizeof text, "%s: fitness %.3g, urgency %.3g, alignment %.3g",
                visited_.choice == Choice::kPlan ? "initial assignment" : "fits", fitness,
                terms.urgency, terms.alignment);
  return text;
}

}  // namespace heddle
