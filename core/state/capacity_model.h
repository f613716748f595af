#pragma once

#include <vector>

#include "core/model/event.h"
#include "core/model/policy_note.h"
#include "core/scenario/scenario.h"

namespace heddle {

struct Container;
struct Node;

/// The part of a heartbeat that a capacity model uses in later answers. The journal has to have
/// that part, because a replay needs it too.
enum class Measured { kNothing, kUse, kUseAndContainers };

/// Defines how much capacity a node has. A capacity model is one part of a policy. Placement uses
/// the model to choose nodes, and the engine uses it to validate launches.
class CapacityModel {
 public:
  virtual ~CapacityModel() = default;
  /// Returns the free capacity of a live node. Each resource is at least 0.
  virtual Resources free(const Node& node) const = 0;
  /// Returns the capacity that schedulers assume for a live node.
  virtual Resources total(const Node& node) const = 0;

  // Events. The model is notified of an event before free() or total() is called for its node.
  virtual void registered(NodeId) {}
  enum class Change { kLaunched, kEnded, kSuspended, kResumed };
  virtual void changed(const Container&, Change) {}
  virtual Measured heartbeat(const NodeHeartbeat&) { return Measured::kNothing; }
  /// Returns whether heartbeat() uses the heartbeat at all.
  bool measures() const { return measures_; }
  /// Returns the changes of the model's state since the last call. `nodes` has all nodes, by id.
  virtual std::vector<PolicyNote> take_notes(const std::vector<Node>& /*nodes*/) { return {}; }

 protected:
  explicit CapacityModel(bool measures = false) : measures_(measures) {}

 private:
  bool measures_;
};

}  // namespace heddle
