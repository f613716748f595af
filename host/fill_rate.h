#pragma once

#include <functional>

#include "common/units.h"

namespace heddle::host {

/// How fast one CPU of this machine fills new memory, in bytes per second, with huge pages where
/// tasks would use them (huge_pages_pay).
struct FillRate {
  double first = 0;  ///< memory that was not in use before; in a virtual machine, its host adds it
  double again = 0;  ///< memory that was in use a moment ago
};

/// Measures the rate with 32 MiB. Takes some 10 ms, or 0.1 s in a virtual machine that has to get
/// the memory from its host.
FillRate measure_fill_rate();

/// Uses as much memory for a moment, so that a virtual machine gets it from its host before tasks
/// need it. Ends early after `limit`, or as soon as `stops` returns true.
void warm_memory(real::Bytes bytes, real::Duration limit, const std::function<bool()>& stops);

}  // namespace heddle::host
