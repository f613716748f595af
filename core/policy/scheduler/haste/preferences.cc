#include "core/policy/scheduler/haste/preferences.h"

#include <algorithm>

#include "core/policy/scheduler/haste/terms.h"

namespace heddle {
namespace {

/// Null if nothing of it is pending in the draft.
const Request* pending_request(const Draft& draft, const RequestOrder::Key& key) {
  const Request* request = draft.view().cluster.request(RequestOrder::phase_of(key));
  return draft.pending(*request) > 0 ? request : nullptr;
}

}  // namespace

void Preferences::put(const Draft& draft, const Request& request, const PreferenceTerms& terms) {
  if (draft.pending(request) == 0) {
    remove(request.phase);
    return;
  }
  const Alike alike{request.resources, terms.alignment, request.kind == PhaseKind::kAm};
  const Ranked ranked{terms.urgency, RequestOrder::key_of(request, 0)};
  auto [known, fresh] = known_.try_emplace(request.phase, alike, ranked);
  if (!fresh) {
    if (known->second == std::pair(alike, ranked)) return;
    remove(request.phase);
    known_.emplace(request.phase, std::pair(alike, ranked));
  }
  ranks_[alike].insert(ranked);
}

void Preferences::remove(PhaseId phase) {
  const auto known = known_.find(phase);
  if (known == known_.end()) return;
  const auto ranks = ranks_.find(known->second.first);
  ranks->second.erase(known->second.second);
  if (ranks->second.empty()) ranks_.erase(ranks);
  known_.erase(known);
}

bool Preferences::in_order(const Round& round, const Fitness& fitness, double g,
                           const Visit& visit) const {
  const Draft& draft = round.draft();
  std::vector<Head> heads;
  Spread fitnesses, urgencies, alignments;
  const auto candidate = [&](const Ranked& ranked) {
    const Request* request = pending_request(draft, ranked.key);
    return request && round.may_launch(*request);
  };
  for (const auto& [alike, ranks] : ranks_) {
    if (!round.fits(alike.size)) continue;
    Head head{&alike, ranks.begin(), ranks.end(), nullptr, fitness.of(alike.size), 0};
    while (head.next != head.end && !(head.request = pending_request(draft, head.next->key)))
      ++head.next;
    if (head.next == head.end) continue;
    if (alike.master && !candidate(*head.next)) continue;
    heads.push_back(head);
    const auto first = std::find_if(head.next, head.end, candidate);
    if (first == head.end) continue;
    auto last = std::prev(head.end);
    while (!candidate(*last)) --last;
    fitnesses.add(head.fitness);
    urgencies.add(first->urgency);
    urgencies.add(last->urgency);
    alignments.add(alike.alignment);
  }
  const auto prefer = [&](Head& head) {
    head.preference = fitnesses.norm(head.fitness) + urgencies.norm(head.next->urgency) +
                      g * alignments.norm(head.alike->alignment);
  };
  for (Head& head : heads) prefer(head);
  std::make_heap(heads.begin(), heads.end());
  while (!heads.empty()) {
    std::pop_heap(heads.begin(), heads.end());
    Head& head = heads.back();
    const Request& request = *head.request;
    const Choice choice{{head.next->urgency, head.alike->alignment}, head.fitness};
    // Before the visit, which may take the request out.
    do {
      ++head.next;
    } while (head.next != head.end && !(head.request = pending_request(draft, head.next->key)));
    if (head.next == head.end) {
      heads.pop_back();
    } else {
      prefer(head);
      std::push_heap(heads.begin(), heads.end());
    }
    if (!visit(request, choice)) return false;
  }
  return true;
}

}  // namespace heddle
