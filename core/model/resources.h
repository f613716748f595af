#pragma once

#include <algorithm>

#include "common/units.h"

namespace heddle {

/// What a node has, a container holds or a request asks for.
struct Resources {
  Millicores cores;
  EmuBytes memory;

  friend bool operator==(const Resources&, const Resources&) = default;
  friend Resources operator+(Resources a, const Resources& b) {
    return {a.cores + b.cores, a.memory + b.memory};
  }
  friend Resources operator-(Resources a, const Resources& b) {
    return {a.cores - b.cores, a.memory - b.memory};
  }
  friend Resources operator*(const Resources& a, std::int64_t n) {
    return {a.cores * n, a.memory * n};
  }
  Resources& operator+=(const Resources& b) { return *this = *this + b; }
  Resources& operator-=(const Resources& b) { return *this = *this - b; }

  /// True if every resource of this is at most that of `room`.
  bool fits_in(const Resources& room) const { return cores <= room.cores && memory <= room.memory; }
};

/// Resource by resource.
inline Resources min(const Resources& a, const Resources& b) {
  return {std::min(a.cores, b.cores), std::min(a.memory, b.memory)};
}
inline Resources max(const Resources& a, const Resources& b) {
  return {std::max(a.cores, b.cores), std::max(a.memory, b.memory)};
}

}  // namespace heddle
