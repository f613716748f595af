#include "worker/faults.h"

#include <algorithm>
#include <utility>

namespace heddle::worker {

void Faults::set(const std::vector<BeatRule>& rules) {
  rules_ = rules;
  beats_ = 0;
}

void Faults::cut_off(real::Time until) {
  cut_until_ = until;
  cut_ = true;
}

bool Faults::take_reconnected(real::Time now) {
  return cut_ && now >= cut_until_ && std::exchange(cut_, false);
}

void Faults::hold(std::string message, real::Time until) {
  if (held_bytes_ + message.size() > kMostHeld) return;
  held_bytes_ += message.size();
  held_.push_back({until, std::move(message)});
}

std::vector<std::string> Faults::take_held(real::Time now) {
  std::vector<std::string> due;
  for (Held& held : held_)
    if (held.until <= now) {
      held_bytes_ -= held.message.size();
      due.push_back(std::move(held.message));
    }
  std::erase_if(held_, [now](const Held& held) { return held.until <= now; });
  return due;
}

real::Time Faults::next_due() const {
  real::Time next = cut_ ? cut_until_ : real::Time::max();
  for (const Held& held : held_) next = std::min(next, held.until);
  return next;
}

}  // namespace heddle::worker
