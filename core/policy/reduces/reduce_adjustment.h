#pragma once

#include <set>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Whether reduces that run are suspended and resumed: a part of policies. This one, `none`, leaves
/// them alone.
class ReduceAdjustment {
 public:
  virtual ~ReduceAdjustment() = default;
  /// Returns whether it never does anything.
  virtual bool idle() const { return true; }
  /// Takes in what changed, suspends and resumes. Call once a step, before anything is placed.
  virtual void adjust(Draft&) {}

  struct Favoured {
    JobId job;
    Millicores cores;  ///< let go there and taken by none of its maps since
  };
  /// Jobs whose suspended reduces have let go of cores on the node that no map of theirs has taken;
  /// their maps go there before all others, as far as these cores go. By job, ascending.
  virtual std::vector<Favoured> favoured(NodeId, const Draft&) const { return {}; }
  /// Reduces of the job are being stopped: their cores come free in a moment. False once the time
  /// they were to be suspended is over, as for a stop that was refused.
  virtual bool stopping(JobId, EmuTime /*now*/) const { return false; }
  /// Nodes with suspended reduces, ascending.
  virtual std::set<NodeId> nodes() const { return {}; }
  /// The draft has launched a container of that size, which is no gang's.
  virtual void launched(const Request&, NodeId, const Resources& /*size*/, const Draft&) {}
  /// What the draft has launched for the job holds that much together.
  virtual void allocated(JobId, const Resources& /*size*/, const Draft&) {}
};

using ReducePart = Part<ReduceAdjustment>;
inline constexpr ReducePart kNoReduceAdjustment{
    {.name = "none", .summary = "reduces are never suspended"},
    &make_part<ReduceAdjustment, ReduceAdjustment>};

}  // namespace heddle
