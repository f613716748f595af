#pragma once

#include <vector>

#include "report/run_rows.h"

namespace heddle::report {

/// A span in a lane. `until` is exclusive. A stretch occupies its lane for at least a microsecond.
/// Therefore, nothing appears to lie within a stretch whose length is 0.
struct Stretch {
  EmuTime from, until;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// Returns a lane for each stretch, from 0. Lanes are assigned in the order of the stretches'
/// beginnings. If several stretches begin at the same time, they keep the given order. Each stretch
/// is in the lowest free lane.
std::vector<int> assign_lanes(const std::vector<Stretch>& stretches);

/// A part of a container's life.
struct LanePart {
  enum class Kind { kReading, kSuspended, kKept };
  Kind kind = Kind::kReading;
  Stretch when;
  friend bool operator==(const LanePart&, const LanePart&) = default;
};

/// Returns the span from the container's start until its resources are free. If the container never
/// started, the span begins at the decision. If its resources are not free, it reaches to `end`.
Stretch whole_of(const AttemptRow& attempt, EmuTime end);

/// Returns the parts of an attempt: its suspensions, between them the reading of its inputs, and
/// the time after its end in which its job kept its resources. The parts are ascending, do not
/// overlap, and lie within whole_of() the attempt.
std::vector<LanePart> parts_of(const AttemptRow& attempt, EmuTime end);

}  // namespace heddle::report
