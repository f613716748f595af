#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "core/policy/base/request_order.h"
#include "core/policy/scheduler/fitness.h"
#include "core/policy/scheduler/haste/terms.h"

namespace heddle {

/// The terms of a request's preference, except for its fitness.
struct PreferenceTerms {
  float urgency = 0, alignment = 0;
  friend bool operator==(const PreferenceTerms&, const PreferenceTerms&) = default;
};

/// Keeps requests in the order of a node's preference for them: norm(fitness) + norm(urgency) + g
/// norm(alignment). Each term is normalized over the candidates. Candidates are the requests that
/// fit the node and are allowed to be launched there now (Round::may_launch). Ties are broken by
/// urgency, and then by RequestOrder's key.
///
/// Requests that have the same size and alignment are in the same order on every node. Therefore
/// they are stored in that order. Putting a request costs O(log n). A search costs O(sizes x
/// alignments), plus a logarithm for each request visited. The search also calls may_launch for
/// requests at the beginning and at the end of each list, until it finds a candidate. If one
/// application master of a size is allowed to be launched, all masters of that size are.
class Preferences {
 public:
  /// Puts the request at the place that its terms define. If nothing of it is pending, removes it.
  void put(const Draft& draft, const Request& request, const PreferenceTerms& terms) {
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

  void remove(PhaseId phase) {
    const auto known = known_.find(phase);
    if (known == known_.end()) return;
    const auto ranks = ranks_.find(known->second.first);
    ranks->second.erase(known->second.second);
    if (ranks->second.empty()) ranks_.erase(ranks);
    known_.erase(known);
  }

  struct Choice {
    PreferenceTerms terms;
    float fitness = 0;
  };
  /// Returns false to end the round.
  using Visit = std::function<bool(const Request&, const Choice&)>;
  /// Calls `visit` with the requests that fit the round's node, the largest preference first, until
  /// `visit` returns false. Returns false if a call of `visit` did. `g`: the weight of alignment.
  /// Also visits requests that are not candidates, so that delay scheduling can count the
  /// opportunities that they let pass. Does not visit application masters that are not allowed to
  /// start.
  bool in_order(const Round& round, const Fitness& fitness, double g, const Visit& visit) const {
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
      // Move on before the visit, which may remove the request.
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

 private:
  struct Ranked {
    float urgency = 0;
    RequestOrder::Key key;
    friend bool operator==(const Ranked&, const Ranked&) = default;
    friend bool operator<(const Ranked& a, const Ranked& b) {
      return a.urgency != b.urgency ? a.urgency > b.urgency : a.key < b.key;
    }
  };
  using Ranks = std::set<Ranked>;
  struct Alike {
    Resources size;
    float alignment = 0;
    bool master = false;
    friend bool operator==(const Alike&, const Alike&) = default;
    friend bool operator<(const Alike& a, const Alike& b) {
      if (a.size != b.size) return BySize()(a.size, b.size);
      return std::tie(a.alignment, a.master) < std::tie(b.alignment, b.master);
    }
  };
  /// The next request of a list of requests with the same size and alignment.
  struct Head {
    const Alike* alike;
    Ranks::const_iterator next, end;
    const Request* request;
    float fitness;
    double preference;
    /// Returns true if `a` is less preferred. Equal preferences are common: often, one request has
    /// the larger size (norm 1), and the other request is more urgent (norm 1).
    friend bool operator<(const Head& a, const Head& b) {
      if (a.preference != b.preference) return a.preference < b.preference;
      return *b.next < *a.next;
    }
  };

  /// Returns the request. Returns null if nothing of it is pending in the draft.
  static const Request* pending_request(const Draft& draft, const RequestOrder::Key& key) {
    const Request* request = draft.view().cluster.request(RequestOrder::phase_of(key));
    return draft.pending(*request) > 0 ? request : nullptr;
  }

  std::map<Alike, Ranks> ranks_;
  std::map<PhaseId, std::pair<Alike, Ranked>> known_;
};

}  // namespace heddle
