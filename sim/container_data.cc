#include "sim/container_data.h"

#include <algorithm>
#include <set>

namespace heddle {

bool ContainerData::needed(const TaskWork& work) {
  return work.executor || work.sources > 0 || !work.reads.empty() || !work.writes.empty();
}

ContainerData::ContainerData(ContainerId container, NodeId node, DataModel& data,
                             const TaskWork& work)
    : container_(container), node_(node), data_(data), to_write_(work.writes) {
  if (work.executor) return;
  const bool reads = work.sources > 0 || !work.reads.empty();
  step_ = reads ? Step::kHeld : Step::kWorking;
  inputs_ = Inputs(work.sources);
  inputs_.add(work.reads);
}

void ContainerData::run(const TaskPart& part) {
  std::set<int> sources;
  for (const DataRead& read : part.reads)
    if (read.source >= 0) sources.insert(read.source);
  part_ = part.number;
  to_write_ = part.writes;
  inputs_ = Inputs(static_cast<int>(sources.size()));
  inputs_.add(part.reads);
  begin_reading();
}

void ContainerData::add(const std::vector<DataRead>& reads) {
  inputs_.add(reads);
  if (!held()) begin_reads();
}

void ContainerData::begin_reading() {
  step_ = Step::kReading;
  begin_reads();
}

void ContainerData::begin_reads() {
  for (DataRead& read : inputs_.begin()) {
    const DataModel::Ticket ticket = data_.read(node_, container_, read.from.front(), read.size);
    reads_.emplace(ticket, std::move(read));
  }
}

void ContainerData::begin_writing() {
  step_ = Step::kWriting;
  for (const DataWrite& write : to_write_) {
    writes_.emplace(data_.write(node_, container_, node_, write.size), write.size);
    for (NodeId copy : write.copies)
      writes_.emplace(data_.write(node_, container_, copy, write.size), EmuBytes(0));
  }
}

void ContainerData::moved(DataModel::Ticket ticket) {
  if (auto it = writes_.find(ticket); it != writes_.end()) {
    written_ += it->second;
    writes_.erase(it);
    return;
  }
  auto it = reads_.find(ticket);
  const DataRead read = std::move(it->second);
  reads_.erase(it);
  (read.from.front() == node_ ? read_local_ : read_remote_) += read.size;
  inputs_.done(read);
  begin_reads();
}

void ContainerData::cancel() {
  for (const auto& [ticket, read] : reads_) data_.cancel(ticket);
  for (const auto& [ticket, size] : writes_) data_.cancel(ticket);
}

void ContainerData::count_in(AttemptUsage& usage) const {
  usage.read_local = read_local_;
  usage.read_remote = read_remote_;
  usage.written = written_;
}

}  // namespace heddle
