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
