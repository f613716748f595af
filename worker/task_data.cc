#include "worker/task_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/cpu_line.h"

namespace heddle::worker {
namespace {

std::string ids(const std::vector<NodeId>& nodes) {
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  for (std::size_t i = 0; i < nodes.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(nodes[i].value);
  return text;
}

std::string read_failure(const DataRead& read, const std::string& error) {
  if (read.from.empty()) return fmt::format("no node has object {:x}: {}", read.object, error);
  return fmt::format("could not read object {:x} from {}: {}", read.object, ids(read.from), error);
}

}  // namespace

TaskData::TaskData(ContainerId container, const TaskWork& work)
    : container_(container), executor_(work.executor), finishing_(!work.executor) {
  if (executor_) return;
  Todo all;
  all.part = whole_part(work);
  all.inputs = Inputs(work.sources);
  all.inputs.add(work.reads);
  all.waits = work.waits;
  all.tells = !work.reads.empty() || work.sources > 0;
  all.writes = work.writes;
  number_ = all.part.number;
  progress_ = all.part.to;
  todo_.push_back(std::move(all));
  if (!begins_at_once(work)) return;
  stage_ = Stage::kWorking;
  ending_ = todo_.front().part.last;
}

void TaskData::inputs_ready() {
  if (!todo_.empty()) todo_.front().waits = false;
}

void TaskData::fetch(const std::vector<DataRead>& reads) {
  // The reads belong to the latest part. If that part has read everything, ignore the reads. They
  // are a repetition, or they replace an input that was not lost after all.
  if (todo_.empty() || (todo_.size() == 1 && stage_ != Stage::kReading)) return;
  todo_.back().inputs.add(reads);
}

std::string TaskData::run_part(const TaskPart& part) {
  if (!executor_) return "is not an executor";
  if (part.number <= number_) return "";  // already known
  if (finishing_) return "is finishing";
  if (part.threads < 1 || part.threads > kMaxThreads)
    return fmt::format("threads: expected 1 to {}, got {}", kMaxThreads, part.threads);
  Todo todo;
  todo.part.number = part.number;
  todo.part.work.cpu = part.cpu;
  todo.part.work.threads = part.threads;
  todo.part.from = progress_;
  todo.part.to = std::clamp(part.progress, progress_, 1.0);
  todo.part.last = false;
  todo.inputs.add(part.reads);
  todo.tells = true;
  todo.writes = part.writes;
  number_ = part.number;
  progress_ = todo.part.to;
  todo_.push_back(std::move(todo));
  return "";
}

void TaskData::part_done(int number) {
  if (todo_.empty() || stage_ != Stage::kWorking || todo_.front().part.number != number) return;
  stage_ = Stage::kWriting;
}

void TaskData::read_done(const DataRead& read) {
  if (!todo_.empty()) todo_.front().inputs.done(read);
}

std::string TaskData::read_failed(const DataRead& read, const std::string& error, real::Time now,
                                  Effects& effects) {
  if (todo_.empty() || todo_.front().inputs.failed(read)) return "";
  std::string reason = read_failure(read, error);
  if (read.source < 0) return reason;
  effects.push_back(
      report_of(InputLost{container_, read.source, read.object, std::move(reason)}, now));
  return "";
}

void TaskData::write_done() {
  if (writing_ > 0) --writing_;
}

std::string TaskData::write_failure(const DataWrite& write, const std::string& error) {
  if (write.copies.empty())
    return fmt::format("could not write object {:x}: {}", write.object, error);
  return fmt::format("could not write object {:x} with copies on {}: {}", write.object,
                     ids(write.copies), error);
}

void TaskData::give(ProcessPart part, Effects& effects) {
  ending_ = part.last;
  effects.push_back(Give{container_, std::move(part)});
}

void TaskData::advance(bool may_work, real::Time now, Effects& effects) {
  while (!todo_.empty() && step(may_work, now, effects)) {
  }
  if (!todo_.empty() || !finishing_ || ending_ || !may_work) return;
  give({.number = number_ + 1, .work = {}, .from = progress_, .to = progress_}, effects);
}

bool TaskData::step(bool may_work, real::Time now, Effects& effects) {
  Todo& first = todo_.front();
  switch (stage_) {
    case Stage::kReading:
      if (first.waits) return false;
      if (may_work)
        for (DataRead& read : first.inputs.begin())
          effects.push_back(BeginRead{container_, std::move(read)});
      if (!first.inputs.complete()) return false;
      if (first.tells) effects.push_back(report_of(InputsRead{container_}, now));
      stage_ = Stage::kReady;
      return true;
    case Stage::kReady:
      if (!may_work) return false;
      stage_ = Stage::kWorking;
      give(first.part, effects);
      return true;
    case Stage::kWorking:
      return false;
    case Stage::kWriting: {
      for (DataWrite& write : first.writes)
        effects.push_back(BeginWrite{container_, std::move(write)});
      writing_ += first.writes.size();
      first.writes.clear();
      if (writing_ > 0) return false;
      if (executor_) effects.push_back(report_of(PartDone{container_, first.part.number}, now));
      todo_.pop_front();
      stage_ = Stage::kReading;
      return true;
    }
  }
  return false;
}

}  // namespace heddle::worker
