#pragma once

#include <vector>

#include "report/tables/rows.h"

namespace heddle::report {

/// A span in a lane; `until` is exclusive. A stretch occupies its lane for at least a microsecond,
/// so nothing appears to lie within a stretch without length.
struct Stretch {
  EmuTime from, until;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// Returns a lane for each stretch, from 0. Stretches are assigned in the order of their
/// beginnings, equal ones in the given order. Each gets the lowest free lane.
std::vector<int> assign_lanes(const std::vector<Stretch>& stretches);

/// A part of a container's life.
struct LanePart {
  enum class Kind { kReading, kSuspended };
  Kind kind = Kind::kReading;
  Stretch when;
  friend bool operator==(const LanePart&, const LanePart&) = default;
};

/// Returns the span from start (or decision) to end; live containers reach to `end`.
Stretch whole_of(const AttemptRow& attempt, EmuTime end);

/// Returns the parts of an attempt, ascending, without overlaps, all within its whole: suspensions,
/// and between them the reading of its inputs.
std::vector<LanePart> parts_of(const AttemptRow& attempt, EmuTime end);

}  // namespace heddle::report
