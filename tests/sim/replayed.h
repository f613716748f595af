#pragma once

#include <string>
#include <vector>

#include "sim/replay.h"

namespace heddle::sim {

/// Replays the journal's lines. Returns the error or the difference; "" if the replay makes the
/// same decisions. A journal with fewer than `least` actions shows nothing, which is an error.
inline std::string replayed(const Scenario& scenario, const std::vector<wire::Json>& journal,
                            std::int64_t least = 1) {
  Replay replay(scenario);
  for (const wire::Json& line : journal)
    if (Result<void> added = replay.add(line); !added) return added.error().text;
  if (Result<void> ended = replay.finish(); !ended) return ended.error().text;
  if (replay.difference()) return format_difference(*replay.difference());
  return replay.actions() < least ? "too few actions" : "";
}

}  // namespace heddle::sim
