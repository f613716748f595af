#include "core/policy/scheduler/fifo.h"

namespace heddle {

void Fifo::refresh(Draft& draft) {
  for (JobId job : draft.view().changed_jobs) order_.put(draft, job, 0);
}

void Fifo::in_order(const Round& round, const Visit& visit) { order_.in_order(round, visit); }

void Fifo::launched(const Draft& draft, const Request& request) {
  order_.put(draft, request.phase.job, 0);
}

}  // namespace heddle
