#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/units.h"

namespace heddle {

/// Names of the resources that a cluster counts beside cores and memory, in the order of Counts.
using CountNames = std::vector<std::string>;

/// Amounts of the resources that a cluster counts beside cores and memory. Most clusters have none
/// of these. So that such clusters pay nothing, a value is a pointer: nullptr for zeros, and else
/// to the only copy of these amounts, which is kept until the program ends.
class Counts {
 public:
  static constexpr std::size_t kMost = 16;

  /// Returns whether every amount is 0.
  bool none() const { return amounts_ == nullptr; }
  /// REQUIRES: i < kMost.
  Thousandths operator[](std::size_t i) const { return Thousandths(none() ? 0 : (*amounts_)[i]); }
  /// REQUIRES: i < kMost.
  void set(std::size_t i, Thousandths amount);

  /// Returns f of each amount of `a` and of `b`. REQUIRES: f(0, 0) is 0.
  template <class F>
  static Counts combined(const Counts& a, const Counts& b, const F& f) {
    if (a.none() && b.none()) return {};
    Amounts amounts;
    for (std::size_t i = 0; i < kMost; ++i) amounts[i] = f(a[i].count(), b[i].count());
    return of(amounts);
  }

  bool operator==(const Counts&) const = default;
  friend std::strong_ordering operator<=>(const Counts& a, const Counts& b) {
    if (a == b) return std::strong_ordering::equal;
    return a.amounts() <=> b.amounts();
  }

 private:
  using Amounts = std::array<std::int64_t, kMost>;
  struct Hash;
  static Counts of(const Amounts& amounts);
  Amounts amounts() const { return none() ? Amounts{} : *amounts_; }

  const Amounts* amounts_ = nullptr;
};

}  // namespace heddle
