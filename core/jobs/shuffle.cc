#include "core/jobs/shuffle.h"

#include <algorithm>

#include "core/scenario/blocks.h"

namespace heddle {

bool Shuffle::reads_from(int reduce, int phase) const {
  const PhaseSpec& reader = spec_->phases[reduce];
  return reader.kind == PhaseKind::kReduce && hands_over(phase) &&
         std::find(reader.after.begin(), reader.after.end(), phase) != reader.after.end();
}

int Shuffle::sources(int reduce) const {
  int sources = 0;
  for (int phase : spec_->phases[reduce].after)
    if (reads_from(reduce, phase)) sources += spec_->phases[phase].tasks;
  return sources;
}

DataRead Shuffle::read_of(int reduce, int index, int source, const Output& output) const {
  const PhaseSpec& phase = spec_->phases[reduce];
  const Share share = partition(output.size, phase.skew, phase.tasks, index);
  return {output_object(output.container, 0), share.offset, share.size, {output.node}, source};
}

std::vector<DataRead> Shuffle::reads(int reduce, int index) const {
  std::vector<DataRead> reads;
  int before = 0;
  for (int phase : spec_->phases[reduce].after) {
    if (!reads_from(reduce, phase)) continue;
    for (auto it = outputs_.lower_bound({phase, 0});
         it != outputs_.end() && it->first.first == phase; ++it)
      reads.push_back(read_of(reduce, index, before + it->first.second, it->second));
    before += spec_->phases[phase].tasks;
  }
  return reads;
}

std::optional<DataRead> Shuffle::read(int reduce, int index, int map_phase, int map) const {
  const auto output = outputs_.find({map_phase, map});
  if (output == outputs_.end() || !reads_from(reduce, map_phase)) return std::nullopt;
  int before = 0;
  for (int phase : spec_->phases[reduce].after) {
    if (phase == map_phase) break;
    if (hands_over(phase)) before += spec_->phases[phase].tasks;
  }
  return read_of(reduce, index, before + map, output->second);
}

std::vector<std::pair<int, int>> Shuffle::lose(NodeId node) {
  std::vector<std::pair<int, int>> lost;
  std::erase_if(outputs_, [&](const auto& entry) {
    if (entry.second.node != node) return false;
    lost.push_back(entry.first);
    return true;
  });
  return lost;
}

std::optional<std::pair<int, int>> Shuffle::lose(std::uint64_t object) {
  for (auto it = outputs_.begin(); it != outputs_.end(); ++it) {
    if (output_object(it->second.container, 0) != object) continue;
    const std::pair<int, int> writer = it->first;
    outputs_.erase(it);
    return writer;
  }
  return std::nullopt;
}

}  // namespace heddle
