#include "workloads/task/order.h"

#include <algorithm>

namespace heddle::task {
namespace {

bool ascending(const TaskOrder& order) {
  double last = 0;
  for (int i = 0; i < order.memory_points; ++i) {
    double progress = order.memory[i].progress;
    if (!(progress >= last && progress <= 1)) return false;
    last = progress;
  }
  return true;
}

}  // namespace

const char* unusable(const TaskOrder& order) {
  if (order.threads < 1 || order.threads > kMaxThreads) return "threads out of range";
  if (order.cpu_ns_per_thread < 0 || order.sleep_ns < 0) return "negative work";
  if (!(order.sleep_share >= 0 && order.sleep_share <= 1)) return "sleep share not in 0..1";
  if (order.memory_points < 0 || order.memory_points > kMaxMemoryPoints)
    return "too many memory points";
  if (!ascending(order)) return "memory points not ascending in 0..1";
  for (int i = 0; i < order.memory_points; ++i)
    if (order.memory[i].bytes < 0) return "negative memory";
  return nullptr;
}

std::int64_t memory_at(const TaskOrder& order, double progress) {
  const TaskOrder::Point* points = order.memory;
  int n = order.memory_points;
  if (n == 0) return 0;
  int after = 0;  // first point beyond `progress`
  while (after < n && points[after].progress <= progress) ++after;
  if (after == 0) return points[0].bytes;
  const TaskOrder::Point& from = points[after - 1];
  if (after == n) return from.bytes;
  const TaskOrder::Point& to = points[after];
  double way = (progress - from.progress) / (to.progress - from.progress);
  return from.bytes + static_cast<std::int64_t>(way * static_cast<double>(to.bytes - from.bytes));
}

std::int64_t peak_memory(const TaskOrder& order) {
  std::int64_t peak = 0;
  for (int i = 0; i < order.memory_points; ++i) peak = std::max(peak, order.memory[i].bytes);
  return peak;
}

bool flat_memory(const TaskOrder& order) {
  return std::all_of(order.memory, order.memory + order.memory_points,
                     [&](const auto& point) { return point.bytes == order.memory[0].bytes; });
}

double overall_progress(const TaskOrder& order, double sleep, double cpu) {
  if (order.cpu_ns_per_thread == 0) return sleep;
  if (order.sleep_ns == 0) return cpu;
  return order.sleep_share * sleep + (1 - order.sleep_share) * cpu;
}

}  // namespace heddle::task
