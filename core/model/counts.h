#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/units.h"

namespace heddle {

/// Names of the resources that a cluster counts beside cores and memory, in the order of Counts.
using CountNames = std::vector<std::string>;

/// Amounts of the resources that a cluster counts beside cores and memory. Most clusters have none
/// of these, and zeros need no memory of their own. The amounts have one representation, so that
/// equal ones compare equal.
class Counts {
 public:
  static constexpr std::size_t kMost = 16;

  Counts() = default;
  Counts(const Counts& other)
      : amounts_(other.amounts_ ? std::make_unique<Amounts>(*other.amounts_) : nullptr) {}
  Counts(Counts&&) noexcept = default;
  Counts& operator=(const Counts& other) {
    if (amounts_ || other.amounts_) *this = Counts(other);
    return *this;
  }
  Counts& operator=(Counts&&) noexcept = default;
  ~Counts() = default;

  /// Returns whether every amount is 0.
  bool none() const { return !amounts_; }
  /// REQUIRES: i < kMost.
  Thousandths operator[](std::size_t i) const { return Thousandths(amounts_ ? (*amounts_)[i] : 0); }
  /// REQUIRES: i < kMost.
  void set(std::size_t i, Thousandths amount) {
    if (none() && amount == Thousandths(0)) return;
    if (none()) amounts_ = std::make_unique<Amounts>(Amounts{});
    (*amounts_)[i] = amount.count();
    drop_zeros();
  }

  /// Returns f of each amount of `a` and of `b`. REQUIRES: f(0, 0) is 0.
  template <class F>
  static Counts combined(const Counts& a, const Counts& b, const F& f) {
    Counts made;
    if (a.none() && b.none()) return made;
    made.amounts_ = std::make_unique<Amounts>();
    for (std::size_t i = 0; i < kMost; ++i) (*made.amounts_)[i] = f(a[i].count(), b[i].count());
    made.drop_zeros();
    return made;
  }

  friend bool operator==(const Counts& a, const Counts& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Counts& a, const Counts& b) {
    if (a.none() && b.none()) return std::strong_ordering::equal;
    const Amounts zeros{};
    return (a.amounts_ ? *a.amounts_ : zeros) <=> (b.amounts_ ? *b.amounts_ : zeros);
  }

 private:
  using Amounts = std::array<std::int64_t, kMost>;
  void drop_zeros() {
    if (*amounts_ == Amounts{}) amounts_ = nullptr;
  }
  std::unique_ptr<Amounts> amounts_;  ///< nullptr: zeros
};

}  // namespace heddle
