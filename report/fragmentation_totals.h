#pragma once

#include <memory>
#include <vector>

#include "core/policy/placement/fragmentation.h"
#include "report/run_rows.h"
#include "wire/fields.h"

namespace heddle::report {

/// Follows what is free on the nodes, and adds up what of it typical requests cannot use.
class FragmentationTotals {
 public:
  /// `rows`, if not null, must outlive the object. It gets the values over time. The scenario must
  /// outlive the object, too. Nothing is followed if the cluster has no devices.
  FragmentationTotals(const Scenario& scenario, RunRows* rows);

  /// Takes in that a container holds this much of the node.
  void took(NodeId node, const Resources& held, EmuTime at);
  /// Takes in that it no longer does.
  void gave_back(NodeId node, const Resources& held, EmuTime at);
  /// Takes in that the node can be used, or that nothing of it is free.
  void usable(NodeId node, bool usable, EmuTime at);

  /// Returns the means up to `until` as shares of all devices or cores: {unusable_devices,
  /// stranded_devices, stranded_cores}. Suspended containers hold their cores here, also while
  /// others use them. Returns a discarded value if the cluster has no devices.
  wire::Json json(EmuTime until) const;

 private:
  struct Node {
    Resources free;
    bool usable = true;
    Fragmentation::Unusable unusable = {};
  };
  /// The sums over all nodes, in thousandths of devices and of cores.
  struct Sums {
    double unusable = 0, stranded_devices = 0, stranded_cores = 0;
  };
  void change(NodeId node, EmuTime at);
  void advance(EmuTime at);

  const Scenario& scenario_;
  RunRows* rows_;
  std::unique_ptr<Fragmentation> fragmentation_;  ///< nullptr: no devices
  std::vector<Node> nodes_;
  Sums all_;        ///< the devices and cores of the cluster
  Sums now_, sum_;  ///< sum_: multiplied by seconds
  EmuTime from_, at_;
};

}  // namespace heddle::report
