#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/policy/base/scheduler.h"

namespace heddle {

/// Keeps requests in the order of a key. All requests of a job share its first part, a number from
/// the scheduler (such as the job's share; 0 for none). Ties go to the higher priority, then the
/// earlier submission, then the lower job id. Within a job, early reduces go before maps, as in
/// YARN (RMContainerAllocator's priorities), because the ramp holds them back, not the maps; the
/// rest go by phase.
///
/// Requests are stored by group, so that a search need not look at requests that can't have
/// anything. Groups are as of the last put: a request that the draft has given nodes to hold since
/// then is still visited. Putting a job costs O(log n) for each of its requests, a search O(log
/// groups) for each request visited.
class RequestOrder {
 public:
  RequestOrder() = default;
  RequestOrder(RequestOrder&&) = default;
  RequestOrder& operator=(RequestOrder&&) = default;

  using Key = std::tuple<double, int, EmuTime, JobId, bool, int>;
  using Group = std::set<Key>;
  using Groups = std::map<RequestGroup, Group>;
  static Key key_of(const Request& request, double first);
  static PhaseId phase_of(const Key& key) { return {std::get<JobId>(key), std::get<5>(key)}; }

  /// Puts the job's requests with something pending where `first` says, and removes its others.
  void put(const Draft& draft, JobId job, double first);
  void remove(JobId job);

  /// Calls `visit` with the requests in order until it returns false. Returns false if a visit did.
  bool in_order(const Draft& draft, const Scheduler::Visit& visit) const {
    return in_order(draft, all(), nullptr, visit);
  }
  /// Does the same with only the requests that are useful in the round.
  bool in_order(const Round& round, const Scheduler::Visit& visit) const {
    return in_order(round, all(), visit);
  }

  /// Returns the groups, for callers that order them. No group is empty.
  const Groups& groups() const { return groups_; }
  /// Visits the requests of several groups in one order. A group that is no longer useful in the
  /// round is dropped.
  static bool in_order(const Round& round, const std::vector<const Groups::value_type*>& groups,
                       const Scheduler::Visit& visit) {
    return in_order(round.draft(), groups, &round, visit);
  }

 private:
  std::vector<const Groups::value_type*> all() const;
  static bool in_order(const Draft& draft, const std::vector<const Groups::value_type*>& groups,
                       const Round* round, const Scheduler::Visit& visit);
  struct Place {
    Groups::iterator group;
    Key key;
  };
  void put(const RequestGroup& group, const Key& key, std::optional<Place>& place);
  void take_out(std::optional<Place>& place);

  Groups groups_;
  /// Places by job, for jobs that ask for something, and by phase.
  std::unordered_map<std::int64_t, std::vector<std::optional<Place>>> places_;
};

/// Returns true if the job has a request with something pending.
bool asks(const Draft& draft, JobId job);

}  // namespace heddle
