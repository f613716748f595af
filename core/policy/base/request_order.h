#pragma once

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/policy/base/scheduler.h"

namespace heddle {

/// Requests in the order of a key, which all requests of a job have in common: it begins with a
/// number of the scheduler's (the job's share, say; 0 for none), ties go to the higher priority,
/// then the earlier submission, then the lower job id. Of one job early reduces go before maps, as
/// in YARN (RMContainerAllocator's priorities): it is the ramp that holds them back, not the maps;
/// the rest by phase.
///
/// Kept apart by group, so that a search need not look at requests that can't have anything. Groups
/// are as of the last put: a request that the draft has given nodes to hold since is still seen.
/// Putting a job costs O(log n) for each of its requests, a search O(log groups) for each one seen.
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

  /// Puts the job's requests with something pending where `first` says, and takes out its others.
  void put(const Draft& draft, JobId job, double first);
  void remove(JobId job);

  /// Calls `visit` with the requests in order until it returns false; false if it did.
  bool in_order(const Draft& draft, const Scheduler::Visit& visit) const {
    return in_order(draft, all(), nullptr, visit);
  }
  /// The same, with those only that are useful in the round.
  bool in_order(const Round& round, const Scheduler::Visit& visit) const {
    return in_order(round, all(), visit);
  }

  /// For orders of groups: none of them is empty.
  const Groups& groups() const { return groups_; }
  /// The requests of several groups in one order; of a group no more once it isn't useful in the
  /// round any more.
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
  /// By job, of those that ask, and phase.
  std::unordered_map<std::int64_t, std::vector<std::optional<Place>>> places_;
};

/// True if the job has a request with something pending.
bool asks(const Draft& draft, JobId job);

}  // namespace heddle
