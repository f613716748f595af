#pragma once

#include <set>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Decides whether running reduces are suspended and resumed. This is the part `reduce_adjustment`
/// of policies. The base class is the choice `none` and never suspends a reduce.
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
    Millicores cores;  ///< released cores of the node that maps of the job have not taken yet
  };
  /// Returns the jobs whose suspended reduces have released cores on the node. A job is in the list
  /// until maps of this job have taken these cores. The list is ascending by job. On this node,
  /// maps of these jobs go before all other requests, until the released cores are used up.
  virtual std::vector<Favoured> favoured(NodeId, const Draft&) const { return {}; }
  /// Returns true if reduces of the job are being stopped, so that their cores become free soon.
  /// Returns false after the time of their suspension has passed, for example if a worker refused
  /// the stop.
  virtual bool stopping(JobId, EmuTime /*now*/) const { return false; }
  /// Returns the nodes with suspended reduces, ascending.
  virtual std::set<NodeId> nodes() const { return {}; }
  /// Takes in that the draft has launched a container of that size. Not called for containers of
  /// gangs.
  virtual void launched(const Request&, NodeId, const Resources& /*size*/, const Draft&) {}
  /// Takes in that the draft has launched containers for the job. `size`: what they hold together.
  virtual void allocated(JobId, const Resources& /*size*/, const Draft&) {}
};

using ReducePart = Part<ReduceAdjustment>;
inline constexpr ReducePart kNoReduceAdjustment{
    {.name = "none", .summary = "reduces are never suspended"},
    &make_part<ReduceAdjustment, ReduceAdjustment>};

}  // namespace heddle
