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

bool Round::useful(const RequestGroup& group) const {
  if (strict_ || group.gang || fits(group.size)) return true;
  return reserves_ && !group.early && !group.holds_all && !fits_somewhere(group.size) &&
         can_hold(group.size);
}

bool Round::can_hold(const Resources& size) const {
  if (node_) return true;
  auto [it, fresh] = holdable_.try_emplace(size, false);
  if (fresh) it->second = draft_.rooms().to_hold(size).has_value();
  return it->second;
}

bool Round::something_to_hold() const {
  const auto& sizes = draft_.view().cluster.wanted_sizes();
  return std::any_of(sizes.begin(), sizes.end(),
                     [&](const auto& size) { return can_hold(size.first); });
}

void Round::forget() {
  somewhere_.clear();
  holdable_.clear();
}

}  // namespace heddle
