#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// The times at which a reservation lasts, [from, until) each, ascending.
std::vector<std::pair<EmuTime, EmuTime>> times_of(const ReservationSpec& reservation);

/// Returns whether an entry of ReservationSpec::jobs means the job: its name, or the name without
/// the number that a count gives it.
bool means_job(std::string_view entry, std::string_view job);

/// A time for which a node is reserved.
struct ReservedTime {
  std::size_t reservation = 0;  ///< index in Scenario::reservations
  EmuTime from, until;
  friend bool operator==(const ReservedTime&, const ReservedTime&) = default;
};

/// The reservations of a scenario (ReservationSpec): which jobs they keep from a node, and when.
class AdvanceReservations {
 public:
  explicit AdvanceReservations(const Scenario& scenario);

  bool any() const { return !changes_.empty(); }
  /// Returns whether the job can use the nodes of the reservation with this index.
  bool open_to(std::size_t reservation, JobId job) const {
    return all_[reservation].open_to[static_cast<std::size_t>(job.value)];
  }
  /// Returns the first time in [from, until) at which the node is reserved for others than the job.
  std::optional<ReservedTime> against(JobId job, NodeId node, EmuTime from, EmuTime until) const;
  /// Returns when a reservation next begins or ends after `now`.
  std::optional<EmuTime> next_change(EmuTime now) const;
  /// Returns when reservations end after `now`, ascending.
  std::vector<EmuTime> ends_after(EmuTime now) const;

 private:
  struct Reservation {
    std::vector<std::pair<EmuTime, EmuTime>> times;
    std::vector<bool> open_to;  ///< by job
  };
  std::vector<Reservation> all_;                   ///< as in the scenario
  std::vector<std::vector<std::size_t>> of_node_;  ///< indices in all_
  std::vector<EmuTime> changes_, ends_;            ///< ascending
};

}  // namespace heddle
