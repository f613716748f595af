#pragma once

#include <vector>

#include "core/model/event.h"
#include "core/model/policy_note.h"
#include "core/scenario/scenario.h"

namespace heddle {

struct Container;
struct Node;

/// The part of a heartbeat that later answers of a capacity model depend on. A replay needs that
/// part too.
enum class Measured { kNothing, kUse, kUseAndContainers };

/// Defines how much capacity a node has, as one part of a policy (policies are compositions). The
/// engine validates launches against the model, and placement uses it.
class CapacityModel {
 public:
  virtual ~CapacityModel() = default;
  /// Returns the free capacity of a live node: each resource at least 0.
  virtual Resources free(const Node& node) const = 0;
  /// Returns the capacity that schedulers assume for a live node.
  virtual Resources total(const Node& node) const = 0;

  // Events. The model is notified of each before it is asked about the event's node.
  virtual void registered(NodeId) {}
  virtual void launched(const Container&) {}
  virtual void ended(const Container&) {}
  virtual void suspended(const Container&) {}
  virtual void resumed(const Container&) {}
  virtual Measured heartbeat(const NodeHeartbeat&) { return Measured::kNothing; }
  /// Returns whether heartbeat() does anything.
  virtual bool measures() const { return false; }
  /// Returns the changes of the model's state since the last call. `nodes`: by id.
  virtual std::vector<PolicyNote> take_notes(const std::vector<Node>& /*nodes*/) { return {}; }
};

}  // namespace heddle
