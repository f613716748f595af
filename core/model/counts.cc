#include "core/model/counts.h"

#include <mutex>
#include <unordered_set>

namespace heddle {

struct Counts::Hash {
  std::size_t operator()(const Amounts& amounts) const {
    std::size_t hash = 0;
    for (const std::int64_t amount : amounts)
      hash = hash * 1'000'003 + static_cast<std::size_t>(amount);
    return hash;
  }
};

void Counts::set(std::size_t i, Thousandths amount) {
  Amounts changed = amounts();
  changed[i] = amount.count();
  *this = of(changed);
}

Counts Counts::of(const Amounts& amounts) {
  Counts counts;
  if (amounts == Amounts{}) return counts;
  static std::mutex mutex;
  static auto& all = *new std::unordered_set<Amounts, Hash>;  // never destroyed
  const std::lock_guard lock(mutex);
  counts.amounts_ = &*all.insert(amounts).first;
  return counts;
}

}  // namespace heddle
