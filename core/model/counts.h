#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/units.h"

namespace heddle {

/// Whether each node has an amount of a resource, or the cluster as a whole.
enum class CountScope { kNode, kCluster };

/// A resource that a cluster counts beside cores and memory.
struct CountedResource {
  std::string name;
  bool devices = false;  ///< nodes have single devices of it
  CountScope scope = CountScope::kNode;
  Thousandths count = {};  ///< kCluster: what the cluster has
  bool operator==(const CountedResource&) const = default;
};
/// The resources that a cluster counts beside cores and memory, in the order of Counts.
using CountNames = std::vector<CountedResource>;

/// Amounts of the resources that a cluster counts beside cores and memory. Most clusters have none
/// of these. So that such clusters pay nothing, a value is a pointer: nullptr for zeros, and else
/// to the only copy of these amounts, which is kept until the program ends.
///
/// A resource can have devices. A node and a container then have an amount of each device, and the
/// amount of the resource is their total. A request has the total only: less than kDevice is a part
/// of one device, and n times kDevice are n whole devices.
class Counts {
 public:
  static constexpr std::size_t kMost = 16;
  /// A whole device.
  static constexpr Thousandths kDevice{1000};
  /// The amount of each device, in thousandths, by the device's number.
  using Devices = std::vector<std::int32_t>;

  /// Returns whether every amount is 0.
  bool none() const { return amounts_ == nullptr; }
  /// REQUIRES: i < kMost.
  Thousandths operator[](std::size_t i) const { return Thousandths(none() ? 0 : amounts_->of[i]); }
  /// REQUIRES: i < kMost.
  void set(std::size_t i, Thousandths amount);

  /// Returns the amount of each device. Returns nothing if only the total is known, or if it is 0.
  std::span<const std::int32_t> devices(std::size_t i) const;
  bool has_devices(std::size_t i) const { return !devices(i).empty(); }
  bool has_devices() const { return !none() && !amounts_->devices.empty(); }
  /// Sets the amount of each device, and the total. REQUIRES: i < kMost.
  void set_devices(std::size_t i, Devices devices);
  /// Returns the totals without the amounts of devices.
  Counts totals() const;

  /// Returns whether `room` has at least this much of every resource, also in single devices.
  bool fit_in(const Counts& room) const;
  /// Returns how often these requested amounts fit into `room`. Returns the largest integer if they
  /// are 0.
  std::int64_t times_in(const Counts& room) const;
  /// Returns these requested amounts with the devices of `room` that the default rule chooses. A
  /// part comes from the device with the least that is enough, and whole devices are those with the
  /// lowest numbers. Amounts that have devices, and those that do not fit, stay as they are.
  Counts placed_in(const Counts& room) const;

  /// The amounts of devices are added one by one. They are lost if one side has only a total.
  friend Counts operator+(const Counts& a, const Counts& b) {
    return a.none() && b.none() ? Counts() : joined(a, b, &sum);
  }
  /// The amounts of devices are subtracted one by one. If `b` has only the total of a resource, its
  /// default devices are subtracted; if these do not fit, nothing of the devices is left.
  friend Counts operator-(const Counts& a, const Counts& b) {
    return a.none() && b.none() ? Counts() : joined(a, b, &difference);
  }
  /// Return the minimum and the maximum of each resource and device.
  friend Counts min(const Counts& a, const Counts& b) {
    return a.none() && b.none() ? Counts() : joined(a, b, &least);
  }
  friend Counts max(const Counts& a, const Counts& b) {
    return a.none() && b.none() ? Counts() : joined(a, b, &most);
  }

  /// Returns f of each total of `a` and of `b`, without amounts of devices. REQUIRES: f(0, 0) is 0.
  template <class F>
  static Counts combined(const Counts& a, const Counts& b, const F& f) {
    if (a.none() && b.none()) return {};
    Amounts amounts;
    for (std::size_t i = 0; i < kMost; ++i) amounts.of[i] = f(a[i].count(), b[i].count());
    return of(std::move(amounts));
  }

  bool operator==(const Counts&) const = default;
  friend std::strong_ordering operator<=>(const Counts& a, const Counts& b);

 private:
  struct OfDevices {
    std::size_t resource = 0;
    Devices each;
    auto operator<=>(const OfDevices&) const = default;
  };
  struct Amounts {
    std::array<std::int64_t, kMost> of{};
    std::vector<OfDevices> devices;  ///< by resource; none is empty
    auto operator<=>(const Amounts&) const = default;
    void set(std::size_t i, Devices each);
  };
  struct Hash;
  static Counts of(Amounts amounts);
  static const Amounts& zero();
  const Amounts& amounts() const { return none() ? zero() : *amounts_; }
  using Join = std::int64_t(std::int64_t, std::int64_t);
  static Join sum, difference, least, most;
  static Counts joined(const Counts& a, const Counts& b, Join* join);

  const Amounts* amounts_ = nullptr;
};

/// A whole device, in thousandths.
inline constexpr std::int64_t kWholeDevice = Counts::kDevice.count();

/// Returns the numbers of the devices of which some is held, ascending.
std::vector<int> numbers_of(std::span<const std::int32_t> devices);

}  // namespace heddle
