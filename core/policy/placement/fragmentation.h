#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/scenario/scenario.h"

namespace heddle {

/// Measures how much of a node's free devices typical requests could not use.
///
/// Typical requests are the kinds of requests (cores, devices and labels) that make up 95 % of all
/// requests, the most frequent first. The fragmentation of a node for one kind is everything free
/// of its devices if a request of the kind could not be placed there or wants no device, and else
/// the sum of the parts that are too small for it. The fragmentation of the node is the mean over
/// the kinds, weighted by their frequencies.
///
/// Source: Weng et al., "Beware of Fragmentation", USENIX ATC 2023, section 4. The sums are made in
/// the order of the simulator that its authors published, because scores are rounded and the last
/// bit of a sum can decide.
class Fragmentation {
 public:
  /// `window`: the number of submitted jobs whose requests are typical; nullopt: the scenario's
  /// typical_requests, or else the requests of all jobs, submitted or not. The scenario must
  /// outlive the object.
  Fragmentation(const Scenario& scenario, std::optional<int> window);

  /// Takes in that the job was submitted. Returns whether the typical requests have changed.
  bool submitted(JobId job);

  /// The score of a placement, and the device that a part of a device comes from.
  struct Placement {
    double score = 0;  ///< from 0 to 100, higher is better
    std::optional<Counts> devices;
  };
  /// Returns the best placement of a request on the node. `whole`: scores are rounded down. A score
  /// is 100 / (1 + e^-(before - after)), of the fragmentation in devices. REQUIRES: the request
  /// fits.
  Placement place(const Resources& size, const NodeSpec& node, const Resources& free,
                  bool whole) const;

  /// The free resources of a node that are of no use for typical requests.
  struct Unusable {
    double devices = 0;  ///< the node's fragmentation, in thousandths of a device
    /// Everything free of the devices, in thousandths, if no typical request for devices fits.
    std::int64_t stranded_devices = 0;
    Millicores stranded_cores;  ///< all free cores, if no typical request fits
  };
  Unusable unusable(const NodeSpec& node, const Resources& free) const;

 private:
  struct Kind {
    Millicores cores;
    Counts counts;  ///< of resources with devices only
    Where where;
    bool operator==(const Kind&) const = default;
  };
  struct Typical {
    Kind kind;
    double share = 0;  ///< of the typical requests
  };
  struct Less {
    bool operator()(const Kind& a, const Kind& b) const;
  };
  void count(const JobSpec& job, int by);
  void count(const Resources& request, const Where& where, std::int64_t by);
  void find_typical();
  /// Returns the fragmentation of a node with these free resources, in thousandths of a device.
  double thousandths(const NodeSpec& node, const Resources& free) const;
  /// Returns the fragmentation of one resource in thousandths of a device.
  double of(const NodeSpec& node, Millicores cores, std::size_t resource,
            std::span<const std::int32_t> devices) const;

  const Scenario& scenario_;
  std::optional<int> window_;
  std::deque<JobId> last_;              ///< the jobs in the window
  std::vector<std::size_t> resources_;  ///< those with devices
  std::map<Kind, std::int64_t, Less> counts_;
  std::vector<Typical> typical_;
};

}  // namespace heddle
