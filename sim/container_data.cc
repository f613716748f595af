#include "sim/container_data.h"

#include <set>
#include <utility>

namespace heddle::sim {
namespace {

constexpr const char* kNoSpaceReason = "could not write: no space left on a disk";

}  // namespace

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
  if (step_ != Step::kHeld && step_ != Step::kReading) return;
  inputs_.add(reads);
  if (!held()) begin_reads();
}

void ContainerData::begin_reading() {
  step_ = Step::kReading;
  begin_reads();
}

void ContainerData::set_stopped(bool stopped) {
  stopped_ = stopped;
  if (step_ == Step::kReading) begin_reads();
}

void ContainerData::begin_reads() {
  if (stopped_) return;
  // If a read fails at once, another read can begin.
  for (std::vector<DataRead> next = inputs_.begin(); !next.empty(); next = inputs_.begin())
    for (DataRead& read : next) read_from({std::move(read), 0});
}

void ContainerData::read_from(Reading reading) {
  const DataRead& read = reading.read;
  if (reading.source < read.from.size()) {
    const NodeId source = read.from[reading.source];
    const DataModel::Ticket ticket = data_.read(node_, container_, source, read.size, read.object);
    reads_.emplace(ticket, std::move(reading));
  } else if (!inputs_.failed(read)) {
    if (read.source >= 0)
      lost_.push_back(read);
    else
      failure_ = "could not read a block: no node has it";
  }
}

void ContainerData::begin_writing() {
  step_ = Step::kWriting;
  for (DataWrite& write : std::exchange(to_write_, {})) {
    const DataModel::Ticket ticket = data_.write(node_, container_, write.size);
    writes_.emplace(ticket, std::move(write));
  }
}

void ContainerData::moved(DataModel::Ticket ticket, DataModel::Outcome outcome) {
  if (outcome == DataModel::Outcome::kFull) failure_ = kNoSpaceReason;
  if (auto it = writes_.find(ticket); it != writes_.end()) {
    const DataWrite write = std::move(it->second);
    writes_.erase(it);
    written_ += write.size;
    for (NodeId copy : write.copies)
      copies_.insert(data_.copy(node_, container_, copy, write.size));
    return;
  }
  if (copies_.erase(ticket) > 0) return;
  auto it = reads_.find(ticket);
  Reading reading = std::move(it->second);
  reads_.erase(it);
  if (outcome != DataModel::Outcome::kDone) {
    ++reading.source;
    read_from(std::move(reading));
    return begin_reads();
  }
  const DataRead& read = reading.read;
  (read.from[reading.source] == node_ ? read_local_ : read_remote_) += read.size;
  inputs_.done(read);
  begin_reads();
}

void ContainerData::cancel() {
  for (const auto& [ticket, read] : reads_) data_.cancel(ticket);
  for (const auto& [ticket, write] : writes_) data_.cancel(ticket);
  for (DataModel::Ticket ticket : copies_) data_.cancel(ticket);
}

void ContainerData::count_in(AttemptUsage& usage) const {
  usage.read_local = read_local_;
  usage.read_remote = read_remote_;
  usage.written = written_;
}

void ContainerData::count_in(ContainerUse& use) const {
  use.disk = read_local_ + written_;
  use.network = read_remote_;
}

}  // namespace heddle::sim
