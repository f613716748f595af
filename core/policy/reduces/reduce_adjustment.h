#pragma once

#include <optional>
#include <set>
#include <vector>

#include "core/policy/base/draft.h"
#include "core/policy/base/part.h"

namespace heddle {

/// Decides whether running reduces are suspended and resumed. This is the part `reduce_adjustment`
/// of policies. The choice `none` has no object.
class ReduceAdjustment {
 public:
  virtual ~ReduceAdjustment() = default;
  /// Takes in what changed since the last step, and suspends and resumes reduces. Called once per
  /// step, before anything is placed.
  virtual void adjust(Draft&) = 0;

  struct Favoured {
    JobId job;
    Millicores cores;  ///< released cores of the node that maps of the job have not taken yet
  };
  /// Returns the jobs whose suspended reduces have released cores on the node. A job is in the list
  /// until maps of this job have taken these cores. The list is ascending by job. On this node,
  /// maps of these jobs go before all other requests, until the released cores are used up.
  virtual std::vector<Favoured> favoured(NodeId, const Draft&) const = 0;
  /// Returns true if reduces of the job are being stopped, so that their cores become free soon.
  /// Returns false after the time of their suspension has passed, for example if a worker refused
  /// the stop.
  virtual bool stopping(JobId, EmuTime now) const = 0;
  /// Returns the nodes with suspended reduces, ascending.
  virtual std::set<NodeId> nodes() const = 0;
  /// Takes in that the draft has launched containers of the request on the node. There is no `node`
  /// if they are a gang. `size`: what they hold together.
  virtual void launched(const Request&, std::optional<NodeId> node, const Resources& size,
                        const Draft&) = 0;
};

using ReducePart = Part<ReduceAdjustment>;
inline constexpr ReducePart kNoReduceAdjustment{
    {.name = "none", .summary = "reduces are never suspended"}, &make_nothing<ReduceAdjustment>};

}  // namespace heddle
