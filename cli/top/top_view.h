#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/display/display.h"

namespace heddle::cli {

// The view of `heddle top` and how keys change it, without terminal, sockets and clock.

/// Keys that are not characters; other keys have their character code.
struct Key {
  enum : int { kUp = 256, kDown, kPageUp, kPageDown, kHome, kEnd, kBackTab };
};

/// Removes the keys from the bytes that a terminal sent and returns them. The beginning of an
/// incomplete key stays in `bytes`. Unknown keys are skipped.
std::vector<int> take_keys(std::string& bytes);

struct TopState {
  enum View { kNodes, kJobs, kEvents };
  enum Sort { kName, kLoad, kWaiting };
  View view = kNodes;
  Sort sort = kName;
  bool paused = false;
  bool help = false;
  bool quit = false;
  std::array<int, 3> scroll = {};  ///< first shown row, by view
  friend bool operator==(const TopState&, const TopState&) = default;
};

/// The number of rows, and how many of them are shown.
struct TopExtent {
  int rows = 0, shown = 0;
};

/// Returns the state after a key. Any key closes the help. `extent`: of the view as last drawn.
TopState on_key(TopState state, int key, const TopExtent& extent);

/// The known data of a run.
struct TopData {
  wire::Progress progress;
  std::optional<TimeLeft> left;
  std::deque<std::string> events;  ///< the events seen so far, newest last
};
/// Takes a message in and adds its new events. At most 1000 events are kept.
void take(wire::Progress progress, const std::optional<TimeLeft>& left, TopData& data);

struct TopLine {
  std::string text;
  enum class Look { kPlain, kBright, kReverse } look = Look::kPlain;
};
struct TopFrame {
  std::vector<TopLine> lines;  ///< at most as many as the canvas is high, none wider than it
  TopExtent extent;
  TopState state;  ///< with a scroll position within the rows
};
/// Returns the frame. By name, nodes have the scenario's order. By load, they are sorted by the
/// larger of their used shares of cores and memory; by waiting, by the number of suspended
/// containers. Jobs are sorted by running containers (load) or by waiting time (waiting). Events
/// are shown newest first. If columns or lines do not fit, the less important ones are left out.
TopFrame lay_out(const TopData& data, const TopState& state, const Canvas& canvas);

/// Returns the sentence about a run that is over: "quickstart done after 95.8 s: …".
std::string last_words(const wire::Progress& last);

}  // namespace heddle::cli
