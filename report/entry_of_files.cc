#include "report/entry_of_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <utility>

#include "common/result_files.h"
#include "common/zstd.h"
#include "report/disturbance.h"
#include "report/policy_label.h"
#include "wire/journal_lines.h"

namespace heddle::report {
namespace {

using wire::Json;

constexpr std::size_t kHead = 1 << 20, kTail = 1 << 16;  ///< bytes of a summary that are read
constexpr std::size_t kBatchFile = 64 << 20;             ///< bytes of a batch's file that are read

std::optional<struct stat> stat_of(const Directory& directory, const std::string& name) {
  struct stat info {};
  if (::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) return std::nullopt;
  return info;
}

bool has_file(const Directory& directory, const std::string& name) {
  const std::optional<struct stat> info = stat_of(directory, name);
  return info && S_ISREG(info->st_mode);
}

bool has_directory(const Directory& directory, const std::string& name) {
  const std::optional<struct stat> info = stat_of(directory, name);
  return info && S_ISDIR(info->st_mode);
}

/// Reads at most `most` bytes from `offset` on. Returns "" if the file cannot be read.
std::string bytes_of(const Directory& directory, const std::string& name, std::size_t most,
                     off_t offset = 0) {
  const Result<Fd> file = directory.open_file(name, O_RDONLY);
  std::string text;
  if (!file) return text;
  char part[1 << 16];
  while (text.size() < most) {
    const ssize_t size = ::pread(file->get(), part, std::min(sizeof part, most - text.size()),
                                 offset + static_cast<off_t>(text.size()));
    if (size <= 0) break;
    text.append(part, static_cast<std::size_t>(size));
  }
  return text;
}

std::string text_member(const Json& json, const char* key) {
  const auto value = json.find(key);
  return value != json.end() && value->is_string() ? value->get<std::string>() : "";
}

std::optional<double> number_member(const Json& json, const char* key) {
  const auto value = json.find(key);
  if (value == json.end() || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

Json object_of(std::string_view text) {
  Json json = wire::parse_json(text);
  return json.is_object() ? json : Json::object();
}

/// Returns the members of a summary before `jobs`, and those after it that an entry is made from.
/// The list of jobs can be long and is not read. Returns an empty object if the file is no summary.
Json summary_head(const Directory& directory) {
  const std::string text = bytes_of(directory, kSummaryFile, kHead);
  const std::size_t jobs = text.find(",\n  \"jobs\": ");
  if (jobs == std::string::npos) return text.size() < kHead ? object_of(text) : Json::object();
  Json head = object_of(text.substr(0, jobs) + "}");
  const std::optional<struct stat> info = stat_of(directory, kSummaryFile);
  const off_t tail_at = info ? std::max<off_t>(0, info->st_size - static_cast<off_t>(kTail)) : 0;
  const std::string tail = bytes_of(directory, kSummaryFile, kTail, tail_at);
  const std::size_t attempts = tail.find("\n  \"attempts_total\": ");
  if (attempts == std::string::npos) return head;
  const Json rest = object_of("{" + tail.substr(attempts));
  for (const char* key : {"overhead", "fidelity", "host_lost_s"})
    if (rest.contains(key)) head[key] = rest[key];
  return head;
}

/// Returns the members of a journal's first line before `jobs`, or an empty object.
Json journal_head(const Directory& directory) {
  std::string text;
  if (has_file(directory, kJournalFile)) {
    text = bytes_of(directory, kJournalFile, kHead);
  } else {
    const Result<Fd> file =
        directory.open_file(std::string(kJournalFile) + kCompressedSuffix, O_RDONLY);
    auto compressed = std::make_unique<std::filebuf>();
    if (!file || !compressed->open(proc_path_of(*file), std::ios::in | std::ios::binary))
      return Json::object();
    ZstdReader reader(std::move(compressed));
    std::istream in(&reader);
    text.resize(kHead);
    in.read(text.data(), static_cast<std::streamsize>(kHead));
    text.resize(static_cast<std::size_t>(in.gcount()));
  }
  const std::size_t end = std::min(text.find(",\"jobs\":["), text.find(",\"crc\":"));
  const std::size_t line = text.find('\n');
  Json head = object_of(text.substr(0, std::min(end, line)) + (end < line ? "}" : ""));
  return text_member(head, "type") == "run" ? head : Json::object();
}

ResultState state_from(const std::string& status) {
  for (const ResultState state :
       {ResultState::kDone, ResultState::kFailed, ResultState::kInterrupted})
    if (name_of(state) == status) return state;
  return ResultState::kAborted;  // also a run that was killed, whose journal has no end
}

/// Sets when the file was written. Returns false if there is no such file.
bool take_time(const Directory& directory, const std::string& name, ResultEntry& entry) {
  const std::optional<struct stat> info = stat_of(directory, name);
  if (!info || !S_ISREG(info->st_mode)) return false;
  entry.written_s = info->st_mtim.tv_sec;
  return true;
}

ResultEntry run_entry(const Directory& directory) {
  ResultEntry entry;
  const bool has_summary = take_time(directory, kSummaryFile, entry);
  Json head = has_summary ? summary_head(directory) : journal_head(directory);
  if (has_summary && !text_member(head, "heddle_version").empty()) {
    entry.state = state_from(text_member(head, "status"));
    entry.makespan_s = number_member(head, "makespan_s");
    if (const auto disturbance = disturbance_of(head))
      entry.disturbance = name_of(word_of(*disturbance));
    if (const auto overhead = head.find("overhead");
        overhead != head.end() && overhead->is_object())
      entry.real_s = number_member(*overhead, "wall_s");
  } else if (!has_summary) {
    for (const std::string& name :
         {std::string(kScenarioFile), std::string(kJournalFile) + kCompressedSuffix,
          std::string(kJournalFile)})
      take_time(directory, name, entry);
    const bool began =
        !head.empty() || (!has_file(directory, kJournalFile) &&
                          !has_file(directory, std::string(kJournalFile) + kCompressedSuffix));
    entry.state = began ? ResultState::kAborted : ResultState::kDamaged;
  }
  entry.scenario = text_member(head, "scenario");
  entry.mode = text_member(head, "mode");
  if (const auto policy = head.find("policy"); policy != head.end())
    entry.policies = {policy_label(*policy)};
  return entry;
}

/// Returns the members of a batch's file before its lists of runs and metrics, which can be long.
Json batch_head(const std::string& text) {
  const std::size_t end = std::min(text.find(",\n \"policies\": "), text.find(",\n \"over\": "));
  return object_of(end == std::string::npos ? text : text.substr(0, end) + "}");
}

ResultEntry batch_entry(const Directory& directory, ResultKind kind) {
  ResultEntry entry;
  entry.kind = kind;
  const std::string name = std::string(name_of(kind)) + ".json";
  take_time(directory, name, entry);
  const std::string text = bytes_of(directory, name, kBatchFile);
  const Json head = batch_head(text);
  if (text_member(head, "kind") != name_of(kind) || !text.ends_with("}\n")) return entry;
  entry.scenario = text_member(head, "scenario");
  entry.mode = text_member(head, "mode");
  entry.real_s = number_member(head, "wall_s");
  if (const auto variants = head.find("variants"); variants != head.end() && variants->is_array())
    for (const Json& variant : *variants)
      if (variant.is_string()) entry.policies.push_back(variant.get<std::string>());
  // A quotation mark inside a text of JSON is escaped, so these can only be keys with their values.
  const auto has_run = [&](const char* status) {
    return text.find(std::string("\"status\": ") + status) != std::string::npos;
  };
  entry.state = has_run("null")         ? ResultState::kInterrupted
                : has_run("\"failed\"") ? ResultState::kFailed
                                        : ResultState::kDone;
  if (text.find("\"disturbed\": true") != std::string::npos)
    entry.disturbance = name_of(DisturbanceWord::kAffected);
  return entry;
}

/// Returns the state of a result whose parts have these states.
ResultState worse(ResultState a, ResultState b) {
  // From the best to the worst.
  constexpr ResultState kOrder[] = {ResultState::kDone,    ResultState::kFailed,
                                    ResultState::kAborted, ResultState::kInterrupted,
                                    ResultState::kDamaged, ResultState::kRunning};
  const auto place = [&](ResultState state) { return std::ranges::find(kOrder, state); };
  return std::max(place(a), place(b)) == place(a) ? a : b;
}

bool is_run(const Directory& directory) {
  return has_file(directory, kScenarioFile) &&
         (has_file(directory, kSummaryFile) || has_file(directory, kJournalFile) ||
          has_file(directory, kCompressedJournalFile) || has_directory(directory, "logs"));
}

/// An experiment has a directory with a comparison for each mode and setting. At its end, it has
/// claims.md.
std::optional<ResultEntry> experiment_entry(const Directory& directory, const IsLiving& lives) {
  const Result<std::vector<std::string>> names = directory.names();
  std::optional<ResultEntry> whole;
  if (!names) return whole;
  for (const std::string& name : *names) {
    if (!name.starts_with("simulated") && !name.starts_with("real")) continue;
    const Result<Directory> below = directory.enter(name);
    if (!below || !has_file(*below, kComparisonFile)) continue;
    if (!has_file(directory, kClaimsFile) &&
        !batch_head(bytes_of(*below, kComparisonFile, kBatchFile)).contains("experiment"))
      continue;
    ResultEntry part = batch_entry(*below, ResultKind::kCompare);
    if (lives(*below)) part.state = ResultState::kRunning;
    if (!whole) {
      whole = std::move(part);
      whole->kind = ResultKind::kExperiment;
      continue;
    }
    whole->state = worse(whole->state, part.state);
    whole->written_s = std::max(whole->written_s, part.written_s);
    if (part.mode != whole->mode) whole->mode = "both";
    if (part.real_s) whole->real_s = whole->real_s.value_or(0) + *part.real_s;
  }
  return whole;
}

}  // namespace

std::optional<ResultEntry> entry_of_files(const Directory& directory, const IsLiving& lives) {
  if (has_file(directory, kComparisonFile)) return batch_entry(directory, ResultKind::kCompare);
  if (has_file(directory, kSweepFile)) return batch_entry(directory, ResultKind::kSweep);
  if (is_run(directory)) return run_entry(directory);
  return experiment_entry(directory, lives);
}

bool files_prove(const Directory& directory, ResultKind kind) {
  if (kind == ResultKind::kRun)
    return !text_member(summary_head(directory), "heddle_version").empty() ||
           !text_member(journal_head(directory), "heddle_version").empty();
  const std::optional<ResultEntry> entry =
      kind == ResultKind::kExperiment ? entry_of_files(directory, [](const auto&) { return false; })
                                      : batch_entry(directory, kind);
  return entry && entry->state != ResultState::kDamaged;
}

}  // namespace heddle::report
