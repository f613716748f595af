#include "report/container_index.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "common/directory.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/zstd.h"
#include "report/journal_reader.h"
#include "wire/values.h"

namespace heddle::report {
namespace {

using wire::BadField;
using wire::Json;

/// Beginning of the file. After it come the entries, then the other rows as JSON, and then a
/// Footer.
constexpr std::string_view kMagic = "heddle index 1\n";
struct Footer {
  std::uint64_t count;
  std::uint64_t json_bytes;
};

constexpr std::size_t kBuffer = 1 << 20;
constexpr std::size_t kMostContainers = 100'000'000;
constexpr std::uint64_t kMostMicroseconds = 1'000'000'000'000'000;
/// Longest summary, and longest part of an index that has no containers.
constexpr std::size_t kMostSummary = 512 << 20, kMostRest = 64 << 20;

Json span_json(const Span& span) {
  return {span.from.count(), span.until ? Json(span.until->count()) : Json()};
}
Span span_from(const Json& json) {
  return {
      EmuTime(json.at(0).get<std::int64_t>()),
      json.at(1).is_null() ? std::nullopt : std::optional(EmuTime(json.at(1).get<std::int64_t>()))};
}

Json rows_json(const RunRows& rows) {
  Json nodes = Json::array(), reservations = Json::array(), faults = Json::array(),
       resumptions = Json::array();
  for (const NodeRow& row : rows.nodes)
    nodes.push_back({row.at.count(), row.node.value, row.event, row.reason, row.load.cores.count(),
                     row.load.memory.count()});
  for (const ReservationRow& row : rows.reservations)
    reservations.push_back(
        {row.phase.job.value, row.phase.phase, row.node.value, span_json(row.span), row.moved});
  for (const FaultRow& row : rows.faults)
    faults.push_back({row.number, static_cast<int>(row.kind),
                      row.node ? Json(row.node->value) : Json(), span_json(row.span)});
  for (const ResumptionRow& row : rows.resumptions)
    resumptions.push_back({row.at.count(), row.downtime_s});
  return {{"nodes", std::move(nodes)},
          {"reservations", std::move(reservations)},
          {"faults", std::move(faults)},
          {"resumptions", std::move(resumptions)}};
}

/// Returns a number from an index after a check, so that a damaged index names no missing thing.
int index_from(const Json& json, std::size_t count) {
  const auto value = json.get<std::int64_t>();
  if (value < 0 || value >= static_cast<std::int64_t>(count)) throw BadField{"is damaged"};
  return static_cast<int>(value);
}

void take_rows(const Json& json, RunHistory& history) {
  const std::size_t nodes = history.scenario.cluster.nodes.size();
  const auto phase_from = [&](const Json& job, const Json& phase) {
    const JobId id{index_from(job, history.scenario.jobs.size())};
    return PhaseId{id, index_from(phase, history.job(id).phases.size())};
  };
  for (const Json& row : json.at("nodes"))
    history.nodes.push_back(
        {EmuTime(row.at(0).get<std::int64_t>()),
         NodeId{index_from(row.at(1), nodes)},
         row.at(2).get<std::string>(),
         row.at(3).get<std::string>(),
         {Millicores(row.at(4).get<std::int64_t>()), EmuBytes(row.at(5).get<std::int64_t>())}});
  for (const Json& row : json.at("reservations"))
    history.reservations.push_back({phase_from(row.at(0), row.at(1)),
                                    NodeId{index_from(row.at(2), nodes)}, span_from(row.at(3)),
                                    row.at(4).get<bool>()});
  std::ranges::sort(history.reservations, [](const ReservationRow& a, const ReservationRow& b) {
    return std::tie(a.span.from, a.node) < std::tie(b.span.from, b.node);
  });
  for (const Json& row : json.at("faults")) {
    FaultRow fault{index_from(row.at(0), history.scenario.faults.size()), {}, {}, {}};
    fault.kind = history.scenario.faults[static_cast<std::size_t>(fault.number)].kind;
    if (!row.at(2).is_null()) fault.node = NodeId{index_from(row.at(2), nodes)};
    fault.span = span_from(row.at(3));
    history.faults.push_back(fault);
  }
  for (const Json& row : json.at("resumptions"))
    history.resumptions.push_back(
        {EmuTime(row.at(0).get<std::int64_t>()), row.at(1).get<double>()});
}

/// Returns the size of the journal that an index must belong to.
std::int64_t journal_bytes(const std::string& dir) {
  struct stat status {};
  return ::stat(journal_of(dir).c_str(), &status) == 0 ? status.st_size : -1;
}

/// Returns whether an entry names only what the scenario has. Someone else can have written the
/// index.
bool fits(const IndexedContainer& entry, const Scenario& scenario) {
  return entry.node < scenario.cluster.nodes.size() && entry.job < scenario.jobs.size() &&
         entry.phase < scenario.jobs[entry.job].phases.size() &&
         microseconds(entry.allocated) <= kMostMicroseconds &&
         (microseconds(entry.ended) == UINT64_MAX ||
          microseconds(entry.ended) <= kMostMicroseconds);
}

/// Reads the contents of an index file into the history. Returns false if the index belongs to
/// another journal.
bool take_index(std::string_view text, const std::string& dir, RunHistory& history) {
  Footer footer{};
  if (!text.starts_with(kMagic) || text.size() < kMagic.size() + sizeof footer)
    throw BadField{"is no index of this version"};
  std::memcpy(&footer, text.data() + text.size() - sizeof footer, sizeof footer);
  text = text.substr(kMagic.size(), text.size() - kMagic.size() - sizeof footer);
  if (footer.json_bytes > text.size() ||
      footer.count != (text.size() - footer.json_bytes) / sizeof(IndexedContainer) ||
      (text.size() - footer.json_bytes) % sizeof(IndexedContainer) != 0)
    throw BadField{"is damaged"};
  const Json json = wire::parse_json(std::string(text.substr(text.size() - footer.json_bytes)));
  if (!json.is_object()) throw BadField{"is damaged"};
  if (json.at("journal_bytes") != journal_bytes(dir)) return false;
  history.cut = json.at("cut").get<bool>();
  history.end = EmuTime(json.at("end").get<std::int64_t>());
  history.indexed_states = json.value("states", Json());  // the version before wrote none
  if (!history.indexed_states.is_null() && !history.indexed_states.is_object())
    throw BadField{"is damaged"};
  take_rows(json, history);
  std::vector<IndexedContainer>& entries = history.indexed;
  entries.reserve(footer.count);
  for (; entries.size() < footer.count; text.remove_prefix(sizeof(IndexedContainer))) {
    IndexedContainer entry;
    std::memcpy(&entry, text.data(), sizeof entry);
    if (!fits(entry, history.scenario)) throw BadField{"is damaged"};
    entries.push_back(entry);
  }
  std::ranges::sort(entries, {}, &IndexedContainer::container);
  const auto container_of = [&](const Json& row) {
    const auto container = row.at(0).get<std::int64_t>();
    if (!std::ranges::binary_search(entries, container, {}, &IndexedContainer::container))
      throw BadField{"is damaged"};
    return ContainerId{container};
  };
  for (const Json& row : json.at("suspended"))
    history.suspended[container_of(row)].push_back(span_from(row.at(1)));
  for (const Json& row : json.value("kept", Json::array())) {  // the version before wrote none
    std::optional<EmuTime>& released = history.kept[container_of(row)];
    if (!row.at(1).is_null()) released = EmuTime(row.at(1).get<std::int64_t>());
  }
  return true;
}

/// Reads a compressed file that usually has `usual` bytes. Error (kAborted): the file is damaged or
/// has more than `most` bytes.
Result<std::string> contents_of(const std::string& path, std::size_t usual, std::size_t most) {
  const Result<std::unique_ptr<std::istream>> file = text_of(path);
  if (!file) return file.error();
  std::string text;
  text.reserve(usual + kBuffer);
  while (**file) {
    const std::size_t size = text.size();
    text.resize(size + kBuffer);
    (*file)->read(text.data() + size, kBuffer);
    text.resize(size + static_cast<std::size_t>((*file)->gcount()));
    if ((*file)->bad() || text.size() > most) return aborted_error(path + ": is damaged");
  }
  return text;
}

/// Writes the text of an index to a file, compressed.
class IndexText {
 public:
  IndexText(int file, std::string path) : file_(file), path_(std::move(path)), buffer_(kMagic) {}

  void add(std::span<const AttemptRow> rows) {
    for (const AttemptRow& row : rows) {
      const IndexedContainer entry = indexed(row);
      buffer_.append(reinterpret_cast<const char*>(&entry), sizeof entry);
      ++count_;
      for (const Span& span : row.suspended)
        suspended_.push_back({row.container.value, span_json(span)});
      if (row.kept)
        kept_.push_back({row.container.value, row.released ? Json(row.released->count()) : Json()});
      if (buffer_.size() >= kBuffer) flush();
    }
  }

  /// Adds everything else that belongs to the index.
  Result<void> finish(const RunHistory& history, std::int64_t journal_bytes) {
    Json json = rows_json(history);
    json["journal_bytes"] = journal_bytes;
    json["end"] = history.end.count();
    json["cut"] = history.cut;
    json["suspended"] = std::move(suspended_);
    json["kept"] = std::move(kept_);
    json["states"] = history.state_series.json();
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    const Footer footer{count_, text.size()};
    buffer_ += text;
    buffer_.append(reinterpret_cast<const char*>(&footer), sizeof footer);
    flush();
    write(compress_.finish());
    return written_;
  }

 private:
  void write(std::string_view compressed) {
    if (written_) written_ = write_all(file_, compressed, path_);
  }
  void flush() {
    write(compress_.add(buffer_));
    buffer_.clear();
  }

  int file_;
  std::string path_;
  ZstdWriter compress_;
  std::string buffer_;  ///< not compressed yet
  std::uint64_t count_ = 0;
  Json suspended_ = Json::array(), kept_ = Json::array();
  Result<void> written_;
};

}  // namespace

Result<void> write_index(const RunHistory& history, const std::string& dir) {
  Result<Directory> opened = Directory::open(dir);
  if (!opened) return std::move(opened).error();
  Result<Directory::Temporary> file = opened->create_for(kIndexFile);
  if (!file) return std::move(file).error();
  IndexText text(file->file.get(), dir + '/' + kIndexFile);
  text.add(history.attempts);
  Result<void> written = text.finish(history, journal_bytes(dir));
  if (written) written = opened->put(*file, kIndexFile);
  if (!written) opened->discard(*file);
  return written;
}

Result<std::optional<RunHistory>> read_indexed_history(const std::string& dir, Scenario scenario) {
  const std::string path = dir + '/' + kIndexFile;
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::optional<RunHistory>();
  const Result<std::string> summary = read_found_file(summary_path(dir), kMostSummary);
  if (!summary) return summary.error();
  RunHistory history;
  history.scenario = std::move(scenario);
  history.keep_decisions = false;
  history.summary = wire::parse_json(*summary);
  if (!history.summary.is_object() || !history.summary.contains("policy"))
    return aborted_error(summary_path(dir) + ": is damaged");
  // Application masters are not among the attempts of tasks.
  const std::size_t attempts =
      std::min(history.summary.value("attempts_total", std::size_t{0}), kMostContainers);
  const std::size_t usual = sizeof(IndexedContainer) * attempts;
  // The summary can be someone else's, so a small file gets little memory whatever it claims.
  constexpr std::size_t kUsualRatio = 4;
  const std::size_t room = kUsualRatio * static_cast<std::size_t>(status.st_size);
  Result<std::string> text = contents_of(path, std::min(usual, room), 2 * usual + kMostRest);
  if (!text) return std::move(text).error();
  try {
    if (!take_index(*text, dir, history)) return std::optional<RunHistory>();
  } catch (const BadField& bad) {
    return aborted_error(path + ": " + bad.text);
  } catch (const Json::exception& wrong) {
    return aborted_error(path + ": is damaged");
  }
  return std::optional(std::move(history));
}

}  // namespace heddle::report
