#include "common/wire/values.h"

#include <algorithm>
#include <cmath>

namespace heddle::wire {

namespace {

constexpr double kMostCores = 1e9;

}  // namespace

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json percentile(std::vector<double> values, double p) {
  if (values.empty()) return nullptr;
  // A hair less, so that a rank that is whole but for rounding is not raised.
  double rank = std::ceil(p * static_cast<double>(values.size()) - 1e-9);
  auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), at, values.end());
  return rounded(*at);
}

EmuTime time_field(const Fields& fields, const char* key) {
  return emu_seconds(fields.number(key, -kMaxSeconds, kMaxSeconds));
}

CoreTime work_field(const Fields& fields, const char* key) {
  return core_seconds(fields.number(key, 0, kMaxSeconds));
}

void put(Json& json, const Resources& resources) {
  json["cores"] = static_cast<double>(resources.cores.count()) / 1e3;
  json["memory"] = resources.memory.count();
}

Resources resources_from(const Fields& fields) {
  double cores = fields.number("cores", 0, kMostCores);
  return {Millicores(std::llround(cores * 1e3)),
          EmuBytes(fields.integer("memory", 0, kMaxInteger))};
}

namespace {

constexpr std::size_t kMostReads = 1'000'000;
constexpr std::size_t kMostNodes = 20'000;

bool is_size(const Json& json) {
  return json.is_number_integer() && json >= 0 && json <= kMaxBytes;
}

bool are_nodes(const Json& json) {
  return json.is_array() && json.size() <= kMostNodes &&
         std::all_of(json.begin(), json.end(), is_size);
}

std::vector<NodeId> nodes_of(const Json& json) {
  std::vector<NodeId> nodes;
  for (const Json& node : json) nodes.push_back(NodeId{node.get<std::int64_t>()});
  return nodes;
}

std::vector<DataWrite> writes_from(const Fields& fields, const char* key) {
  std::vector<DataWrite> writes;
  if (!fields.has(key)) return writes;
  for (const Json& row : fields.array(key, 16)) {
    bool shape = row.is_array() && row.size() == 4 && row[0].is_number_unsigned() &&
                 is_size(row[1]) && row[2].is_boolean() && are_nodes(row[3]);
    if (!shape) fields.bad(key, "rows of [object, bytes, kept, [nodes…]]");
    writes.push_back({row[0].get<std::uint64_t>(), EmuBytes(row[1].get<std::int64_t>()),
                      row[2].get<bool>(), nodes_of(row[3])});
  }
  return writes;
}

constexpr double kMostAmount = 9e18;

std::vector<double> four_numbers(const Fields& fields, const char* key, const char* of) {
  std::vector<double> numbers;
  for (const Json& item : fields.array(key, 4)) {
    const double number = item.is_number() ? item.get<double>() : -1;
    if (!(number >= 0 && number <= kMostAmount)) break;
    numbers.push_back(number);
  }
  if (numbers.size() != 4) fields.bad(key, std::string("four numbers, ") + of);
  return numbers;
}

}  // namespace

std::vector<DataRead> reads_from(const Fields& fields, const char* key) {
  std::vector<DataRead> reads;
  if (!fields.has(key)) return reads;
  for (const Json& row : fields.array(key, kMostReads)) {
    bool shape = row.is_array() && row.size() == 5 && row[0].is_number_unsigned() &&
                 is_size(row[1]) && is_size(row[2]) && are_nodes(row[3]) &&
                 row[4].is_number_integer() && row[4] >= -1 && row[4] < 100'000'000;
    if (!shape) fields.bad(key, "rows of [object, offset, bytes, [nodes…], source]");
    reads.push_back({row[0].get<std::uint64_t>(), EmuBytes(row[1].get<std::int64_t>()),
                     EmuBytes(row[2].get<std::int64_t>()), nodes_of(row[3]), row[4].get<int>()});
  }
  return reads;
}

TaskPart part_from(const Fields& fields) {
  TaskPart part;
  part.number = static_cast<int>(fields.integer("part", 1, 1'000'000'000));
  part.stage = static_cast<int>(fields.integer("stage", 0, 65535));
  part.cpu = work_field(fields, "cpu_core_s");
  part.threads = static_cast<int>(fields.integer("threads", 1, 1024));
  part.reads = reads_from(fields, "reads");
  part.writes = writes_from(fields, "writes");
  part.progress = fields.number("progress", 0, 1);
  return part;
}

namespace {

std::vector<WorkPiece> pieces_from(const Fields& fields, const char* key) {
  auto is_time = [](const Json& value) {
    return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMaxSeconds;
  };
  std::vector<WorkPiece> pieces;
  for (const Json& row : fields.array(key, 1024)) {
    if (!row.is_array() || row.size() != 2 || !is_time(row[0]) || !is_time(row[1]))
      fields.bad(key, "rows of [core-seconds, seconds of pause]");
    pieces.push_back({core_seconds(row[0].get<double>()), emu_seconds(row[1].get<double>())});
  }
  return pieces;
}

/// What TaskWork promises of them.
void check_pieces(const Fields& fields, const TaskWork& work) {
  if (work.pieces.empty()) return;
  CoreTime cpu;
  for (const WorkPiece& piece : work.pieces) cpu += piece.cpu;
  if (cpu != work.cpu || work.sleep > EmuTime(0) || work.pauses > 0)
    fields.bad("pieces", "pieces that add up to the CPU work, beside no sleep and pauses");
}

}  // namespace

TaskWork work_from(const Fields& fields) {
  TaskWork work;
  if (fields.has("pauses")) {
    work.pauses = static_cast<int>(fields.integer("pauses", 0, 1'000'000));
    work.pause = time_field(fields, "pause_s");
  }
  if (fields.has("pieces")) work.pieces = pieces_from(fields, "pieces");
  if (fields.has("waits")) work.waits = fields.flag("waits");
  work.reads = reads_from(fields, "reads");
  if (fields.has("sources"))
    work.sources = static_cast<int>(fields.integer("sources", 0, 100'000'000));
  work.writes = writes_from(fields, "writes");
  if (fields.has("executor")) work.executor = fields.flag("executor");
  if (fields.has("crash_at")) work.crash_at = fields.number("crash_at", 0, 1);
  work.cpu = work_field(fields, "cpu_core_s");
  work.threads = static_cast<int>(fields.integer("threads", 1, 1024));
  work.sleep = time_field(fields, "sleep_s");
  check_pieces(fields, work);
  double last = 0;
  for (const Json& point : fields.array("memory", 1024)) {
    bool shape = point.is_array() && point.size() == 2 && point[0].is_number() &&
                 point[1].is_number_integer() && point[1].get<std::int64_t>() >= 0;
    if (!shape || !(point[0].get<double>() >= last && point[0].get<double>() <= 1))
      fields.bad("memory", "[progress, bytes] corners, progress from 0 to 1 and ascending");
    last = point[0].get<double>();
    work.memory.push_back({last, EmuBytes(point[1].get<std::int64_t>())});
  }
  return work;
}

AttemptUsage usage_from(const Fields& fields) {
  AttemptUsage usage;
  usage.cpu = work_field(fields, "cpu_core_s");
  usage.peak_memory = EmuBytes(fields.integer("peak_memory", 0, kMaxInteger));
  usage.memory_byte_seconds = fields.number("memory_byte_s", 0, 1e300);
  usage.ideal = time_field(fields, "ideal_s");
  usage.contended = fields.flag("contended");
  usage.host_lost = time_field(fields, "host_lost_s");
  auto bytes = [&](const char* key) {
    return EmuBytes(fields.has(key) ? fields.integer(key, 0, kMaxInteger) : 0);
  };
  usage.read_local = bytes("read_local");
  usage.read_remote = bytes("read_remote");
  usage.written = bytes("written");
  return usage;
}

NodeUse use_from(const Fields& fields) {
  if (!fields.has("use")) return {};
  const std::vector<double> n = four_numbers(fields, "use", "cores and bytes");
  if (std::max(n[0], n[2]) > kMostCores) fields.bad("use", "at most a thousand million cores");
  auto resources = [&](std::size_t at) {
    return Resources{Millicores(std::llround(n[at] * 1e3)), EmuBytes(std::llround(n[at + 1]))};
  };
  return {resources(0), resources(2)};
}

std::optional<NodeEstimate> estimate_from(const Fields& fields) {
  if (!fields.has("estimate")) return std::nullopt;
  const std::vector<double> n = four_numbers(fields, "estimate", "cores and bytes");
  return NodeEstimate{{n[0], n[1]}, {n[2], n[3]}};
}

std::vector<ContainerUse> containers_from(const Fields& fields, const char* key) {
  std::vector<ContainerUse> containers;
  const std::vector<Json>& rows = fields.array(key, 1'000'000);
  containers.reserve(rows.size());
  for (const Json& row : rows) {
    bool shape = row.is_array() && (row.size() == 4 || row.size() == 6) &&
                 row[0].is_number_integer() && row[1].is_number() && row[2].is_number_integer() &&
                 row[3].is_number();
    if (!shape || row[0].get<std::int64_t>() < 0 || !(row[1].get<double>() >= 0) ||
        !(row[1].get<double>() <= kMaxSeconds) || row[2].get<std::int64_t>() < 0 ||
        !(row[3].get<double>() >= 0 && row[3].get<double>() <= 1) ||
        (row.size() == 6 && !(is_size(row[4]) && is_size(row[5]))))
      fields.bad(key,
                 "rows of [container, core-seconds, bytes, progress from 0 to 1], and bytes of "
                 "disk and network");
    containers.push_back({ContainerId{row[0].get<std::int64_t>()},
                          core_seconds(row[1].get<double>()), EmuBytes(row[2].get<std::int64_t>()),
                          row[3].get<double>()});
    if (row.size() != 6) continue;
    containers.back().disk = EmuBytes(row[4].get<std::int64_t>());
    containers.back().network = EmuBytes(row[5].get<std::int64_t>());
  }
  return containers;
}

}  // namespace heddle::wire
