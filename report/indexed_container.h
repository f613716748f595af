#pragma once

#include <cstdint>

#include "report/run_rows.h"

namespace heddle::report {

/// A container in the index: the fields of AttemptRow that a page of a large run shows. Integers
/// are little-endian. Memory is rounded up to KiB, and delays are rounded to milliseconds. Values
/// that are too large for their field become the largest value of the field.
struct IndexedContainer {
  std::uint32_t allocated[2], ended[2];  ///< emulated microseconds; ended: ~0 while it lives
  std::uint32_t started_ms, begun_ms;    ///< after `allocated`; ~0: not known. A container that
                                         ///< reads nothing begins when its inputs are complete
  std::uint32_t container, job, task, node;
  std::uint32_t millicores, memory_kib, peak_kib;
  float cpu_s, memory_byte_s;
  std::uint16_t phase;
  std::uint8_t attempt;
  std::uint8_t kinds;  ///< outcome, OOM cause, locality, and AttemptRow::awaits_inputs
};
static_assert(sizeof(IndexedContainer) == 64);

/// Returns a time of an IndexedContainer.
std::uint64_t microseconds(const std::uint32_t (&time)[2]);

IndexedContainer indexed(const AttemptRow& row);
AttemptRow row_of(const IndexedContainer& entry);

}  // namespace heddle::report
