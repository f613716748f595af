#include "core/model/work.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace heddle {

EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares) {
  double parallel = work.threads;
  if (!shares) parallel = std::min(parallel, static_cast<double>(cores.count()) / 1e3);
  EmuTime waits = work.sleep + work.pause * work.pauses;
  for (const WorkPiece& piece : work.pieces) waits += piece.pause;
  return waits + EmuTime(std::llround(static_cast<double>(work.cpu.count()) / (parallel * speed)));
}

EmuBytes memory_use(const std::vector<MemoryPoint>& profile, double progress) {
  const auto after = std::ranges::find_if(
      profile, [&](const MemoryPoint& point) { return point.progress > progress; });
  if (after == profile.end()) return profile.empty() ? EmuBytes(0) : profile.back().use;
  if (after == profile.begin()) return after->use;
  const MemoryPoint& from = *std::prev(after);
  const double way = (progress - from.progress) / (after->progress - from.progress);
  return from.use +
         EmuBytes(std::llround(way * static_cast<double>((after->use - from.use).count())));
}

EmuBytes peak_use(const std::vector<MemoryPoint>& profile) {
  EmuBytes peak;
  for (const MemoryPoint& point : profile) peak = std::max(peak, point.use);
  return peak;
}

TaskWork spilled(TaskWork work, EmuBytes requested, EmuBytes held, double spill_penalty) {
  const EmuBytes peak = peak_use(work.memory);
  const EmuBytes kept = held + std::max(peak - requested, EmuBytes(0));
  if (peak <= kept) return work;
  for (MemoryPoint& point : work.memory) point.use = std::min(point.use, kept);
  const double fits = static_cast<double>(kept.count()) / static_cast<double>(peak.count());
  const double factor = 1 + spill_penalty * (1 - fits);
  work.cpu = work.pieces.empty() ? stretched(work.cpu, factor) : CoreTime(0);
  for (WorkPiece& piece : work.pieces) work.cpu += piece.cpu = stretched(piece.cpu, factor);
  return work;
}

CoreTime stretched(CoreTime cpu, double factor) {
  return CoreTime(std::llround(static_cast<double>(cpu.count()) * factor));
}

TaskWork stretched(TaskWork work, double factor) {
  auto longer = [&](EmuTime time) {
    return EmuTime(std::llround(static_cast<double>(time.count()) * factor));
  };
  work.sleep = longer(work.sleep);
  work.pause = longer(work.pause);
  work.cpu = work.pieces.empty() ? stretched(work.cpu, factor) : CoreTime(0);
  for (WorkPiece& piece : work.pieces) {
    work.cpu += piece.cpu = stretched(piece.cpu, factor);
    piece.pause = longer(piece.pause);
  }
  return work;
}

std::vector<PieceEnd> piece_ends(const TaskWork& work) {
  std::vector<PieceEnd> ends;
  double time = 0;  // microseconds
  for (const WorkPiece& piece : work.pieces) {
    PieceEnd end;
    end.burnt = time += static_cast<double>(piece.cpu.count()) / work.threads;
    end.rested = time += static_cast<double>(piece.pause.count());
    ends.push_back(end);
  }
  for (PieceEnd& end : ends) {
    end.burnt = time > 0 ? end.burnt / time : 1;
    end.rested = time > 0 ? end.rested / time : 1;
  }
  return ends;
}

}  // namespace heddle
