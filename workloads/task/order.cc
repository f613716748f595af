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

const char* unusable_pieces(const PartOrder& part) {
  if (part.piece_count < 0 || part.piece_count > kMaxPieces) return "too many pieces";
  double done = 0;
  for (int i = 0; i < part.piece_count; ++i) {
    const auto& [cpu_ns, pause_ns, burnt, rested] = part.pieces[i];
    if (cpu_ns < 0 || pause_ns < 0) return "negative work";
    if (!(done <= burnt && burnt <= rested && rested <= 1)) return "pieces not ascending in 0..1";
    done = rested;
  }
  return nullptr;
}

bool is_last(const PartOrder& part, int piece) { return piece == piece_count(part) - 1; }

Step even_piece_step(const PartOrder& part, int piece) {
  double way = part.to - part.from;
  double cpu_each = way * (1 - part.sleep_share - part.pause_share) / (part.pauses + 1);
  double pause_each = part.pauses == 0 ? 0 : way * part.pause_share / part.pauses;
  double from = sleep_step(part).to + piece * (cpu_each + pause_each);
  return {from, from + cpu_each, part.last != 0 && is_last(part, piece)};
}

/// Returns the step between two shares of the part's way.
Step step_between(const PartOrder& part, double from, double to) {
  double way = part.to - part.from;
  return {part.from + way * from, part.from + way * to, false};
}

}  // namespace

const char* unusable(const PartOrder& part) {
  if (part.threads < 1 || part.threads > kMaxThreads) return "threads out of range";
  if (part.cpu_ns_per_thread < 0 || part.sleep_ns < 0 || part.pause_ns < 0 || part.pauses < 0)
    return "negative work";
  if (!(0 <= part.from && part.from <= part.to && part.to <= 1)) return "progress not in 0..1";
  if (!(part.sleep_share >= 0 && part.pause_share >= 0 &&
        part.sleep_share + part.pause_share <= 1 + 1e-9))
    return "shares not in 0..1";
  return unusable_pieces(part);
}

const char* unusable(const TaskOrder& order) {
  if (order.memory_points < 0 || order.memory_points > kMaxMemoryPoints)
    return "too many memory points";
  if (!ascending(order)) return "memory points not ascending in 0..1";
  for (int i = 0; i < order.memory_points; ++i)
    if (order.memory[i].bytes < 0) return "negative memory";
  return unusable(order.part);
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

Step sleep_step(const PartOrder& part) {
  return {
      part.from, part.from + (part.to - part.from) * part.sleep_share,
      part.last != 0 && part.cpu_ns_per_thread == 0 && part.pauses == 0 && part.piece_count == 0};
}

int piece_count(const PartOrder& part) {
  return part.piece_count > 0 ? part.piece_count : part.pauses + 1;
}

Step piece_step(const PartOrder& part, int piece) {
  if (part.piece_count == 0) return even_piece_step(part, piece);
  Step step =
      step_between(part, piece == 0 ? 0 : part.pieces[piece - 1].rested, part.pieces[piece].burnt);
  step.ends = part.last != 0 && is_last(part, piece) && part.pieces[piece].pause_ns == 0;
  return step;
}

Step pause_step(const PartOrder& part, int piece) {
  if (part.piece_count == 0)
    return {piece_step(part, piece).to, piece_step(part, piece + 1).from, false};
  Step step = step_between(part, part.pieces[piece].burnt, part.pieces[piece].rested);
  step.ends = part.last != 0 && is_last(part, piece);
  return step;
}

std::int64_t pause_ns(const PartOrder& part, int piece) {
  if (part.piece_count > 0) return part.pieces[piece].pause_ns;
  return is_last(part, piece) ? 0 : part.pause_ns;
}

std::int64_t piece_cpu_ns(const PartOrder& part, int piece) {
  if (part.piece_count > 0) return part.pieces[piece].cpu_ns;
  auto up_to = [&](int pieces) { return part.cpu_ns_per_thread / (part.pauses + 1) * pieces; };
  return piece == part.pauses ? part.cpu_ns_per_thread - up_to(piece) : up_to(1);
}

}  // namespace heddle::task
