#include "core/policy/scheduler/fifo.h"

namespace heddle {

void Fifo::refresh(const View& view) {
  for (JobId id : view.changed_jobs) {
    if (asks(view.cluster, id))
      order_.put(view.cluster.job(id), 0);
    else
      order_.remove(id);
  }
}

void Fifo::in_order(const Draft& draft, std::optional<NodeId>, const Visit& visit) {
  order_.in_order(draft, visit);
}

void Fifo::launched(const Draft& draft, const Request& request) {
  if (!asks(draft, request.phase.job)) order_.remove(request.phase.job);
}

}  // namespace heddle
