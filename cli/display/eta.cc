#include "cli/display/eta.h"

#include <algorithm>
#include <utility>

#include "cli/display/display.h"

namespace heddle::cli {
namespace {

constexpr double kShortest_s = 2, kWindow_s = 5, kWindowShare = 1.0 / 3;
/// Minimum distance between two entries that are kept.
constexpr double kApart_s = 0.1;
/// Share of a curve's time that is added to both times of which the pace is the ratio.
constexpr double kSteady = 0.1;

}  // namespace

std::string text_of(const TimeLeft& left, bool with_emulated) {
  return "about " + rough_clock(left.real_s) + " left (" +
         (with_emulated ? rough_clock(left.emulated_s) + " emulated)" : "real)");
}

void Forecaster::add(const Standing& now) {
  if (recent_.empty()) begin_s_ = now.real_s;
  // The newest entry is always kept. Older entries are at least kApart_s apart.
  if (recent_.size() > 1 && now.real_s - recent_[recent_.size() - 2].real_s < kApart_s)
    recent_.pop_back();
  recent_.push_back(now);
  const double window = std::max(kWindow_s, kWindowShare * (now.real_s - begin_s_));
  while (recent_.size() > 2 && now.real_s - recent_[1].real_s >= window) recent_.pop_front();
}

void Forecaster::expect(report::WorkCurve curve, double time_scale) {
  curve_ = std::move(curve);
  time_scale_ = time_scale;
}

std::optional<TimeLeft> Forecaster::left() const {
  if (recent_.empty()) return std::nullopt;
  if (curve_.end_s() > 0) return left_by_curve();
  return left_by_rate();
}

TimeLeft Forecaster::left_by_curve() const {
  const Standing& from = recent_.front();
  const Standing& now = recent_.back();
  const double covered_s = curve_.time_of(now.work, now.emulated_s);
  const double before_s = curve_.time_of(from.work, from.emulated_s);
  const double steady_s = kSteady * curve_.end_s();
  const double pace = (std::max(0.0, now.emulated_s - from.emulated_s) + steady_s) /
                      (std::max(0.0, covered_s - before_s) + steady_s);
  const double left =
      std::max({0.0, (curve_.end_s() - covered_s) * pace, now.last_submit_s - now.emulated_s});
  return {left, left * time_scale_};
}

std::optional<TimeLeft> Forecaster::left_by_rate() const {
  const Standing& from = recent_.front();
  const Standing& now = recent_.back();
  const double real = now.real_s - from.real_s, emulated = now.emulated_s - from.emulated_s;
  const double done = now.work - from.work;
  if (real < kShortest_s || emulated <= 0 || done <= 0) return std::nullopt;
  const double by_rate = std::max(0.0, 1 - now.work) * emulated / done;
  const double left = std::max(by_rate, now.last_submit_s - now.emulated_s);
  return TimeLeft{left, left * real / emulated};
}

}  // namespace heddle::cli
