#include "core/policy/round.h"

#include <algorithm>

namespace heddle {

bool Round::fits(const Resources& size) const {
  return node_ ? size.fits_in(free_) : fits_somewhere(size);
}

bool Round::fits_somewhere(const Resources& size) const {
  auto [it, fresh] = somewhere_.try_emplace(size, false);
  if (fresh) it->second = draft_.rooms().first(size).has_value();
  return it->second;
}

bool Round::fits_shrunk(const Resources& size) const {
  return rules_.shrink && fits(rules_.shrink->least(size));
}

bool Round::useful(const RequestGroup& group) const {
  if (rules_.strict || group.gang || fits(group.size)) return true;
  if (group.kind == PhaseKind::kMap && fits_shrunk(group.size)) return true;
  const bool may_hold = !group.early && !group.holds_all;
  if (rules_.executors && group.kind == PhaseKind::kExecutor)
    return fits_somewhere(group.size) || (may_hold && rules_.executors->could_hold(group.size));
  return rules_.reserves && may_hold && !fits_somewhere(group.size) && can_hold(group.size);
}

bool Round::can_hold(const Resources& size) const { return node_ || some_node_to_hold(size); }

bool Round::some_node_to_hold(const Resources& size) const {
  auto [it, fresh] = holdable_.try_emplace(size, false);
  if (fresh) it->second = draft_.rooms().to_hold(size).has_value();
  return it->second;
}

bool Round::anything() const {
  // Executors aren't told apart here.
  if (rules_.executors || draft_.view().cluster.gang_requests() > 0) return true;
  const auto& sizes = draft_.view().cluster.wanted_sizes();
  return std::any_of(sizes.begin(), sizes.end(), [&](const auto& size) {
    return fits(size.first) || fits_shrunk(size.first) || (rules_.reserves && can_hold(size.first));
  });
}

void Round::forget() {
  somewhere_.clear();
  holdable_.clear();
}

}  // namespace heddle
