#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "common/result.h"

namespace heddle::bench {

/// Ends a benchmark. Only this folder throws and catches it: Bench::run() prints the error.
struct Failed : std::runtime_error {
  explicit Failed(Error why) : std::runtime_error(why.text), error(std::move(why)) {}
  explicit Failed(std::string text) : Failed(aborted_error(std::move(text))) {}
  Error error;
};

/// Returns the value of a result. If there is none, throws the error as Failed.
template <class T>
T need(Result<T> result) {
  if (!result) throw Failed(std::move(result).error());
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Returns what `measure` returns. Errors name the case: "WHERE: …".
template <class Measure>
auto naming(const std::string& where, Measure measure) {
  try {
    return measure();
  } catch (Failed& failed) {
    throw Failed(std::move(failed.error).in(where));
  }
}

}  // namespace heddle::bench
