#include "core/state/container_table.h"

namespace heddle {

Container& ContainerTable::add(const Container& container) {
  if (places_.empty()) first_ = container.id;
  assert(container.id.value - first_.value >= std::ssize(places_));
  while (container.id.value - first_.value > std::ssize(places_)) places_.emplace_back();
  ++size_;
  return *places_.emplace_back(std::make_unique<Container>(container));
}

void ContainerTable::erase(ContainerId id) {
  assert(find(id));
  place(id).reset();
  --size_;
  for (; !places_.empty() && !places_.front(); ++first_.value) places_.pop_front();
}

}  // namespace heddle
