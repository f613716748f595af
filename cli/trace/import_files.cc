#include "cli/trace/import_files.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/display/screen.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/slurm_fields.h"

namespace heddle::cli {
namespace {

constexpr double kLeastFactor = 1e-6, kMostFactor = 1e6;
/// A load of 80 is meant as 80 %.
constexpr double kMostLoad = 10;
constexpr double kMostFlops = 1e18;

/// Reads the text of an option with `parse`. Does nothing if the text is empty.
template <class T, class Out>
Result<void> read(const char* option, const std::string& text, Result<T> (*parse)(std::string_view),
                  Out& out) {
  if (text.empty()) return {};
  Result<T> value = parse(text);
  if (!value) return std::move(value).error().in(option);
  out = *value;
  return {};
}

Result<void> read_factor(const char* option, const std::string& text, double least, double most,
                         std::optional<double>& out) {
  HEDDLE_TRY(read(option, text, &parse_fraction, out));
  if (out && (*out < least || *out > most))
    return usage_error(std::string(option) + " " + text + ": expected " + print_fraction(least) +
                       " to " + print_fraction(most));
  return {};
}

/// Reads a time of a trace. It can also be a date and a time as in a log of Slurm,
/// "2026-01-05T10:00:00".
Result<EmuTime> parse_trace_time(std::string_view text) {
  const std::optional<double> date =
      text.find('T') == text.npos ? std::nullopt : trace::slurm::read_instant(text);
  return date && *date >= 0 ? emu_seconds(*date) : parse_instant(text);
}

Result<trace::ImportOptions::Walltime> parse_walltime(std::string_view text) {
  if (text == "exact") return trace::ImportOptions::Walltime{};
  if (text.starts_with("x")) {
    const std::optional<double> factor = read_number<double>(text.substr(1));
    if (factor && *factor >= 1 && *factor <= kMostFactor)
      return trace::ImportOptions::Walltime{std::nullopt, *factor};
  } else if (const Result<EmuTime> time = parse_duration(text); time && *time > EmuTime(0)) {
    return trace::ImportOptions::Walltime{*time};
  }
  return usage_error(
      "expected a time such as 2h, exact, or x and a factor of at least 1 such as "
      "x2, got \"" +
      std::string(text) + "\"");
}

Result<trace::ImportOptions> options_of(const ImportWords& words) {
  trace::ImportOptions options = words.options;
  if (!options.name.empty() && !valid_name(options.name))
    return usage_error("--name " + options.name +
                       ": expected at most 64 letters, digits, '.', '_' and '-'");
  if (options.flops && !(*options.flops >= 1 && *options.flops <= kMostFlops))
    return usage_error("--flops: expected operations per second of a host, 1 to 1e18");
  HEDDLE_TRY(read("--from", words.from, &parse_trace_time, options.from));
  HEDDLE_TRY(read("--until", words.until, &parse_trace_time, options.until));
  HEDDLE_TRY(read("--first-at", words.first_at, &parse_instant, options.first_at));
  if (options.first_at && words.no_shift)
    return usage_error(
        "--first-at and --no-shift: the first submission is set or kept; expected "
        "one of them");
  if (options.from && options.until && *options.until <= *options.from)
    return usage_error("--until " + words.until + ": expected a time after --from " + words.from);
  HEDDLE_TRY(read("--cores", words.cores, &parse_cores, options.cores));
  HEDDLE_TRY(read("--memory", words.memory, &parse_bytes, options.memory));
  HEDDLE_TRY(
      read("--memory-per-core", words.memory_per_core, &parse_bytes, options.memory_per_core));
  HEDDLE_TRY(read("--walltime", words.walltime, &parse_walltime, options.walltime));
  HEDDLE_TRY(read("--block", words.block, &parse_bytes, options.block));
  HEDDLE_TRY(read("--rate", words.rate, &parse_byte_rate, options.rate));
  for (const auto& [option, is_wrong] :
       {std::pair("--cores", options.cores && options.cores->count() <= 0),
        {"--memory", options.memory && options.memory->count() <= 0},
        {"--memory-per-core", options.memory_per_core.count() <= 0},
        {"--block", options.block.count() <= 0},
        {"--rate", options.rate <= 0}})
    if (is_wrong) return usage_error(std::string(option) + ": expected more than 0");
  std::optional<double> arrivals, work;
  HEDDLE_TRY(read_factor("--sample", words.sample, 0, 1, options.sample));
  HEDDLE_TRY(read_factor("--load", words.load, kLeastFactor, kMostLoad, options.load));
  HEDDLE_TRY(
      read_factor("--arrival-scale", words.arrival_scale, kLeastFactor, kMostFactor, arrivals));
  HEDDLE_TRY(read_factor("--work-scale", words.work_scale, kLeastFactor, kMostFactor, work));
  HEDDLE_TRY(read_factor("--time-scale", words.time_scale, kLeastTimeScale, kMostTimeScale,
                         options.time_scale));
  if (options.load && arrivals)
    return usage_error("--load and --arrival-scale: each scales arrivals; expected one of them");
  options.arrival_scale = arrivals.value_or(1);
  options.work_scale = work.value_or(1);
  if (words.work == "cpu") options.work = trace::ImportOptions::Work::kCpu;
  if (words.as == "tasks") options.spark_as = trace::ImportOptions::SparkAs::kTasks;
  if (words.no_shift) options.shift = false;
  if (const auto* by = std::ranges::find(trace::kQueueByWords, words.queue_by);
      by != std::end(trace::kQueueByWords))
    options.queue_by = static_cast<trace::QueueBy>(by - std::begin(trace::kQueueByWords));
  options.users.insert(words.users.begin(), words.users.end());
  options.queues.insert(words.queues.begin(), words.queues.end());
  return options;
}

bool is_format(const std::string& word) {
  return std::ranges::any_of(trace::import_formats(), [&](const trace::ImportFormat& format) {
    return format.name == word;
  });
}

/// Returns the files of a directory and of its directories, as logs of Spark are kept. Leaves out
/// hidden files, checksums (.crc) and Spark's marks of the status (appstatus_…), which are empty.
Result<std::vector<std::string>> files_below(const std::string& directory) {
  constexpr std::size_t kMostFiles = 100'000;
  constexpr int kMostDepth = 2;
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(directory, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename();
    if (at.depth() >= kMostDepth) at.disable_recursion_pending();
    if (name.starts_with('.') || name.starts_with("appstatus") || name.ends_with(".crc")) continue;
    if (at->is_regular_file(error) && !at->is_symlink(error)) files.push_back(at->path());
    if (files.size() > kMostFiles)
      return usage_error(directory + ": has more than " + std::to_string(kMostFiles) + " files");
  }
  if (error) return usage_error(directory + ": can't be read: " + error.message());
  if (files.empty()) return usage_error(directory + ": has no files; expected files of a trace");
  std::ranges::sort(files);
  return files;
}

struct TraceFiles {
  const trace::ImportFormat* format = nullptr;
  std::vector<trace::Input> files;
};

Result<TraceFiles> trace_files_of(const std::string& command, const ImportWords& words) {
  if (words.words.empty())
    return usage_error(command + ": expected a file (heddle import --list shows the formats)");
  TraceFiles source;
  std::vector<std::string> paths = words.words;
  std::error_code error;
  const bool names =
      is_format(paths[0]) || (paths.size() > 1 && !std::filesystem::exists(paths[0], error));
  if (names) {
    Result<const trace::ImportFormat*> format = trace::find_import_format(paths[0]);
    if (!format) return std::move(format).error();
    source.format = *format;
    paths.erase(paths.begin());
  }
  if (paths.empty()) return usage_error(command + " " + words.words[0] + ": expected a file");
  for (const std::string& path : paths) {
    std::vector<std::string> files = {path};
    if ((!source.format || source.format->name == "spark") &&
        std::filesystem::is_directory(path, error)) {
      Result<std::vector<std::string>> below = files_below(path);
      if (!below) return std::move(below).error();
      files = *std::move(below);
    }
    for (const std::string& each : files) {
      Result<trace::Input> file = trace::Input::open(each);
      if (!file) return std::move(file).error();
      source.files.push_back(*std::move(file));
    }
  }
  if (source.format) return source;
  // Files about the cluster, such as slurm.conf, can be before the log.
  Result<const trace::ImportFormat*> format = trace::recognised_format(source.files[0]);
  for (std::size_t i = 1; !format && i < source.files.size(); ++i)
    if (Result<const trace::ImportFormat*> other = trace::recognised_format(source.files[i]))
      format = other;
  if (!format) return std::move(format).error();
  source.format = *format;
  return source;
}

/// Shows on a terminal how much of a file was read.
class ReadingLine {
 public:
  ReadingLine() : shown_(can_draw_on(STDERR_FILENO)) {}
  ~ReadingLine() {
    if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
  }
  void show(const std::string& file, double share) {
    using namespace std::chrono_literals;
    const auto now = std::chrono::steady_clock::now();
    if (!shown_ || now < next_) return;
    next_ = now + 200ms;
    drawn_ = true;
    std::cerr << "\r\x1b[Kreading " << printable_line(file) << ": " << std::llround(share * 100)
              << " %" << std::flush;
  }

 private:
  const bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<trace::Imported> import_files(const std::string& command, const ImportWords& words,
                                     trace::ImportReport& report) {
  Result<trace::ImportOptions> options = options_of(words);
  if (!options) return std::move(options).error();
  Result<TraceFiles> source = trace_files_of(command, words);
  if (!source) return std::move(source).error();
  const std::string& format = source->format->name;
  if (options->flops && format != "batsim")
    return usage_error("--flops: only workloads of batsim count operations; expected no --flops");
  if (!words.as.empty() && format != "spark")
    return usage_error("--as: only logs of Spark have executors; expected no --as");
  for (const auto& [option, text] : {std::pair("--block", words.block), {"--rate", words.rate}})
    if (!text.empty() && format != "swim")
      return usage_error(std::string(option) + ": only traces of swim have nothing but bytes; " +
                         "expected no " + option);
  if (format == "heddle-trace")
    for (const auto& [option, text] : {std::pair("--cores", words.cores),
                                       {"--memory", words.memory},
                                       {"--memory-per-core", words.memory_per_core},
                                       {"--work", words.work}})
      if (!text.empty())
        return usage_error(std::string(option) +
                           ": a trace of heddle trace has its own nodes and tasks; expected no " +
                           option);
  if (words.words[0] != format)
    report.state("format: " + format + ", as the beginning of the file tells");
  ReadingLine line;
  for (trace::Input& file : source->files)
    file.on_progress([&line, name = file.name()](double share) { line.show(name, share); });
  Result<trace::Imported> imported =
      trace::import_trace(*source->format, source->files, *options, report);
  if (!imported || !words.policy) return imported;
  Result<PolicySpec> policy = parse_policy(*words.policy);
  if (!policy) return std::move(policy).error().in("--policy");
  imported->scenario.policy = *std::move(policy);
  return imported;
}

void say_lines(const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    say(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace heddle::cli
