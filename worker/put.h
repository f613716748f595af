#pragma once

#include <utility>

#include "common/result.h"

namespace heddle::worker {

/// Puts the value where it belongs, or returns why there is none.
template <class T, class Place>
Result<void> put(Result<T> value, Place& place) {
  if (!value) return std::move(value).error();
  place = *std::move(value);
  return {};
}

}  // namespace heddle::worker
