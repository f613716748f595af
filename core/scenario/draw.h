#pragma once

#include <cstdint>
#include <initializer_list>

#include "common/ids.h"
#include "core/model/work.h"
#include "core/scenario/scenario.h"

namespace heddle {

/// A key for one draw: the same parts always give the same key, whatever was drawn before.
std::uint64_t draw_key(std::uint64_t seed, std::initializer_list<std::uint64_t> parts);

/// The value that `key` gives; never negative (values below 0 become 0). uniform spans
/// mean * (1 -+ sqrt(3) * cv); exponential has cv 1 by nature and ignores the field.
double draw(const Drawn& drawn, std::uint64_t key);

/// What a task does, a pure function of the seed and the task's place (job, phase, index): every
/// attempt of it does the same. An application master is no place: with and without one, a job's
/// tasks do the same.
TaskWork draw_work(const Scenario& scenario, TaskId task);

}  // namespace heddle
