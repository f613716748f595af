#include "trace/import/formats.h"

#include <algorithm>

#include "common/text.h"
#include "trace/import/alibaba.h"
#include "trace/import/alibaba_gpu.h"
#include "trace/import/alibaba_gpu_2025.h"
#include "trace/import/alibaba_spot_gpu.h"
#include "trace/import/batsim.h"
#include "trace/import/collection.h"
#include "trace/import/google.h"
#include "trace/import/heddle_trace.h"
#include "trace/import/rumen.h"
#include "trace/import/scaling.h"
#include "trace/import/sls.h"
#include "trace/import/spark.h"
#include "trace/import/swf.h"
#include "trace/import/swim.h"

namespace heddle::trace {
namespace {

/// Removes the jobs that the options do not choose, for formats that do not use JobCollection.
void choose(std::vector<JobSpec>& jobs, JobCollection& collection, const ImportOptions& options) {
  std::erase_if(jobs, [&](const JobSpec& job) {
    return !collection.takes(job.name, job.submit, job.user, job.queue);
  });
  if (options.jobs && std::ssize(jobs) > *options.jobs) {
    std::ranges::stable_sort(jobs, {}, &JobSpec::submit);
    jobs.erase(jobs.begin() + *options.jobs, jobs.end());
  }
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

Imported import(const ImportFormat& format, std::vector<Input>& files, const ImportOptions& options,
                ImportReport& report) {
  JobCollection collection(options, report);
  Imported imported = format.import(files, options, collection, report);
  Scenario& scenario = imported.scenario;
  ImportOptions settled = options;
  if (!scenario.jobs.empty()) {
    choose(scenario.jobs, collection, options);
    settled.shift = options.shift.value_or(false);
  } else {
    scenario.jobs = collection.take();
    const std::vector<std::string> names = collection.queue_names();
    for (const std::string& name : names)
      if (!scenario.queue(name)) scenario.queues.emplace_back().name = name;
    if (std::ranges::find(names, "default") == names.end() && !names.empty())
      std::erase_if(scenario.queues,
                    [](const QueueSpec& queue) { return queue.name == "default"; });
    for (QueueSpec& queue : scenario.queues)
      queue.capacity = 1.0 / static_cast<double>(scenario.queues.size());
  }
  collection.check_names();
  if (scenario.jobs.empty())
    throw BadTrace{report.found == 0 ? "has no job that can be used"
                                     : counted(report.found, "job") +
                                           " found, but none is chosen by " + choice_of(options)};
  scale(settled, scenario, report);
  if (format.import != &import_heddle_trace) space_heartbeats(scenario, report);
  return imported;
}

}  // namespace

const std::vector<ImportFormat>& import_formats() {
  static const std::vector<ImportFormat> formats = {
      {"heddle-trace", "a trace that heddle trace wrote", "heddle-trace results/demo/trace.jsonl",
       &is_heddle_trace, &import_heddle_trace},
      {"swf", "Standard Workload Format, of the Parallel Workloads Archive",
       "swf NASA-iPSC-1993-3.1-cln.swf.gz --jobs 1000", &is_swf, &import_swf},
      {"batsim", "Batsim's workloads in JSON, and its jobs.csv", "batsim workload.json --nodes 32",
       &is_batsim, &import_batsim},
      {"swim", "SWIM's traces of Facebook in 2009 and 2010",
       "swim FB-2009_samples_24_times_1hr_0.tsv --nodes 600 --jobs 1000", &is_swim, &import_swim},
      {"sls", "input of YARN's Scheduler Load Simulator", "sls inputsls.json", &is_sls,
       &import_sls},
      {"rumen", "job histories of Hadoop, as Rumen writes them", "rumen 2jobs2min-rumen-jh.json",
       &is_rumen, &import_rumen},
      {"alibaba-2017", "Alibaba's cluster-trace-v2017: batch_task.csv, batch_instance.csv",
       "alibaba-2017 batch_task.csv --sample 1%", &is_alibaba_2017, &import_alibaba_2017},
      {"alibaba-2018", "Alibaba's cluster-trace-v2018: batch_task.csv, batch_instance.csv",
       "alibaba-2018 batch_task.csv --sample 0.1%", &is_alibaba_2018, &import_alibaba_2018},
      {"alibaba-gpu-2023", "Alibaba's cluster-trace-gpu-v2023: openb_pod_list and openb_node_list",
       "alibaba-gpu-2023 openb_pod_list_default.csv openb_node_list_all_node.csv",
       &is_alibaba_gpu_2023, &import_alibaba_gpu_2023},
      {"alibaba-gpu-2025", "Alibaba's cluster-trace-gpu-v2025: instances of recommendation models",
       "alibaba-gpu-2025 disaggregated_DLRM_trace.csv", &is_alibaba_gpu_2025,
       &import_alibaba_gpu_2025},
      {"alibaba-spot-gpu-2026",
       "Alibaba's cluster-trace-v2026-spot-gpu: job_info_df.csv, node_info_df.csv",
       "alibaba-spot-gpu-2026 job_info_df.csv node_info_df.csv --jobs 1000",
       &is_alibaba_spot_gpu_2026, &import_alibaba_spot_gpu_2026},
      {"google-2011", "Google's cluster traces of 2011: task_events, machine_events, task_usage",
       "google-2011 part-00000-of-00500.csv.gz --jobs 1000", &is_google_2011, &import_google_2011},
      {"spark", "event logs of Spark applications", "spark local-1430917381534 --nodes 4",
       &is_spark, &import_spark},
  };
  return formats;
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
