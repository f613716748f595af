#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/scenario/scenario.h"
#include "trace/import/input.h"
#include "trace/import/report.h"

namespace heddle::trace {

/// Largest number of jobs that an import makes; scenarios with a table have the same limit.
inline constexpr std::size_t kMostImportedJobs = 1'000'000;
// Limits of scenarios.
inline constexpr std::size_t kLongestName = 64;
inline constexpr int kMostImportedNodes = 20'000;
inline constexpr double kMostSeconds = 3.6e7;  ///< 10 000 h, of a submission or of a task

/// Which jobs of a trace are imported, and what becomes of them.
struct ImportOptions {
  std::string name;                  ///< of the scenario; empty: made of the trace's or its file's
  std::optional<double> time_scale;  ///< real seconds per emulated second
  // The choice of jobs.
  std::optional<EmuTime> from, until;  ///< submissions, in the time of the trace; until is excluded
  std::optional<std::int64_t> jobs;    ///< only the first of the chosen jobs
  std::optional<double> sample;        ///< share of the jobs, drawn by their ids and `seed`
  std::uint64_t seed = 1;
  std::set<std::string> users, queues;  ///< as in the trace; empty: all
  // Changes to the chosen jobs.
  /// Whether the first submission becomes 0. Default: not for heddle-trace and batsim.
  std::optional<bool> shift;
  double arrival_scale = 1;      ///< of times between submissions
  std::optional<double> load;    ///< offered load that arrivals are scaled to, 1: the whole cluster
  double work_scale = 1;         ///< of the tasks' work, and of walltimes
  std::optional<int> max_tasks;  ///< of a phase
  // Values that the trace does not have.
  std::optional<int> nodes;             ///< number of nodes
  std::optional<Millicores> cores;      ///< of a node
  std::optional<EmuBytes> memory;       ///< of a node
  EmuBytes memory_per_core{1LL << 30};  ///< that tasks request if the trace does not say
  enum class Work { kSleep, kCpu };
  Work work = Work::kSleep;        ///< what tasks do if the trace has only their times
  EmuBytes block{128LL << 20};     ///< swim: data of a task
  double rate = 64.0 * (1 << 20);  ///< swim: bytes that a task processes per second
  std::optional<double> flops;     ///< batsim: operations per second of a host
};

/// A scenario that replays a trace, and sentences about what was left out. The limits of scenarios
/// are not checked yet, for example requests that fit no node or too many tasks. To check them,
/// write the scenario and read it again.
struct Imported {
  Scenario scenario;
  std::vector<std::string> warnings;
  std::vector<std::string> licence;  ///< lines of the trace about its licence and its source
};

class JobCollection;

/// A format of traces.
struct ImportFormat {
  std::string name, summary;
  std::string example;  ///< arguments of heddle import
  /// Returns whether the beginning of a file is of this format.
  bool (*recognises)(std::string_view head);
  /// Reads the trace. Jobs that are not added to `jobs` are in the result. The jobs have the times
  /// of the trace. Throws BadTrace or wire::BadField about the place that `files` have reached.
  Imported (*import)(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                     ImportReport& report);
};

/// The names of the known formats.
inline constexpr const char* kImportFormatNames[] = {"heddle-trace",
                                                     "swf",
                                                     "batsim",
                                                     "swim",
                                                     "sls",
                                                     "rumen",
                                                     "alibaba-2017",
                                                     "alibaba-2018",
                                                     "alibaba-gpu-2023",
                                                     "alibaba-gpu-2025",
                                                     "alibaba-spot-gpu-2026",
                                                     "google-2011",
                                                     "spark"};
/// Returns the known formats, in the order of their names.
const std::vector<ImportFormat>& import_formats();
/// Returns the format of that name. Error (kUsage): there is none; names the nearest one.
Result<const ImportFormat*> find_import_format(const std::string& name);
/// Returns the format of a file by its beginning. Error (kUsage): it is of none.
Result<const ImportFormat*> recognised_format(Input& file);

/// Reads a trace, chooses jobs and scales them, as the options say. Errors (kUsage) name the file
/// and the line.
Result<Imported> import_trace(const ImportFormat& format, std::vector<Input>& files,
                              const ImportOptions& options, ImportReport& report);

}  // namespace heddle::trace
