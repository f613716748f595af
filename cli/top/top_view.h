#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "cli/display/display.h"

namespace heddle::cli {

// What `heddle top` shows and how keys change it, without terminal, sockets and clock.

/// Keys that are no characters; others are their code.
struct Key {
  enum : int { kUp = 256, kDown, kPageUp, kPageDown, kHome, kEnd, kBackTab };
};

/// Takes the keys out of what a terminal sent; the beginning of one stays. What is no key of ours
/// is passed over.
std::vector<int> take_keys(std::string& bytes);

struct TopState {
  enum View { kNodes, kJobs, kEvents };
  enum Sort { kName, kLoad, kWaiting };
  View view = kNodes;
  Sort sort = kName;
  bool paused = false;
  bool help = false;
  bool quit = false;
  std::array<int, 3> scroll = {};  ///< first row that is shown, by view
  friend bool operator==(const TopState&, const TopState&) = default;
};

/// Rows that there are, and how many of them are shown.
struct TopExtent {
  int rows = 0, shown = 0;
};

/// Any key closes the help. `extent`: of the view as it was drawn last.
TopState on_key(TopState state, int key, const TopExtent& extent);

/// What is known of a run.
struct TopData {
  wire::Progress progress;
  std::optional<TimeLeft> left;
  std::deque<std::string> events;  ///< as far as they were seen, newest last
};
/// Takes a message in: what it has of events that were not seen yet is added. At most 1000 are
/// kept.
void take(wire::Progress progress, const std::optional<TimeLeft>& left, TopData& data);

struct TopLine {
  std::string text;
  enum class Look { kPlain, kBright, kReverse } look = Look::kPlain;
};
struct TopFrame {
  std::vector<TopLine> lines;  ///< at most the canvas's height, none wider than it
  TopExtent extent;
  TopState state;  ///< with a scroll that is within the rows
};
/// Nodes in the scenario's order, by name that is; by load: the larger of the shares of cores and
/// memory that are in use, by waiting: the more suspended. Jobs likewise; by load: containers
/// running, by waiting: how long. Events newest first. Where columns or lines have no room, the
/// less important are left out.
TopFrame lay_out(const TopData& data, const TopState& state, const Canvas& canvas);

/// What there is to say when a run is over: "quickstart done after 95.8 s: …".
std::string last_words(const wire::Progress& last);

}  // namespace heddle::cli
