#pragma once

#include <set>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Decides whether running reduces are suspended and resumed: a part of policies. This base class,
/// `none`, leaves them alone.
class ReduceAdjustment {
 public:
  virtual ~ReduceAdjustment() = default;
  /// Returns true if the part never does anything.
  virtual bool idle() const { return true; }
  /// Takes in what changed since the last step, and suspends and resumes reduces. Called once per
  /// step, before anything is placed.
  virtual void adjust(Draft&) {}

  struct Favoured {
    JobId job;
    Millicores cores;  ///< released on the node, and not taken by the job's maps since
  };
  /// Returns the jobs whose suspended reduces have released cores on the node that no map of theirs
  /// has taken, by job, ascending. Their maps go there before all others, as far as these cores go.
  virtual std::vector<Favoured> favoured(NodeId, const Draft&) const { return {}; }
  /// Returns true if reduces of the job are being stopped, so that their cores come free soon.
  /// Returns false once the time for which they were to be suspended is over, for example if a stop
  /// was refused.
  virtual bool stopping(JobId, EmuTime /*now*/) const { return false; }
  /// Returns the nodes with suspended reduces, ascending.
  virtual std::set<NodeId> nodes() const { return {}; }
  /// Takes in that the draft has launched a container of that size that is not a gang's.
  virtual void launched(const Request&, NodeId, const Resources& /*size*/, const Draft&) {}
  /// Takes in that the draft has launched containers for the job that hold that much together.
  virtual void allocated(JobId, const Resources& /*size*/, const Draft&) {}
};

using ReducePart = Part<ReduceAdjustment>;
inline constexpr ReducePart kNoReduceAdjustment{
    {.name = "none", .summary = "reduces are never suspended"},
    &make_part<ReduceAdjustment, ReduceAdjustment>};

}  // namespace heddle
