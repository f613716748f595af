#include "core/model/counts.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <unordered_set>
#include <utility>

namespace heddle {
namespace {

/// Returns how often the requested amount fits into these devices.
std::int64_t times_in_devices(std::int64_t amount, std::span<const std::int32_t> devices) {
  std::int64_t fits = 0;
  for (const std::int32_t device : devices)
    fits += amount < kWholeDevice ? std::max(device, 0) / amount : device >= kWholeDevice;
  return amount < kWholeDevice ? fits : fits / ((amount + kWholeDevice - 1) / kWholeDevice);
}

/// Returns what the requested amount holds of each device. REQUIRES: it fits.
Counts::Devices place(std::int64_t amount, std::span<const std::int32_t> devices) {
  Counts::Devices held(devices.size());
  if (amount < kWholeDevice) {
    std::size_t best = devices.size();
    for (std::size_t i = 0; i < devices.size(); ++i)
      if (devices[i] >= amount && (best == devices.size() || devices[i] < devices[best])) best = i;
    held[best] = static_cast<std::int32_t>(amount);
    return held;
  }
  for (std::size_t i = 0; amount > 0; ++i) {
    if (devices[i] < kWholeDevice) continue;
    held[i] = static_cast<std::int32_t>(kWholeDevice);
    amount -= kWholeDevice;
  }
  return held;
}

}  // namespace

struct Counts::Hash {
  std::size_t operator()(const Amounts& amounts) const {
    std::size_t hash = 0;
    const auto add = [&](std::int64_t value) {
      hash = hash * 1'000'003 + static_cast<std::size_t>(value);
    };
    for (const std::int64_t amount : amounts.of) add(amount);
    for (const OfDevices& devices : amounts.devices)
      for (const std::int32_t amount : devices.each) add(amount);
    return hash;
  }
};

void Counts::Amounts::set(std::size_t i, Devices each) {
  of[i] = std::accumulate(each.begin(), each.end(), std::int64_t{0});
  std::erase_if(devices, [i](const OfDevices& row) { return row.resource == i; });
  while (!each.empty() && each.back() == 0) each.pop_back();
  if (each.empty()) return;
  const auto after =
      std::ranges::find_if(devices, [i](const OfDevices& row) { return row.resource > i; });
  devices.insert(after, {i, std::move(each)});
}

void Counts::set(std::size_t i, Thousandths amount) {
  Amounts changed = amounts();
  changed.set(i, {});
  changed.of[i] = amount.count();
  *this = of(std::move(changed));
}

void Counts::set_devices(std::size_t i, Devices devices) {
  Amounts changed = amounts();
  changed.set(i, std::move(devices));
  *this = of(std::move(changed));
}

std::span<const std::int32_t> Counts::devices(std::size_t i) const {
  if (!has_devices()) return {};
  for (const OfDevices& row : amounts_->devices)
    if (row.resource == i) return row.each;
  return {};
}

Counts Counts::totals() const {
  if (!has_devices()) return *this;
  return of({amounts_->of, {}});
}

bool Counts::fit_in(const Counts& room) const {
  const Amounts &wanted = amounts(), &there = room.amounts();
  for (std::size_t i = 0; i < kMost; ++i)
    if (wanted.of[i] > there.of[i]) return false;
  for (const auto& [resource, has] : there.devices) {
    const std::int64_t amount = wanted.of[resource];
    if (amount <= 0) continue;
    const std::span<const std::int32_t> holds = devices(resource);
    if (holds.empty()) {
      if (times_in_devices(amount, has) == 0) return false;
    } else {
      for (std::size_t d = 0; d < holds.size(); ++d)
        if (holds[d] > (d < has.size() ? has[d] : 0)) return false;
    }
  }
  return true;
}

std::int64_t Counts::times_in(const Counts& room) const {
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
  if (none()) return most;
  for (std::size_t i = 0; i < kMost; ++i) {
    const std::int64_t amount = (*this)[i].count();
    if (amount <= 0) continue;
    const std::span<const std::int32_t> has = room.devices(i);
    most = std::min(most, has.empty() ? room[i].count() / amount : times_in_devices(amount, has));
  }
  return most;
}

Counts Counts::placed_in(const Counts& room) const {
  if (!room.has_devices() || none()) return *this;
  Amounts placed = amounts();
  for (const OfDevices& row : room.amounts_->devices)
    if (const std::int64_t amount = placed.of[row.resource];
        amount > 0 && devices(row.resource).empty() && times_in_devices(amount, row.each) > 0)
      placed.set(row.resource, place(placed.of[row.resource], row.each));
  return of(std::move(placed));
}

Counts Counts::joined(const Counts& a, const Counts& b, Join* join) {
  Amounts result;
  for (std::size_t i = 0; i < kMost; ++i) {
    const std::span<const std::int32_t> of_a = a.devices(i);
    std::span<const std::int32_t> of_b = b.devices(i);
    result.of[i] = join(a[i].count(), b[i].count());
    if (of_a.empty() && of_b.empty()) continue;
    const bool only_total =
        (of_a.empty() && a[i].count() != 0) || (of_b.empty() && b[i].count() != 0);
    if (only_total && (join != &difference || of_a.empty())) continue;
    Devices placed;
    if (only_total) {
      if (times_in_devices(b[i].count(), of_a) == 0) {
        result.devices.push_back({i, Devices(1)});  // none has room
        continue;
      }
      placed = place(b[i].count(), of_a);
      of_b = placed;
    }
    const auto at = [](std::span<const std::int32_t> devices, std::size_t d) {
      return std::int64_t{d < devices.size() ? devices[d] : 0};
    };
    Devices each(std::max(of_a.size(), of_b.size()));
    for (std::size_t d = 0; d < each.size(); ++d)
      each[d] = static_cast<std::int32_t>(join(at(of_a, d), at(of_b, d)));
    result.set(i, std::move(each));
  }
  return of(std::move(result));
}

std::int64_t Counts::sum(std::int64_t a, std::int64_t b) { return a + b; }
std::int64_t Counts::difference(std::int64_t a, std::int64_t b) { return a - b; }
std::int64_t Counts::least(std::int64_t a, std::int64_t b) { return std::min(a, b); }
std::int64_t Counts::most(std::int64_t a, std::int64_t b) { return std::max(a, b); }

std::strong_ordering operator<=>(const Counts& a, const Counts& b) {
  if (a == b) return std::strong_ordering::equal;
  return a.amounts() <=> b.amounts();
}

const Counts::Amounts& Counts::zero() {
  static const Amounts none;
  return none;
}

Counts Counts::of(Amounts amounts) {
  Counts counts;
  if (amounts == zero()) return counts;
  static std::mutex mutex;
  static auto& all = *new std::unordered_set<Amounts, Hash>;  // never destroyed
  const std::lock_guard lock(mutex);
  counts.amounts_ = &*all.insert(std::move(amounts)).first;
  return counts;
}

std::vector<int> numbers_of(std::span<const std::int32_t> devices) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < devices.size(); ++i)
    if (devices[i] != 0) numbers.push_back(static_cast<int>(i));
  return numbers;
}

}  // namespace heddle
