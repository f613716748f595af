#pragma once

#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "wire/progress.h"

namespace heddle::serve {

struct LiveEvent {
  double t = 0;  ///< emulated seconds
  std::string text;
};

/// A real run of this user that is going on.
struct LiveRun {
  std::string run;  ///< id
  std::string out;  ///< absolute path of its directory of results
  dev_t device = 0;
  ino_t inode = 0;                         ///< with `device`: identifies the directory of results
  std::optional<wire::Progress> progress;  ///< the newest message of the master, if any came
  std::deque<LiveEvent> events;            ///< at most kMostEvents, the newest last
  std::optional<double> left_s;            ///< expected remaining real time
};

inline constexpr std::size_t kMostEvents = 100;

/// Takes in a message of the run's master and adds its new events.
void take(wire::Progress progress, LiveRun& run);

/// Reads a sentence of Progress::last_events, such as "12.5 s  job sort started".
LiveEvent event_of(const std::string& sentence);

/// The runs that are going on. One thread replaces them, and others read them.
class LiveBoard {
 public:
  using Runs = std::shared_ptr<const std::vector<LiveRun>>;
  void put(std::vector<LiveRun> runs);
  Runs runs() const;

 private:
  mutable std::mutex mutex_;
  Runs runs_ = std::make_shared<const std::vector<LiveRun>>();
};

/// Returns the entry of a live run in the list page's data. `id` identifies its results.
wire::Json live_json(const LiveRun& run, const std::string& id);

}  // namespace heddle::serve
