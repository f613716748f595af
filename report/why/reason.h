#pragma once

#include <string>

#include "core/policy/base/obstacle.h"
#include "core/scenario/scenario.h"
#include "wire/fields.h"

namespace heddle::report {

/// An obstacle for readers.
struct Reason {
  std::string cause;  ///< short name, such as "no room"
  wire::Json facts;   ///< its numbers, with names instead of ids
  std::string words;  ///< a sentence without a period
};

/// Describes the obstacle. reason.cc describes each kind of obstacle in one place. `size_class`:
/// the class of the job, if the policy has classes.
Reason reason_of(const Scenario& scenario, const Obstacle& obstacle,
                 const std::string& size_class = "");

/// Returns a time as sentences have it: "12.50".
std::string time_in_words(EmuTime time);

}  // namespace heddle::report
