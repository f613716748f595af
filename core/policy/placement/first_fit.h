#pragma once

#include <memory>

#include "core/policy/scheduler/scheduler.h"

namespace heddle {

struct FirstFitOptions {
  bool reserve = true;        ///< YARN's reservations
  bool strict_order = false;  ///< stop at the first request that can't be had in full now
  bool most_free = false;  ///< offered nodes by most free (dominant share of the smaller resource)
                           ///< instead of by id
};

/// The placement loop that schedulers share: requests in the scheduler's order, each on the offered
/// nodes in turn as long as it fits.
///
/// Gang requests are placed all at once over the whole view or not at all, and never reserve. A
/// request that fits nowhere now, but would fit an offered node empty, reserves that node: nobody
/// else is placed there until it has what it waits for. It holds at most as many reservations as it
/// has containers outstanding, a node at most one (policies.md, section 0).
class FirstFit : public Policy {
 public:
  FirstFit(std::unique_ptr<Scheduler> scheduler, FirstFitOptions options);
  Decision decide(const View& view, std::span<const Event> events) override;

 private:
  std::vector<NodeId> ordered(const Draft& draft, std::vector<NodeId> nodes) const;
  void serve_reservations(Draft& draft) const;
  void place(const Request& request, Draft& draft) const;
  void place_gang(const Request& request, Draft& draft) const;
  void reserve(const Request& request, Draft& draft) const;

  std::unique_ptr<Scheduler> scheduler_;
  FirstFitOptions options_;
};

}  // namespace heddle
