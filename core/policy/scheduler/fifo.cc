#include "core/policy/scheduler/fifo.h"

namespace heddle {

void Fifo::refresh(const View& view) {
  for (PhaseId id : view.changed_requests) {
    const Request* request = view.cluster.request(id);
    auto it = keys_.find(id);
    if (request && it == keys_.end()) {
      Key key{-request->priority, request->submit, id};
      order_.insert(key);
      keys_.emplace(id, key);
    } else if (!request && it != keys_.end()) {
      order_.erase(it->second);
      keys_.erase(it);
    }
  }
}

void Fifo::in_order(const Draft& draft, const std::function<bool(const Request&)>& visit) {
  for (const auto& [priority, submit, id] : order_)
    if (draft.pending(id) > 0 && !visit(*draft.view().cluster.request(id))) return;
}

}  // namespace heddle
