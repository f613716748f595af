#include "core/model/work.h"

#include <algorithm>
#include <cmath>

namespace heddle {

EmuTime ideal_time(const TaskWork& work, Millicores cores, double speed, bool shares) {
  double parallel = work.threads;
  if (!shares) parallel = std::min(parallel, static_cast<double>(cores.count()) / 1e3);
  EmuTime waits = work.sleep + work.pause * work.pauses;
  for (const WorkPiece& piece : work.pieces) waits += piece.pause;
  return waits + EmuTime(std::llround(static_cast<double>(work.cpu.count()) / (parallel * speed)));
}

TaskWork spilled(TaskWork work, EmuBytes requested, EmuBytes held, double spill_penalty) {
  EmuBytes peak;
  for (const MemoryPoint& point : work.memory) peak = std::max(peak, point.use);
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
