#pragma once

#include <string>

#include "bench/failed.h"

namespace heddle::bench {

/// Returns the text of the error with which `measure` fails; "" if it does not fail.
template <class Measure>
std::string failure_of(Measure measure) {
  try {
    measure();
    return "";
  } catch (const Failed& failed) {
    return failed.error.text;
  }
}

}  // namespace heddle::bench
