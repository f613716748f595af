#pragma once

#include <functional>

#include "core/policy/draft.h"

namespace heddle {

/// Which request next: an order over requests, one part of a policy (policies are compositions).
class Scheduler {
 public:
  virtual ~Scheduler() = default;
  /// Takes in what changed (view.changed_requests) before anything is asked.
  virtual void refresh(const View& view) = 0;
  /// Calls `visit` with requests in the order in which they should be served, given what the draft
  /// holds so far, until it returns false. Requests with nothing pending in the draft may be left
  /// out.
  virtual void in_order(const Draft& draft, const std::function<bool(const Request&)>& visit) = 0;
};

}  // namespace heddle
