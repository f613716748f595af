#include "core/scenario/advance_reservations.h"

#include <algorithm>
#include <map>

namespace heddle {
namespace {

bool lists(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Finds the accounts to which jobs are charged.
class Accounts {
 public:
  explicit Accounts(const Scenario& scenario) {
    for (const AccountSpec& account : scenario.accounts) {
      above_[account.name] = account.parent;
      for (const UserShares& user : account.users) of_user_.try_emplace(user.name, account.name);
    }
  }
  /// Returns whether the job's account, or one above it, is in the list.
  bool any_in(const std::vector<std::string>& listed, const JobSpec& job) const {
    std::string account = job.account;
    if (const auto first = of_user_.find(job.user); account.empty() && first != of_user_.end())
      account = first->second;
    while (!account.empty()) {
      if (lists(listed, account)) return true;
      const auto above = above_.find(account);
      account = above == above_.end() ? "" : above->second;
    }
    return false;
  }

 private:
  std::map<std::string, std::string> above_, of_user_;
};

bool can_use(const ReservationSpec& reservation, const JobSpec& job, const Accounts& accounts) {
  const auto means = [&](const std::string& entry) { return means_job(entry, job.name); };
  const auto matches = [](const std::vector<std::string>& list, bool listed) {
    return list.empty() || listed;
  };
  return !reservation.maintenance &&
         matches(reservation.users, lists(reservation.users, job.user)) &&
         matches(reservation.accounts, accounts.any_in(reservation.accounts, job)) &&
         matches(reservation.jobs, std::ranges::any_of(reservation.jobs, means));
}

void sort_unique(std::vector<EmuTime>& times) {
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

std::vector<std::pair<EmuTime, EmuTime>> times_of(const ReservationSpec& reservation) {
  std::vector<std::pair<EmuTime, EmuTime>> times;
  const EmuTime every = reservation.every.value_or(EmuTime(0));
  for (int i = 0; i < reservation.times; ++i)
    times.emplace_back(reservation.from + every * i, reservation.until + every * i);
  return times;
}

bool means_job(std::string_view entry, std::string_view job) {
  if (!job.starts_with(entry)) return false;
  const std::string_view rest = job.substr(entry.size());
  if (rest.empty()) return true;
  const auto digits = rest.find_first_not_of("0123456789", 1);
  return rest.size() > 1 && rest[0] == '-' && digits != 1 &&
         (digits == std::string_view::npos || rest[digits] == '-');
}

AdvanceReservations::AdvanceReservations(const Scenario& scenario)
    : of_node_(scenario.reservations.empty() ? 0 : scenario.cluster.nodes.size()) {
  const Accounts accounts(scenario);
  for (const ReservationSpec& spec : scenario.reservations) {
    Reservation& one = all_.emplace_back(Reservation{times_of(spec), {}});
    for (const JobSpec& job : scenario.jobs) one.open_to.push_back(can_use(spec, job, accounts));
    for (const NodeId node : spec.nodes)
      of_node_[static_cast<std::size_t>(node.value)].push_back(all_.size() - 1);
    for (const auto& [from, until] : one.times) {
      changes_.push_back(from);
      changes_.push_back(until);
      ends_.push_back(until);
    }
  }
  sort_unique(changes_);
  sort_unique(ends_);
}

std::optional<ReservedTime> AdvanceReservations::against(JobId job, NodeId node, EmuTime from,
                                                         EmuTime until) const {
  std::optional<ReservedTime> first;
  if (!any()) return first;
  for (const std::size_t index : of_node_[static_cast<std::size_t>(node.value)]) {
    const Reservation& one = all_[index];
    if (one.open_to[static_cast<std::size_t>(job.value)]) continue;
    const auto next =
        std::ranges::upper_bound(one.times, from, {}, [](const auto& time) { return time.second; });
    if (next == one.times.end() || next->first >= until) continue;
    if (!first || next->first < first->from) first = {index, next->first, next->second};
  }
  return first;
}

std::optional<EmuTime> AdvanceReservations::next_change(EmuTime now) const {
  const auto next = std::ranges::upper_bound(changes_, now);
  return next == changes_.end() ? std::nullopt : std::optional(*next);
}

std::vector<EmuTime> AdvanceReservations::ends_after(EmuTime now) const {
  return {std::ranges::upper_bound(ends_, now), ends_.end()};
}

}  // namespace heddle
