#pragma once

#include <compare>
#include <cstdint>

namespace heddle {

/// A whole number with a unit. The tag stands for the unit. Quantities with different tags can't be
/// added or compared, so emulated and real units, or bytes and time, can't be confused by accident.
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::int64_t value) : value_(value) {}

  /// Returns the number. The alias of the type names its unit (common/units.h).
  constexpr std::int64_t count() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.value_ - b.value_);
  }
  friend constexpr Quantity operator-(Quantity a) { return Quantity(-a.value_); }
  friend constexpr Quantity operator*(Quantity a, std::int64_t n) { return Quantity(a.value_ * n); }
  friend constexpr Quantity operator*(std::int64_t n, Quantity a) { return Quantity(a.value_ * n); }
  constexpr Quantity& operator+=(Quantity b) {
    value_ += b.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity b) {
    value_ -= b.value_;
    return *this;
  }

 private:
  std::int64_t value_ = 0;
};

}  // namespace heddle
