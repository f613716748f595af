#pragma once

#include <vector>

#include "core/model/event.h"
#include "core/model/policy_note.h"
#include "core/scenario/scenario.h"

namespace heddle {

struct Container;
struct Node;

/// What of a heartbeat later answers of a capacity model depend on, so that a replay needs it too.
enum class Measured { kNothing, kUse, kUseAndContainers };

/// How much a node has to give, one part of a policy (policies are compositions). The engine
/// validates against it, placement places by it.
class CapacityModel {
 public:
  virtual ~CapacityModel() = default;
  /// What may still be handed out on a live node: each resource at least 0.
  virtual Resources free(const Node& node) const = 0;
  /// What schedulers are to take a live node's size for.
  virtual Resources total(const Node& node) const = 0;

  // What happens, each told before anything is asked about its node.
  virtual void registered(NodeId) {}
  virtual void launched(const Container&) {}
  virtual void ended(const Container&) {}
  virtual void suspended(const Container&) {}
  virtual void resumed(const Container&) {}
  virtual Measured heartbeat(const NodeHeartbeat&) { return Measured::kNothing; }
  /// False: heartbeat() does nothing.
  virtual bool measures() const { return false; }
  /// What has changed of its state since the last call. `nodes`: by id.
  virtual std::vector<PolicyNote> take_notes(const std::vector<Node>& /*nodes*/) { return {}; }
};

}  // namespace heddle
