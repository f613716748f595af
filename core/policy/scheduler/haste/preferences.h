#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "core/policy/scheduler/fitness.h"
#include "core/policy/scheduler/request_order.h"

namespace heddle {

/// What is in a request's preference, but for its fitness.
struct PreferenceTerms {
  float urgency = 0, alignment = 0;
  friend bool operator==(const PreferenceTerms&, const PreferenceTerms&) = default;
};

/// Requests by the preference that a node has for them: norm(fitness) + norm(urgency) +
/// g norm(alignment), each normalised over the candidates, which are the requests that fit the node
/// and may be launched there now (Round::may_launch); equal ones by urgency, then by RequestOrder's
/// key.
///
/// Requests of one size and alignment are in the same order on every node, so they are kept in it.
/// Putting a request costs O(log n). A search costs O(sizes x alignments), a logarithm for each
/// request seen, and a question for each request that fits and may not be launched before the first
/// and after the last candidate of its size. Masters of one size may all be launched, or none.
class Preferences {
 public:
  /// Puts the request where its terms say; takes it out if nothing of it is pending.
  void put(const Draft& draft, const Request& request, const PreferenceTerms& terms);
  void remove(PhaseId phase);

  struct Choice {
    PreferenceTerms terms;
    float fitness = 0;
  };
  /// Returns false to end the round.
  using Visit = std::function<bool(const Request&, const Choice&)>;
  /// Calls `visit` with what fits the round's node, largest preference first (`g`: what alignment
  /// counts), until it returns false; false if it did. Requests that are no candidates are visited
  /// too, so that delay scheduling can count the opportunities that they let pass; only masters
  /// that may not start are left out.
  bool in_order(const Round& round, const Fitness& fitness, double g, const Visit& visit) const;

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
      if (a.size != b.size) return ByCoresThenMemory()(a.size, b.size);
      return std::tie(a.alignment, a.master) < std::tie(b.alignment, b.master);
    }
  };
  /// The next one of those that are alike.
  struct Head {
    const Alike* alike;
    Ranks::const_iterator next, end;
    const Request* request;
    float fitness;
    double preference;
    /// Less is worse. Equal preferences are no accident: the largest of two sizes against the more
    /// urgent of two requests is 1 against 1.
    friend bool operator<(const Head& a, const Head& b) {
      if (a.preference != b.preference) return a.preference < b.preference;
      return *b.next < *a.next;
    }
  };

  std::map<Alike, Ranks> ranks_;
  std::map<PhaseId, std::pair<Alike, Ranked>> known_;
};

}  // namespace heddle
