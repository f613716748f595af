#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
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
/// g norm(alignment), each normalised over those that fit there; equal ones by urgency, then by
/// RequestOrder's key.
///
/// Those of one size and alignment are in the same order on every node, so they are kept in it:
/// putting a request costs O(log n), a search O(sizes x alignments), and a logarithm for each one
/// seen.
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
  /// counts), until it returns false; false if it did.
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
    friend bool operator==(const Alike&, const Alike&) = default;
    friend bool operator<(const Alike& a, const Alike& b) {
      if (a.size != b.size) return ByCoresThenMemory()(a.size, b.size);
      return a.alignment < b.alignment;
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
