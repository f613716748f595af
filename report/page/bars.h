#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "report/history.h"

namespace heddle::report {

/// Maximum number of bars before containers are merged. If a chart has more containers, completed
/// containers of the same phase that follow each other closely are drawn as one bar.
inline constexpr std::size_t kMostBars = 30'000;

/// A bar of the Gantt chart. It shows one container, or several containers that are merged.
struct Bar {
  std::size_t first = 0;  ///< first attempt, an index into RunHistory::attempts
  std::size_t count = 1;
  int lane = 0;  ///< lane of the node, from 0; bars in the same lane do not overlap
  EmuTime from, until;
};

struct Bars {
  std::vector<Bar> bars;   ///< in the order of attempts
  std::vector<int> lanes;  ///< number of lanes of each shown node
};

/// A device of a node, in which the chart of devices draws the containers that hold it.
struct DeviceLanes {
  NodeId node;
  std::size_t resource = 0;  ///< in ClusterSpec::resources
  int device = 0;            ///< number on its node
  int lanes = 0;             ///< containers that hold a part of it at the same time
};
struct DeviceBar {
  std::size_t bar = 0;     ///< index of the bar of the same container
  std::size_t device = 0;  ///< index of the device
  int lane = 0;            ///< lane of the device, from 0
};
struct DeviceBars {
  std::vector<DeviceLanes> devices;  ///< by node, resource and number
  std::vector<DeviceBar> bars;
};

/// Returns the time in which a reduce held its container, but did not work: from its start until it
/// had read its inputs (if it reads nothing, until they were complete), or until its end. Returns
/// nullopt for other containers and for reduces that did not wait. `until` is always set.
std::optional<Span> reduce_wait(const RunHistory& history, const AttemptRow& row);

/// Merges bars of a chart that shows `span` of time, if there are more than `most`. The bars must
/// be sorted by beginning. First, completed containers of the same phase become one bar if they
/// follow each other in the same lane, with a gap of less than a 2000th of the span. A container
/// that was suspended or did not complete keeps its own bar, and so does a reduce that waited for
/// longer than that. If there are still too many bars, neighboring bars of a lane become one bar,
/// whatever they are, which stands for the longest of them. Its length is then at most span * lanes
/// / most.
std::vector<Bar> fewer_bars(const RunHistory& history, std::vector<Bar> bars, EmuTime span,
                            std::size_t most);

/// Passes the bar of each container on the first `nodes_shown` nodes to `take`. Each container is
/// drawn in the first free lane of its node, in the order of decisions. Returns the number of lanes
/// of each shown node.
std::vector<int> each_bar(const RunHistory& history, std::size_t nodes_shown,
                          const std::function<void(const Bar&)>& take);

/// Returns the bars of each_bar(). fewer_bars() keeps their number small. REQUIRES: at most `most`
/// attempts, or they are not indexed.
Bars gantt_bars(const RunHistory& history, std::size_t nodes_shown, std::size_t most = kMostBars);

/// Returns the devices of the shown nodes, with the containers that hold them. A bar that stands
/// for several containers is left out. Returns nothing if no container of the bars holds a device.
DeviceBars device_bars(const RunHistory& history, const Bars& bars);

}  // namespace heddle::report
