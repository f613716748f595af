#include "cli/results/results.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <utility>

#include "cli/base/exit_status.h"
#include "cli/results/variant_directory.h"
#include "common/fd.h"
#include "common/file.h"
#include "common/line.h"
#include "common/result_files.h"
#include "common/sync_names.h"
#include "common/text.h"
#include "core/policy/own_options.h"
#include "report/journal_reader.h"
#include "report/manifest.h"
#include "report/summary.h"
#include "report/table.h"
#include "wire/journal_lines.h"
#include "wire/line_checksums.h"
#include "workloads/scenario_file.h"
#include "yaml/write.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

/// Maximum number of results of one scenario and policy that begin in the same second.
constexpr int kMostNumbered = 1000;

/// Above this number of tasks, a scenario is large.
constexpr std::int64_t kManyTasks = 20'000;

Error cannot_make(const std::string& path, const Error& why) {
  return machine_error("make directory " + path + ": " + why.text +
                       "; give another directory with --out");
}

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Says why a path without a scenario.yaml is not the directory of a run.
std::string no_run_in(const std::string& dir) {
  std::error_code error;
  if (!fs::exists(dir, error)) return "no such file or directory";
  if (!fs::is_directory(dir, error)) return "it is a file";
  std::vector<std::string> runs;
  for (const fs::directory_entry& entry : fs::directory_iterator(dir, error))
    if (is_file(entry.path() / kScenarioFile)) runs.push_back(entry.path().string());
  if (runs.empty()) return "there is no scenario.yaml in it";
  return "the runs are below it; expected one of them, such as " + *std::ranges::min_element(runs);
}

}  // namespace

std::string local_time() {
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

std::string default_out(const Scenario& scenario, const std::string& time) {
  return "results/" + scenario.name + "-" + directory_of(policy_label(scenario.policy)) + "-" +
         time;
}

Result<void> check_out(const std::string& out) {
  std::error_code error;
  if (!fs::exists(out, error)) return {};
  if (!fs::is_directory(out, error)) return usage_error("--out " + out + ": not a directory");
  if (!fs::is_empty(out, error) && !error)
    return usage_error("--out " + out +
                       ": the directory is not empty; results are never overwritten");
  return {};
}

Result<std::string> usable_out(const std::string& asked, const Scenario& scenario) {
  if (asked.empty()) return default_out(scenario, local_time());
  HEDDLE_TRY(check_out(asked));
  return asked;
}

Result<void> check_new(const std::string& option, const std::string& file) {
  std::error_code error;
  if (!fs::exists(file, error)) return {};
  return usage_error(option + " " + file + ": exists already; files are never overwritten");
}

Result<Directory> make_directory(const std::string& path) {
  Result<Directory> made = Directory::make(path);
  if (!made) return cannot_make(path, made.error());
  return made;
}

Result<std::string> claim_out(const std::string& out, bool chosen) {
  std::string first = out;
  while (first.size() > 1 && first.ends_with('/')) first.pop_back();
  const PathParts parts = parts_of(first);
  Result<Directory> parent = Directory::make(parts.directory);
  if (!parent) return cannot_make(first, parent.error());
  for (int number = 1; number <= kMostNumbered; ++number) {
    const std::string suffix = number == 1 ? "" : "-" + std::to_string(number);
    const std::string path = first + suffix;
    Result<Directory> made = parent->make_new(parts.name + suffix);
    if (made) {
      HEDDLE_TRY(sync_names(*parent));
      return path;
    }
    if (made.error().code != EEXIST) return cannot_make(path, made.error());
    if (chosen) continue;
    HEDDLE_TRY(check_out(path));
    return path;
  }
  return usage_error("--out " + out + ": is taken, and so are all names up to " + out + "-" +
                     std::to_string(kMostNumbered) + "; give another directory with --out");
}

Result<Fd> lock_out(const std::string& out) {
  Result<Directory> directory = Directory::open(out);
  if (!directory) return std::move(directory).error();
  Result<std::optional<Fd>> lock = lock_directory(*directory);
  if (!lock) return std::move(lock).error();
  if (!*lock)
    return usage_error(out +
                       ": another heddle is using it; expected another directory, or wait "
                       "until that one has ended");
  return **std::move(lock);
}

Result<void> make_out(const std::string& out, const Scenario& scenario, const std::string& mode) {
  Result<Directory> directory = Directory::open(out);
  if (!directory) return std::move(directory).error();
  if (Result<Directory> logs = directory->make_new("logs"); !logs) {
    if (logs.error().code != EEXIST) return cannot_make(out + "/logs", logs.error());
    return usage_error("--out " + out +
                       ": another run has begun in it; results are never overwritten");
  }
  HEDDLE_TRY(replace_file(scenario_path(out), write_scenario(scenario)));
  return report::begin_manifest(out, scenario, mode);
}

Result<void> append_record(const std::string& journal, const wire::Json& record) {
  Result<Fd> fd = open_file(journal, O_RDWR | O_APPEND);
  if (!fd) return std::move(fd).error();
  std::ifstream in(proc_path_of(*fd), std::ios::binary);
  wire::LineChecksums checksums;
  bool cut = false;
  for (std::string line;;) {
    const LineRead read = read_line(in, line);
    if (read == LineRead::kTooLong) return aborted_error(journal + ": a line is too long");
    if (read == LineRead::kEnd) break;
    cut = in.eof();
    (void)checksums.check_and_strip(line);  // the reader of the journal reports errors
  }
  if (in.bad()) return system_error("read " + journal, EIO);
  HEDDLE_TRY(write_all(fd->get(), (cut ? "\n" : "") + checksums.add_checksums(record.dump() + "\n"),
                       journal));
  if (::fsync(fd->get()) < 0) return system_error("sync " + journal, errno);
  return {};
}

bool is_large(const Scenario& scenario) {
  std::int64_t tasks = 0;
  for (const JobSpec& job : scenario.jobs) tasks += job.task_count();
  return tasks > kManyTasks;
}

void print_summary(const wire::Json& summary, const std::string& out, bool json) {
  if (json) {
    std::cout << summary.dump(2) << std::endl;
    return;
  }
  std::cout << report::format_summary(summary) << "\nresults: " << out << std::endl;
  const wire::Json status = summary.value("status", wire::Json());
  if (summary.at("mode") == "real" && (status == "interrupted" || status == "aborted"))
    std::cout << "to continue: heddle resume " << out << std::endl;
}

std::vector<std::string> say_doubts(const std::string& dir, const std::vector<std::string>& names) {
  const Result<Directory> directory = Directory::open(dir);
  if (!directory || is_locked(*directory)) return {};
  std::vector<std::string> doubts = report::doubts(*directory, names);
  for (const std::string& doubt : doubts) say(dir + ": unverified: " + doubt);
  return doubts;
}

std::string say_contradiction(const std::string& dir, const wire::Json& of_journal) {
  const Result<std::string> text = read_found_file(summary_path(dir), kMostResultBytes);
  if (!text) return "";
  std::string contradiction = report::contradiction(of_journal, wire::parse_json(*text));
  if (!contradiction.empty()) say(dir + ": unverified: " + contradiction);
  return contradiction;
}

Result<Scenario> unchecked_scenario_of(const std::string& dir) {
  const std::string scenario = scenario_path(dir);
  if (!is_file(scenario))
    return usage_error(dir + ": not a result directory (" + no_run_in(dir) + ")");
  if (!is_file(journal_of(dir)))
    return usage_error(
        dir +
        (is_file(summary_path(dir))
             ? ": the journal of this simulation was not kept; heddle simulate " + scenario +
                   " makes it again"
             : ": not a result directory (there is no " + std::string(kJournalFile) + " in it)"));
  Result<CheckedScenario> checked = workloads::read_scenario(scenario);
  if (!checked) return std::move(checked).error();
  // Whoever reads the journal tells what is wrong with it.
  if (Result<report::JournalReader> journal = report::JournalReader::open(journal_of(dir)))
    if (const Result<std::optional<wire::Json>> run = journal->next(); run && *run)
      wire::take_recorded(checked->scenario.policy, (*run)->value("policy", wire::Json()));
  return std::move(checked->scenario);
}

Result<Scenario> scenario_of(const std::string& dir, const std::vector<std::string>& also_read) {
  Result<Scenario> scenario = unchecked_scenario_of(dir);
  if (!is_file(scenario_path(dir)) || !is_file(journal_of(dir))) return scenario;
  std::vector<std::string> read = {kScenarioFile, parts_of(journal_of(dir)).name, kSummaryFile};
  read.insert(read.end(), also_read.begin(), also_read.end());
  (void)say_doubts(dir, read);
  return scenario;
}

}  // namespace heddle::cli
