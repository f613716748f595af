#pragma once

#include <vector>

#include "report/tables/rows.h"

namespace heddle::report {

/// What a lane holds from and until, until not included; it is held for a microsecond at least, so
/// that nothing seems to lie within what has no length.
struct Stretch {
  EmuTime from, until;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// A lane for each, from 0: in the order of their beginnings, equal ones as they stand, each takes
/// the lowest that is free.
std::vector<int> assign_lanes(const std::vector<Stretch>& stretches);

/// A part of what a container did.
struct LanePart {
  enum class Kind { kReading, kSuspended };
  Kind kind = Kind::kReading;
  Stretch when;
  friend bool operator==(const LanePart&, const LanePart&) = default;
};

/// From start (or decision) to end; what lives on, until `end`.
Stretch whole_of(const AttemptRow& attempt, EmuTime end);

/// The parts of an attempt, ascending, none overlapping, all within its whole: suspensions, and
/// between them the reading of its inputs.
std::vector<LanePart> parts_of(const AttemptRow& attempt, EmuTime end);

}  // namespace heddle::report
