#include "master/run_files.h"

#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "common/directory.h"
#include "common/result_files.h"
#include "common/sync_names.h"

namespace heddle::master {
namespace {

namespace fs = std::filesystem;

/// Syncs the directories that have the names of the files, so that these names survive a power
/// failure, too.
Result<void> sync_directories(const std::string& out) {
  for (const fs::path& path : {fs::path(out), fs::absolute(out).lexically_normal().parent_path()}) {
    const Result<Directory> directory = Directory::open(path);
    if (!directory) return directory.error();
    HEDDLE_TRY(sync_names(*directory));
  }
  return {};
}

RunFiles files_of(Journal journal, Journal samples, const wire::LineChecksums& checksums,
                  Durability durability) {
  return {std::make_unique<Journal>(std::move(journal)),
          std::make_unique<Journal>(std::move(samples)), checksums, durability};
}

/// Reopens a file, or creates it if the previous master died before it had made it.
Result<Journal> reopen_or_create(const std::string& path, const TakeLine& take) {
  if (::access(path.c_str(), F_OK) < 0 && errno == ENOENT) return Journal::create(path);
  return Journal::reopen(path, take);
}

std::optional<EmuTime> time_of(const std::string& sample) {
  const wire::Json json = wire::parse_json(sample);
  if (!json.is_object()) return std::nullopt;
  const auto t = json.find("t");
  if (t == json.end() || !t->is_number()) return std::nullopt;
  return emu_seconds(t->get<double>());
}

}  // namespace

TakeLine take_journal(LiveRun& run, wire::LineChecksums& checksums) {
  return [&](const std::string& line) -> Result<bool> {
    using Verdict = wire::LineChecksums::Verdict;
    wire::LineChecksums with_line = checksums;
    std::string text = line;
    const Verdict verdict = with_line.check_and_strip(text);
    const wire::Json record = wire::parse_json(text);
    // A truncated line has no checksum. A changed line has a wrong checksum.
    if (!record.is_object() && verdict != Verdict::kWrong) return false;
    if (verdict == Verdict::kWrong || verdict == Verdict::kMissing)
      return aborted_error(wire::text_of(verdict));
    checksums = with_line;
    HEDDLE_TRY(run.recovery().take(record));
    return true;
  };
}

Result<bool> take_sample(const std::string& line) { return line.ends_with('}'); }

Result<RunFiles> RunFiles::create(const std::string& out, Durability durability) {
  Result<Journal> journal = Journal::create(journal_path(out));
  if (!journal) return std::move(journal).error();
  Result<Journal> samples = Journal::create(samples_path(out));
  if (!samples) return std::move(samples).error();
  HEDDLE_TRY(sync_directories(out));
  return files_of(*std::move(journal), *std::move(samples), {}, durability);
}

Result<RunFiles> RunFiles::reopen(const std::string& out, Durability durability, LiveRun& run,
                                  std::optional<EmuTime>& sampled) {
  wire::LineChecksums checksums;
  Result<Journal> journal = reopen_or_create(journal_path(out), take_journal(run, checksums));
  if (!journal) return std::move(journal).error();
  std::string last;
  Result<Journal> samples =
      reopen_or_create(samples_path(out), [&](const std::string& line) -> Result<bool> {
        last = line;
        return take_sample(line);
      });
  if (!samples) return std::move(samples).error();
  sampled = time_of(last);
  HEDDLE_TRY(sync_directories(out));
  return files_of(*std::move(journal), *std::move(samples), checksums, durability);
}

Result<void> RunFiles::write(const std::string& lines) {
  if (lines.empty()) return {};
  unsynced_ = true;
  return journal_->append(checksums_.add_checksums(lines));
}

Result<void> RunFiles::keep(const Effects& effects) {
  HEDDLE_TRY(write(effects.journal));
  HEDDLE_TRY(samples_->append(effects.samples));
  if (durability_ == Durability::kWrite || !unsynced_ || effects.send.empty()) return {};
  HEDDLE_TRY(journal_->sync());
  unsynced_ = false;
  return {};
}

Result<void> RunFiles::end(const std::string& line) {
  HEDDLE_TRY(samples_->sync());
  HEDDLE_TRY(write(line));
  return journal_->sync();
}

}  // namespace heddle::master
