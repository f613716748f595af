#include "core/policy/locality/delay.h"

#include "core/policy/table.h"

namespace heddle {

bool delays_spark(const PolicySpec& policy) {
  const std::string who = policy_value(policy, "delay");
  return who == "spark" || who == "both";
}

Delay::Delay(const ClusterSpec& cluster, const PolicySpec& policy) : cluster_(cluster) {
  const std::string who = policy_value(policy, "delay");
  mapreduce_ = who == "mapreduce" || who == "both";
  spark_ = delays_spark(policy);
  node_delay_ = static_cast<int>(policy_number(policy, "node_delay"));
  rack_delay_ = static_cast<int>(policy_number(policy, "rack_delay"));
}

void Delay::refresh(const View& view) {
  for (JobId id : view.changed_jobs)
    if (view.cluster.job(id).finished()) missed_.erase(id);
}

bool Delay::counted(const Missed& missed, NodeId node, const Draft& draft) {
  return missed.at == draft.view().now && (missed.last == node || draft.view().anywhere);
}

std::optional<Delay::Patience> Delay::waits(const Request& request, NodeId node,
                                            const Draft& draft) const {
  const JobSpec& job = draft.job(request.phase);
  if (!(job.framework == Framework::kSpark ? spark_ : mapreduce_)) return std::nullopt;
  const Locality level = draft.locality(request, node);
  if (level == Locality::kAny || level == Locality::kLocal) return std::nullopt;
  const int patience = node_delay_ + (level == Locality::kRemote ? rack_delay_ : 0);
  const auto it = missed_.find(request.phase.job);
  const Missed missed = it == missed_.end() ? Missed{} : it->second;
  if (missed.opportunities - (counted(missed, node, draft) ? 1 : 0) >= patience)
    return std::nullopt;
  return Patience{missed.opportunities, patience};
}

bool Delay::accepts(const Request& request, NodeId node, Draft& draft) {
  if (!waits(request, node, draft)) return true;
  Missed& missed = missed_[request.phase.job];
  if (!counted(missed, node, draft)) {
    ++missed.opportunities;
    missed.last = node;
    missed.at = draft.view().now;
    draft.remember();
    ask_for_wake(draft);
  }
  return false;
}

void Delay::ask_for_wake(Draft& draft) {
  const EmuTime now = draft.view().now;
  if (!draft.view().anywhere || wake_ > now) return;
  wake_ = now + cluster_.heartbeat;
  draft.wake_at(wake_, "another opportunity");
}

void Delay::launching(const Request& request, NodeId node, const Draft& draft) {
  if (draft.locality(request, node) == Locality::kLocal) missed_.erase(request.phase.job);
}

}  // namespace heddle
