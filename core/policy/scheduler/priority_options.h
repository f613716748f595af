#pragma once

#include "core/model/job_priority.h"
#include "core/policy/base/part.h"

namespace heddle {

/// The rule of fair share (core/model/fair_share.h).
enum class FairShareRule { kTree, kClassic };

// Options of the order `priority`. Weights are numbers of priority.
extern const NumberOption kPriorityAge, kPriorityFairShare, kPrioritySize, kPriorityPartition,
    kPriorityQos;
extern const SecondsOption kPriorityMaxAge, kPriorityHalfLife, kPriorityCalcPeriod;
extern const WordOption<FavorSize> kPriorityFavor;
extern const WordOption<FairShareRule> kPriorityRule;
extern const NumberOption kPriorityDamping;
extern const FlagOption kPriorityRootUser;

/// Returns the options of a scheduler that has the order `priority`. `own`: its other options.
constexpr OptionList with_priorities(OptionList own) {
  for (const Option* option : std::initializer_list<const Option*>{
           &kPriorityAge, &kPriorityFairShare, &kPrioritySize, &kPriorityPartition, &kPriorityQos,
           &kPriorityMaxAge, &kPriorityFavor, &kPriorityHalfLife, &kPriorityCalcPeriod,
           &kPriorityRule, &kPriorityDamping, &kPriorityRootUser})
    own = own.with(option);
  return own;
}

}  // namespace heddle
