#include "common/wire/values.h"

namespace heddle::wire {
namespace {

void add(JsonText& json, const std::vector<NodeId>& nodes) {
  json.open('[');
  for (NodeId node : nodes) json.add(node.value);
  json.close(']');
}

void add(JsonText& json, const std::vector<DataWrite>& writes) {
  json.open('[');
  for (const DataWrite& write : writes) {
    json.open('[').add(write.object).add(write.size).add(write.kept);
    add(json, write.copies);
    json.close(']');
  }
  json.close(']');
}

}  // namespace

void put(JsonText& json, const Resources& resources) {
  json.field("cores", resources.cores).field("memory", resources.memory);
}

void add(JsonText& json, const std::vector<DataRead>& reads) {
  json.open('[');
  for (const DataRead& read : reads) {
    json.open('[').add(read.object).add(read.offset).add(read.size);
    add(json, read.from);
    json.add(read.source).close(']');
  }
  json.close(']');
}

void add(JsonText& json, const TaskPart& part) {
  json.open('{').field("part", part.number).field("stage", part.stage);
  json.field("cpu_core_s", part.cpu).field("threads", part.threads);
  add(json.key("reads"), part.reads);
  add(json.key("writes"), part.writes);
  json.field("progress", part.progress).close('}');
}

void add(JsonText& json, const TaskWork& work) {
  json.open('{').field("cpu_core_s", work.cpu).field("threads", work.threads);
  json.field("sleep_s", work.sleep);
  json.key("memory").open('[');
  for (const MemoryPoint& point : work.memory) json.row(point.progress, point.use);
  json.close(']');
  if (work.pauses > 0) json.field("pauses", work.pauses).field("pause_s", work.pause);
  if (!work.pieces.empty()) {
    json.key("pieces").open('[');
    for (const WorkPiece& piece : work.pieces) json.row(piece.cpu, piece.pause);
    json.close(']');
  }
  if (work.waits) json.field("waits", true);
  if (!work.reads.empty()) add(json.key("reads"), work.reads);
  if (work.sources > 0) json.field("sources", work.sources);
  if (!work.writes.empty()) add(json.key("writes"), work.writes);
  if (work.executor) json.field("executor", true);
  if (work.crash_at) json.field("crash_at", *work.crash_at);
  json.close('}');
}

void put(JsonText& json, const AttemptUsage& usage) {
  json.field("cpu_core_s", usage.cpu).field("peak_memory", usage.peak_memory);
  json.field("memory_byte_s", usage.memory_byte_seconds).field("ideal_s", usage.ideal);
  json.field("contended", usage.contended).field("host_lost_s", usage.host_lost);
  if (usage.read_local.count() > 0) json.field("read_local", usage.read_local);
  if (usage.read_remote.count() > 0) json.field("read_remote", usage.read_remote);
  if (usage.written.count() > 0) json.field("written", usage.written);
}

void put(JsonText& json, const NodeUse& use, const std::optional<NodeEstimate>& estimate) {
  const auto& [containers, node] = use;
  json.key("use").row(containers.cores, containers.memory, node.cores, node.memory);
  if (!estimate) return;
  const NodeEstimate& e = *estimate;
  json.key("estimate").row(e.containers.cores, e.containers.memory, e.node.cores, e.node.memory);
}

void add(JsonText& json, const std::vector<ContainerUse>& containers) {
  json.open('[');
  for (const ContainerUse& use : containers) {
    json.open('[').add(use.container.value).add(use.cpu).add(use.memory).add(use.progress);
    if (use.disk != EmuBytes(0) || use.network != EmuBytes(0)) json.add(use.disk).add(use.network);
    json.close(']');
  }
  json.close(']');
}

}  // namespace heddle::wire
