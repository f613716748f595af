#pragma once

#include <boost/container/small_vector.hpp>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/policy/base/scheduler.h"

namespace heddle {

/// Keeps requests in the order of a key. The first part of the key is a number from the scheduler,
/// for example the job's share. All requests of a job have the same number. A scheduler that needs
/// no number uses 0. On a tie, the higher priority goes first, then the earlier submission, then
/// the lower job id. Within a job, early reduces go before maps, as in YARN (RMContainerAllocator's
/// priorities). The order need not hold early reduces back, because the ramp does. The other
/// requests of a job go by phase.
///
/// Requests are stored by group. A search can then skip all requests of a group that can get
/// nothing. The group of a request is computed in put(). If the draft reserves nodes for the
/// request later, the search still visits the request. Putting a job costs O(log n) for each of its
/// requests. A search costs O(log groups) for each request visited.
class RequestOrder {
 public:
  RequestOrder() = default;
  /// `by_priority`: jobs at the same place go by their own priority before their submission.
  explicit RequestOrder(bool by_priority) : by_priority_(by_priority) {}
  RequestOrder(RequestOrder&&) = default;
  RequestOrder& operator=(RequestOrder&&) = default;

  using Key = std::tuple<double, int, EmuTime, JobId, bool, int>;
  using Group = std::set<Key>;
  using Groups = std::map<RequestGroup, Group>;
  /// A selection of groups.
  using Selection = std::span<const Groups::value_type* const>;
  static Key key_of(const Request& request, double first);
  static PhaseId phase_of(const Key& key) { return {std::get<JobId>(key), std::get<5>(key)}; }

  /// Puts those requests of the job that have something pending at the place of `first`. Removes
  /// the job's other requests.
  void put(const Draft& draft, JobId job, double first);
  void remove(JobId job);

  /// Calls `visit` with the requests in order until `visit` returns false. Returns false if a call
  /// of `visit` did.
  bool in_order(const Draft& draft, const Scheduler::Visit& visit) const {
    return in_order(draft, selection(all()), nullptr, visit);
  }
  /// Does the same, but visits only the requests that are useful in the round.
  bool in_order(const Round& round, const Scheduler::Visit& visit) const {
    return in_order(round, selection(all()), visit);
  }

  /// Returns the groups, for callers that set an order of groups. No group is empty.
  const Groups& groups() const { return groups_; }
  /// Visits the requests of several groups in one order. Skips the rest of a group that is no
  /// longer useful in the round.
  static bool in_order(const Round& round, Selection groups, const Scheduler::Visit& visit) {
    return in_order(round.draft(), groups, &round, visit);
  }

 private:
  using List = boost::container::small_vector<const Groups::value_type*, 16>;
  List all() const;
  static Selection selection(const List& list) { return {list.data(), list.size()}; }
  static bool in_order(const Draft& draft, Selection groups, const Round* round,
                       const Scheduler::Visit& visit);
  struct Place {
    Groups::iterator group;
    Key key;
  };
  void put(const RequestGroup& group, const Key& key, std::optional<Place>& place);
  void take_out(std::optional<Place>& place);

  bool by_priority_ = true;
  Groups groups_;
  /// Places of a job's requests, by phase. Only jobs that request something have an entry.
  std::unordered_map<std::int64_t, std::vector<std::optional<Place>>> places_;
};

/// Returns true if the job has a request with something pending.
bool asks(const Draft& draft, JobId job);

}  // namespace heddle
