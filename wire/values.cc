#include "wire/values.h"

#include <algorithm>
#include <cmath>

#include "yaml/limits.h"

namespace heddle::wire {
namespace {

constexpr double kMostCores = 1e9;
constexpr double kMostAmount = 9e18;
/// Largest amount of a counted resource: of one in each of the nodes that a cluster can have.
constexpr double kMostCounted = 1e12;
constexpr int kMostDevices = 1'000'000;
constexpr std::size_t kMostReads = 1'000'000;

bool is_size(const Json& json) {
  return json.is_number_integer() && json >= 0 && json <= kMaxBytes;
}

bool are_nodes(const Json& json) {
  return json.is_array() && json.size() <= kMaxNodes &&
         std::all_of(json.begin(), json.end(), is_size);
}

std::vector<NodeId> nodes_of(const Json& json) {
  std::vector<NodeId> nodes;
  for (const Json& node : json) nodes.push_back(NodeId{node.get<std::int64_t>()});
  return nodes;
}

void add(JsonText& json, const std::vector<NodeId>& nodes) {
  json.list(nodes, [&](NodeId node) { json.add(node.value); });
}

bool is_time(const Json& value) {
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMaxSeconds;
}

bool is_work(const Json& value) {
  return value.is_number() && value.get<double>() >= 0 && value.get<double>() <= kMaxCoreSeconds;
}

EmuTime time_of(const Json& value) { return emu_seconds(value.get<double>()); }

Thousandths thousandths(double amount) { return Thousandths(std::llround(amount * 1e3)); }

std::vector<double> four_numbers(const Fields& fields, const char* key) {
  std::vector<double> numbers;
  for (const Json& item : fields.array(key, 4)) {
    const double number = item.is_number() ? item.get<double>() : -1;
    if (!(number >= 0 && number <= kMostAmount)) break;
    numbers.push_back(number);
  }
  if (numbers.size() != 4) fields.bad(key, "four numbers, cores and bytes");
  return numbers;
}

}  // namespace

double rounded(double value) { return std::round(value * 1e6) / 1e6; }

Json rounded_or_null(const std::optional<double>& value) {
  return value ? Json(rounded(*value)) : Json();
}

Json percentile(std::vector<double> values, double p) {
  if (values.empty()) return nullptr;
  // A small number is subtracted, so that a rounding error does not increase the rank by 1.
  double rank = std::ceil(p * static_cast<double>(values.size()) - 1e-9);
  auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
  std::nth_element(values.begin(), at, values.end());
  return rounded(*at);
}

Json percentiles(const std::vector<double>& values) {
  return {{"p50", percentile(values, 0.5)},
          {"p99", percentile(values, 0.99)},
          {"max", percentile(values, 1)}};
}

EmuTime time_field(const Fields& fields, const char* key) {
  return emu_seconds(fields.number(key, -kMaxSeconds, kMaxSeconds));
}

void put(Json& json, const Resources& resources, const CountNames& counted) {
  each(resources, counted, [&](const std::string& name, auto amount) {
    if constexpr (std::is_same_v<decltype(amount), EmuBytes>)
      json[name] = amount.count();
    else
      json[name] = static_cast<double>(amount.count()) / 1e3;
  });
}

Json resources_json(const Resources& resources, const CountNames& counted) {
  Json json = Json::object();
  put(json, resources, counted);
  return json;
}

Resources resources_from(const Fields& fields, const CountNames& counted) {
  Resources resources;
  get(fields, "cores", resources.cores);
  resources.memory = EmuBytes(fields.integer("memory", 0, kMaxInteger));
  for (std::size_t i = 0; i < counted.size(); ++i)
    if (const char* name = counted[i].name.c_str(); fields.has(name))
      resources.counts.set(i, thousandths(fields.number(name, 0, kMostCounted)));
  return resources;
}

void add(JsonText& json, const Counts& counts) {
  std::size_t end = Counts::kMost;
  while (end > 0 && counts[end - 1] == Thousandths(0)) --end;
  json.open('[');
  for (std::size_t i = 0; i < end; ++i) json.add(counts[i]);
  json.close(']');
}

void add(JsonText& json, const DevicesOf<const Counts>& held) {
  std::size_t end = Counts::kMost;
  while (end > 0 && !held.counts.has_devices(end - 1)) --end;
  json.open('[');
  for (std::size_t i = 0; i < end; ++i)
    json.list(numbers_of(held.counts.devices(i)), [&](int number) { json.add(number); });
  json.close(']');
}

void get(const Fields& from, const char* key, const DevicesOf<Counts>& held) {
  std::size_t i = 0;
  for (const Json& numbers : from.array(key, Counts::kMost)) {
    const auto is_number = [](const Json& number) {
      return number.is_number_integer() && number >= 0 && number < kMostDevices;
    };
    if (!numbers.is_array() || !std::ranges::all_of(numbers, is_number))
      from.bad(key, "lists of numbers of devices");
    const std::int64_t total = held.counts[i].count();
    const auto each = std::min(total, kWholeDevice);
    Counts::Devices devices;
    for (const Json& number : numbers) {
      devices.resize(std::max(devices.size(), number.get<std::size_t>() + 1));
      devices[number.get<std::size_t>()] = static_cast<std::int32_t>(each);
    }
    Counts with = held.counts;
    if (!devices.empty()) with.set_devices(i, std::move(devices));
    if (with[i] != held.counts[i]) from.bad(key, "as many devices as the amount");
    held.counts = with;
    ++i;
  }
}

void get(const Fields& from, const char* key, Counts& counts) {
  std::size_t i = 0;
  for (const Json& amount : from.array(key, Counts::kMost)) {
    if (!amount.is_number() || !(amount.get<double>() >= 0 && amount.get<double>() <= kMostCounted))
      from.bad(key, "amounts of at least 0");
    counts.set(i++, thousandths(amount.get<double>()));
  }
}

void get(const Fields& from, const char* key, Millicores& cores) {
  cores = Millicores(std::llround(from.number(key, 0, kMostCores) * 1e3));
}

void add(JsonText& json, const std::vector<DataRead>& reads) {
  json.list(reads, [&](const DataRead& read) {
    json.open('[').add(read.object).add(read.offset).add(read.size);
    add(json, read.from);
    json.add(read.source).close(']');
  });
}

void get(const Fields& from, const char* key, std::vector<DataRead>& reads) {
  if (!from.has(key)) return;
  for (const Json& row : from.array(key, kMostReads)) {
    bool shape = row.is_array() && row.size() == 5 && row[0].is_number_unsigned() &&
                 is_size(row[1]) && is_size(row[2]) && are_nodes(row[3]) &&
                 row[4].is_number_integer() && row[4] >= -1 && row[4] < 100'000'000;
    if (!shape) from.bad(key, "rows of [object, offset, bytes, [nodes…], source]");
    reads.push_back({row[0].get<std::uint64_t>(), EmuBytes(row[1].get<std::int64_t>()),
                     EmuBytes(row[2].get<std::int64_t>()), nodes_of(row[3]), row[4].get<int>()});
  }
}

void add(JsonText& json, const std::vector<DataWrite>& writes) {
  json.list(writes, [&](const DataWrite& write) {
    json.open('[').add(write.object).add(write.size).add(write.kept);
    add(json, write.copies);
    json.close(']');
  });
}

void get(const Fields& from, const char* key, std::vector<DataWrite>& writes) {
  if (!from.has(key)) return;
  for (const Json& row : from.array(key, 16)) {
    bool shape = row.is_array() && row.size() == 4 && row[0].is_number_unsigned() &&
                 is_size(row[1]) && row[2].is_boolean() && are_nodes(row[3]);
    if (!shape) from.bad(key, "rows of [object, bytes, kept, [nodes…]]");
    writes.push_back({row[0].get<std::uint64_t>(), EmuBytes(row[1].get<std::int64_t>()),
                      row[2].get<bool>(), nodes_of(row[3])});
  }
}

void add(JsonText& json, const std::vector<MemoryPoint>& memory) {
  json.list(memory, [&](const MemoryPoint& point) { json.row(point.progress, point.use); });
}

void get(const Fields& from, const char* key, std::vector<MemoryPoint>& memory) {
  double last = 0;
  for (const Json& point : from.array(key, 1024)) {
    bool shape = point.is_array() && point.size() == 2 && point[0].is_number() &&
                 point[1].is_number_integer() && point[1].get<std::int64_t>() >= 0;
    if (!shape || !(point[0].get<double>() >= last && point[0].get<double>() <= 1))
      from.bad(key, "[progress, bytes] corners, progress from 0 to 1 and ascending");
    last = point[0].get<double>();
    memory.push_back({last, EmuBytes(point[1].get<std::int64_t>())});
  }
}

void add(JsonText& json, const std::vector<WorkPiece>& pieces) {
  json.list(pieces, [&](const WorkPiece& piece) { json.row(piece.cpu, piece.pause); });
}

void get(const Fields& from, const char* key, std::vector<WorkPiece>& pieces) {
  for (const Json& row : from.array(key, 1024)) {
    if (!row.is_array() || row.size() != 2 || !is_work(row[0]) || !is_time(row[1]))
      from.bad(key, "rows of [core-seconds, seconds of pause]");
    pieces.push_back({core_seconds(row[0].get<double>()), emu_seconds(row[1].get<double>())});
  }
}

bool pieces_agree(const TaskWork& work) {
  CoreTime cpu;
  for (const WorkPiece& piece : work.pieces) cpu += piece.cpu;
  return work.pieces.empty() || (cpu == work.cpu && work.sleep <= EmuTime(0) && work.pauses <= 0);
}

void add(JsonText& json, const NodeUse& use) {
  const auto& [containers, node] = use;
  json.row(containers.cores, containers.memory, node.cores, node.memory);
}

void get(const Fields& from, const char* key, NodeUse& use) {
  if (!from.has(key)) return;
  const std::vector<double> n = four_numbers(from, key);
  if (std::max(n[0], n[2]) > kMostCores) from.bad(key, "at most a thousand million cores");
  auto resources = [&](std::size_t at) {
    return Resources{Millicores(std::llround(n[at] * 1e3)), EmuBytes(std::llround(n[at + 1]))};
  };
  use = {resources(0), resources(2)};
}

void add(JsonText& json, const NodeEstimate& estimate) {
  const auto& [containers, node] = estimate;
  json.row(containers.cores, containers.memory, node.cores, node.memory);
}

void get(const Fields& from, const char* key, NodeEstimate& estimate) {
  const std::vector<double> n = four_numbers(from, key);
  estimate = {{n[0], n[1]}, {n[2], n[3]}};
}

void add(JsonText& json, const std::map<int, int>& samples) {
  json.open('[');
  for (const auto& [error, number] : samples) json.open('[').add(error).add(number).close(']');
  json.close(']');
}

void get(const Fields& from, const char* key, std::map<int, int>& samples) {
  constexpr std::size_t kMostErrors = 10'000;
  for (const Json& row : from.array(key, kMostErrors)) {
    const bool shape = row.is_array() && row.size() == 2 && row[0].is_number_integer() &&
                       row[1].is_number_integer() && row[0] >= 0 && row[0] <= kMaxMemoryError &&
                       row[1] > 0 && row[1] <= 1'000'000'000;
    if (!shape) from.bad(key, "rows of [error in thousandths, number of samples]");
    samples[row[0].get<int>()] = row[1].get<int>();
  }
}

void add(JsonText& json, const std::vector<double>& numbers) {
  json.list(numbers, [&](double number) { json.add(number); });
}

void get(const Fields& from, const char* key, std::vector<double>& numbers) {
  constexpr std::size_t kMostNumbers = 10'000;
  for (const Json& number : from.array(key, kMostNumbers)) {
    if (!number.is_number() || !(number >= 0 && number <= kMaxSeconds))
      from.bad(key, "a list of numbers of at least 0");
    numbers.push_back(number.get<double>());
  }
}

void add(JsonText& json, const std::vector<WorkTime>& times) {
  json.list(times, [&](const WorkTime& time) { json.row(time.ideal, time.took); });
}

void get(const Fields& from, const char* key, std::vector<WorkTime>& times) {
  for (const Json& row : from.array(key, kMaxTimes)) {
    if (!row.is_array() || row.size() != 2 || !is_time(row[0]) || !is_time(row[1]))
      from.bad(key, "rows of [ideal_s, took_s]");
    times.push_back({time_of(row[0]), time_of(row[1])});
  }
}

void add(JsonText& json, const std::vector<TransferTime>& times) {
  json.list(times, [&](const TransferTime& time) {
    json.open('[').add(time.write).add(time.size);
    add(json, time.nodes);
    json.add(time.begun).add(time.took).add(time.done).close(']');
  });
}

void get(const Fields& from, const char* key, std::vector<TransferTime>& times) {
  for (const Json& row : from.array(key, kMaxTimes)) {
    const bool shape = row.is_array() && row.size() == 6 && row[0].is_boolean() &&
                       is_size(row[1]) && are_nodes(row[2]) && is_time(row[3]) && is_time(row[4]) &&
                       row[5].is_boolean();
    if (!shape) from.bad(key, "rows of [write, bytes, [nodes…], begun_s, took_s, done]");
    times.push_back({row[0].get<bool>(), EmuBytes(row[1].get<std::int64_t>()), nodes_of(row[2]),
                     time_of(row[3]), time_of(row[4]), row[5].get<bool>()});
  }
}

void add(JsonText& json, const std::vector<ContainerUse>& containers) {
  json.list(containers, [&](const ContainerUse& use) {
    json.open('[').add(use.container.value).add(use.cpu).add(use.memory).add(use.progress);
    if (use.disk != EmuBytes(0) || use.network != EmuBytes(0)) json.add(use.disk).add(use.network);
    json.close(']');
  });
}

std::vector<ContainerUse> containers_from(const Fields& from, const char* key) {
  std::vector<ContainerUse> containers;
  const std::vector<Json>& rows = from.array(key, 1'000'000);
  containers.reserve(rows.size());
  for (const Json& row : rows) {
    bool shape = row.is_array() && (row.size() == 4 || row.size() == 6) &&
                 row[0].is_number_integer() && is_work(row[1]) && row[2].is_number_integer() &&
                 row[3].is_number();
    if (!shape || row[0].get<std::int64_t>() < 0 || row[2].get<std::int64_t>() < 0 ||
        !(row[3].get<double>() >= 0 && row[3].get<double>() <= 1) ||
        (row.size() == 6 && !(is_size(row[4]) && is_size(row[5]))))
      from.bad(key,
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
