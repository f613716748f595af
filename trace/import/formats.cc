#include "trace/import/formats.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "common/text.h"
#include "core/scenario/drop_jobs.h"
#include "trace/import/collection.h"
#include "trace/import/scaling.h"

namespace heddle::trace {
namespace {

/// Removes the jobs that the options do not choose, for formats that do not use JobCollection.
void choose(std::vector<JobSpec>& jobs, JobCollection& collection, const ImportOptions& options) {
  drop_jobs(jobs, [&](const JobSpec& job) {
    return !collection.takes(job.name, job.submit, job.user, job.queue);
  });
  if (!options.jobs || std::ssize(jobs) <= *options.jobs) return;
  std::vector<std::size_t> order(jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return jobs[i].submit; });
  std::vector<bool> first(jobs.size());
  for (std::int64_t i = 0; i < *options.jobs; ++i) first[order[i]] = true;
  drop_jobs(jobs, [&, i = std::size_t{0}](const JobSpec&) mutable { return !first[i++]; });
}

/// Returns the names of the jobs' queues.
std::vector<std::string> queues_of(const std::vector<JobSpec>& jobs) {
  std::set<std::string> names;
  for (const JobSpec& job : jobs) names.insert(job.queue);
  return {names.begin(), names.end()};
}

/// Adds the queues of these names that are missing. All get equal parts of the cluster. Leaves
/// "default" out if no job is in it.
void add_queues(const std::vector<std::string>& names, Scenario& scenario) {
  for (const std::string& name : names)
    if (!scenario.queue(name)) scenario.queues.emplace_back().name = name;
  if (std::ranges::find(names, "default") == names.end() && !names.empty())
    std::erase_if(scenario.queues, [](const QueueSpec& queue) { return queue.name == "default"; });
  for (QueueSpec& queue : scenario.queues)
    queue.capacity = 1.0 / static_cast<double>(scenario.queues.size());
}

/// Refuses a column for queues that the format does not have. Names the formats that have it.
Result<void> check_queue_by(const ImportFormat& format, std::optional<QueueBy> by) {
  if (!by || format.columns.has(*by)) return {};
  const std::string word(kQueueByWords[static_cast<std::size_t>(*by)]);
  std::vector<std::string> others;
  for (const ImportFormat& other : import_formats())
    if (other.columns.has(*by)) others.push_back(other.name);
  return usage_error("--queue-by " + word + ": traces of " + format.name + " have no " + word +
                     "s; these formats have: " + join(others));
}

/// Returns the options that choose jobs, as the user gave them: "--from, --users".
std::string choice_of(const ImportOptions& options) {
  std::vector<std::string> given;
  if (options.from) given.emplace_back("--from");
  if (options.until) given.emplace_back("--until");
  if (options.sample) given.emplace_back("--sample");
  if (!options.users.empty()) given.emplace_back("--users");
  if (!options.queues.empty()) given.emplace_back("--queues");
  return join(given);
}

/// Throws BadTrace if --from is meant as a time from the first submission on, but the times of the
/// trace are seconds since 1970: those of logs since 1973.
void check_from(const ImportOptions& options, const JobCollection& collection) {
  constexpr EmuTime kLeastEpoch = emu_seconds(1e8);
  if (options.from && collection.first() && *options.from < kLeastEpoch &&
      *collection.first() >= kLeastEpoch)
    throw BadTrace{"--from is before 1973, but the trace's submissions are " +
                       collection.span_text() +
                       "; expected such a time, or a date such as 2026-01-05T10:00:00",
                   true};
}

/// Returns the name of the first of several files that is of the format, and not one about the
/// cluster; "" if there is one file. REQUIRES: nothing was read.
std::string log_among(const ImportFormat& format, std::vector<Input>& files) {
  if (files.size() < 2) return "";
  const auto found =
      std::ranges::find_if(files, [&](Input& file) { return format.recognises(file.head()); });
  return found == files.end() ? "" : found->name();
}

Imported import(const ImportFormat& format, std::vector<Input>& files, const ImportOptions& options,
                ImportReport& report) {
  const std::string log = log_among(format, files);
  JobCollection collection(options, report);
  report.ignored.set(options.ignore_fields);
  Imported imported = format.import(files, options, collection, report);
  if (const std::string unknown = report.ignored.unknown(); !unknown.empty())
    throw BadTrace{unknown, true};
  Scenario& scenario = imported.scenario;
  ImportOptions settled = options;
  if (!scenario.jobs.empty()) {
    choose(scenario.jobs, collection, options);
    settled.shift = options.shift.value_or(options.first_at.has_value());
    if (options.queue_by == QueueBy::kUser) {
      for (JobSpec& job : scenario.jobs) job.queue = job.user;
      scenario.queues.clear();
      add_queues(queues_of(scenario.jobs), scenario);
    }
  } else {
    scenario.jobs = collection.take();
    imported.runs = collection.take_runs();
    add_queues(collection.queue_names(), scenario);
  }
  collection.check_names();
  check_from(options, collection);
  if (scenario.jobs.empty())
    throw BadTrace{
        (log.empty() ? "" : log + ": ") +
            (report.found == 0 ? "has no job that can be used"
                               : counted(report.found, "job") + " found, but none is chosen by " +
                                     choice_of(options) + "; the trace's submissions are " +
                                     collection.span_text()),
        !log.empty()};
  imported.origin = scale(settled, scenario, report);
  if (options.as_it_ran) {
    allow_longer_runs(scenario, report);
    scenario.cluster.unfit_jobs = UnfitJobs::kCancel;  // in variants with fewer nodes
  }
  if (format.import != formats::heddle_trace.import) decide_at_once(scenario, report);
  return imported;
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
#define HEDDLE_FORMAT(code, name, summary, example) \
  {formats::code, name, summary, name " " example},
  static const std::vector<ImportFormat> all = {HEDDLE_IMPORT_FORMATS(HEDDLE_FORMAT)};
#undef HEDDLE_FORMAT
  return all;
}

Result<const ImportFormat*> find_import_format(const std::string& name) {
  std::vector<std::string> names;
  for (const ImportFormat& format : import_formats()) {
    if (format.name == name) return &format;
    names.push_back(format.name);
  }
  return usage_error(with_nearest("unknown format \"" + name + "\"", name, names) +
                     " (known: " + join(names) + ")");
}

Result<const ImportFormat*> recognised_format(Input& file) {
  std::vector<std::string> names;
  try {
    const std::string_view head = file.head();
    if (head.empty()) return usage_error(file.name() + ": is empty; expected a trace");
    for (const ImportFormat& format : import_formats()) {
      if (format.recognises(head)) return &format;
      names.push_back(format.name);
    }
  } catch (const BadTrace& bad) {
    return usage_error(file.name() + ": " + bad.text);
  }
  return usage_error(file.name() + ": its beginning is of no known format; expected one of " +
                     join(names) + ", or the name of the format before the file");
}

Result<Imported> import_trace(const ImportFormat& format, std::vector<Input>& files,
                              const ImportOptions& options, ImportReport& report) {
  HEDDLE_TRY(check_queue_by(format, options.queue_by));
  // The file that is being read is the last of which something was read.
  const auto where = [&] {
    const Input* last = &files.front();
    for (const Input& file : files)
      if (file.line_number() > 0) last = &file;
    return last->line_number() > 0 ? last->where() : last->name();
  };
  try {
    return import(format, files, options, report);
  } catch (const BadTrace& bad) {
    return usage_error(bad.placed ? bad.text : where() + ": " + bad.text);
  } catch (const wire::BadField& bad) {
    return usage_error(where() + ": " + bad.text);
  } catch (const nlohmann::json::exception& wrong) {
    return usage_error(where() + ": " + wrong.what());
  }
}

}  // namespace heddle::trace
