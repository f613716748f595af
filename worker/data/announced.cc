#include "worker/data/announced.h"

namespace heddle::worker {

void Announced::add(const DataExpect& copy) {
  const Key key{copy.object, copy.from};
  if (copies_.insert_or_assign(key, copy).second) order_.push_back(key);
  while (order_.size() > most_) {
    copies_.erase(order_.front());
    order_.pop_front();
  }
}

bool Announced::take(const DataExpect& copy) {
  const auto found = copies_.find({copy.object, copy.from});
  if (found == copies_.end() || found->second != copy) return false;
  copies_.erase(found);
  return true;
}

}  // namespace heddle::worker
