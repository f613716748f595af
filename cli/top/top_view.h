#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/display/display.h"

namespace heddle::cli {

// The view of `heddle top` and how keys change it. This code uses no terminal, no sockets and no
// clock.

/// Keys that are not characters. The number of any other key is its character code.
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

/// Returns the state after a key. Any key closes the help. `extent`: the extent of the view that
/// was last drawn.
TopState on_key(TopState state, int key, const TopExtent& extent);

/// The known data of a run.
struct TopData {
  wire::Progress progress;
  std::optional<TimeLeft> left;
  std::deque<std::string> events;  ///< the events seen so far, newest last
};
/// Takes in a message from the master and adds the new events of the message. Keeps at most 1000
/// events.
void take(wire::Progress progress, const std::optional<TimeLeft>& left, TopData& data);

struct TopLine {
  std::string text;
  enum class Look { kPlain, kBright, kReverse } look = Look::kPlain;
};
struct TopFrame {
  /// Not more lines than the canvas has, and no line wider than the canvas.
  std::vector<TopLine> lines;
  TopExtent extent;
  TopState state;  ///< its scroll position is within the rows
};
/// Returns the frame. The user chooses how rows are sorted:
///
/// - by name: nodes and jobs are in the scenario's order.
/// - by load: nodes are sorted by the larger of their used shares of cores and memory, jobs by the
///   number of running containers.
/// - by waiting: nodes are sorted by the number of suspended containers, jobs by waiting time.
///
/// Events are shown newest first. If columns or lines do not fit, the less important ones are left
/// out.
TopFrame lay_out(const TopData& data, const TopState& state, const Canvas& canvas);

/// Returns the sentence about a run that is over: "quickstart done after 95.8 s: …".
std::string last_words(const wire::Progress& last);

}  // namespace heddle::cli
