// Returns a scenario with the jobs of a Batsim workload (JSON; docs/how-to/traces.md). Each job is
// rigid: a gang of `res` tasks, each on a host of its own. A `delay` profile becomes a sleep, and
// `parallel_homogeneous` becomes CPU work of cpu / flops seconds. Other profiles are refused. Jobs
// are in the order in which Batsim submits them: by (subtime, id as text)
// (job_comparator_subtime_number, batsim/src/jobs.cpp).
//
// The simulation of the scenario is ideal, and decisions are immediate, so that virtual time shows
// the decisions of the scheduler and nothing else.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "common/text.h"
#include "trace/import/batsim_jobs.h"
#include "trace/import/scaling.h"
#include "wire/fields.h"

namespace heddle::trace {
namespace {

using wire::Fields;
using wire::Json;

constexpr double kMostOperations = 1e30;
/// A host has one core. Batsim knows no memory, so a task gets all that its host has.
const Resources kHost{Millicores(1000), EmuBytes(1LL << 30)};

/// The work of each task of a job.
struct Profile {
  Drawn sleep, cpu;
  bool shared = false;  ///< `cpu` is the work of all tasks of a job together
  bool communicates = false;
};

std::string id_of(const Fields& job, const Json& json) {
  const Json& id = json.at("id");
  if (id.is_number_integer()) return id.dump();
  const std::string text = job.text("id");
  const std::size_t workload = text.find('!');  // "w0!14"
  return workload == std::string::npos ? text : text.substr(workload + 1);
}

class Workload {
 public:
  Workload(const Json& workload, const ImportOptions& options, ImportReport& report)
      : options_(options), report_(report), json_(workload), workload_(workload, "workload") {}

  Imported import(const std::string& filename) {
    (void)workload_.object("profiles");
    for (const auto& [name, profile] : json_.at("profiles").items())
      all_profiles_.emplace(name, &profile);
    const std::int64_t hosts = workload_.has("nb_res")
                                   ? workload_.integer("nb_res", 1, kMostImportedNodes)
                                   : options_.nodes.value_or(0);
    if (hosts == 0) workload_.bad("nb_res", "the number of hosts, here or as --nodes");
    Imported imported;
    for (const auto& [option, is_given] : {std::pair("--cores", options_.cores.has_value()),
                                           {"--memory", options_.memory.has_value()}})
      if (is_given)
        throw BadTrace{std::string(option) +
                           ": a resource of a workload of Batsim is a node; expected no " + option,
                       true};
    imported.scenario = rigid_frame(options_, filename);
    imported.scenario.cluster.nodes =
        equal_nodes(options_.nodes.value_or(static_cast<int>(hosts)), kHost, 0);
    read_jobs(imported.scenario);
    if (communicating_ > 0)
      imported.warnings.push_back(
          std::to_string(communicating_) +
          (communicating_ == 1 ? " job communicates" : " jobs communicate") +
          "; this takes no time here");
    return imported;
  }

 private:
  /// Returns the work of a profile. Profiles that no job uses are not read.
  const Profile& profile(const Fields& job) {
    const std::string name = job.text("profile");
    if (const auto known = profiles_.find(name); known != profiles_.end()) return known->second;
    const auto found = all_profiles_.find(name);
    if (found == all_profiles_.end())
      job.bad("profile", "one of the profiles, but there is no \"" + name + "\"");
    return profiles_.emplace(name, work_of(Fields(*found->second, "profiles." + name)))
        .first->second;
  }

  Profile work_of(const Fields& profile) const {
    const std::string type = profile.text("type");
    Profile made;
    if (type == "delay" || type == "DelayProfile") {
      made.sleep.mean = profile.number("delay", 0, kMostSeconds) * 1e6;
    } else if (type == "parallel_homogeneous" || type == "ParallelTaskHomogeneousProfile" ||
               type == "parallel_homogeneous_total") {
      made.shared = type == "parallel_homogeneous_total" || is_spread(profile);
      const double operations = profile.number("cpu", 0, kMostOperations);
      if (!options_.flops)
        profile.bad("cpu",
                    "--flops with the operations per second of a host, because this profile "
                    "counts operations");
      made.cpu.mean = operations / *options_.flops * 1e6;
      made.communicates = profile.has("com") && profile.number("com", 0, kMostOperations) > 0;
    } else {
      profile.bad("type", "delay, parallel_homogeneous or parallel_homogeneous_total; \"" + type +
                              "\" has no counterpart in a scenario");
    }
    for (Drawn* work : {&made.sleep, &made.cpu}) work->mean = std::round(work->mean);
    return made;
  }

  /// Returns whether the figures of a profile are those of all hosts of a job together.
  static bool is_spread(const Fields& profile) {
    constexpr const char* kKey = "generation_strategy";
    if (!profile.has(kKey)) return false;
    const std::string strategy = profile.text(kKey);
    const bool spread = strategy == "DefinedAmountsSpreadUniformly";
    if (!spread && strategy != "DefinedAmountsUsedForEachValue")
      profile.bad(kKey, "DefinedAmountsSpreadUniformly or DefinedAmountsUsedForEachValue");
    return spread;
  }

  void read_jobs(Scenario& scenario) {
    const std::vector<Json>& jobs = workload_.array("jobs", kMostImportedJobs);
    std::vector<std::pair<std::pair<EmuTime, std::string>, JobSpec>> read;
    std::set<std::string> ids;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ++report_.rows;
      const Fields fields(jobs[i], "jobs[" + std::to_string(i) + "]");
      if (!fields.has("id")) fields.bad("id", "an id");
      const std::string id = id_of(fields, jobs[i]);
      if (!ids.insert(id).second) fields.bad("id", "another id: \"" + id + "\" occurs twice");
      // Schedulers of Batsim reject such a job.
      if (fields.integer("res", 1, kMostImportedNodes) > std::ssize(scenario.cluster.nodes)) {
        report_.repaired(kTooLarge, "job " + id);
        continue;
      }
      JobSpec job = job_of(fields, id);
      const EmuTime submit = job.submit;
      read.emplace_back(std::pair(submit, id), std::move(job));
    }
    std::ranges::stable_sort(read, {}, &decltype(read)::value_type::first);
    for (auto& [key, job] : read) scenario.jobs.push_back(std::move(job));
  }

  JobSpec job_of(const Fields& fields, const std::string& id) {
    JobSpec job;
    job.name = "job-" + id;
    if (!valid_name(job.name)) fields.bad("id", "letters, digits, '.', '_' and '-'");
    job.submit = emu_seconds(fields.number("subtime", 0, kMostInstant));
    // In Batsim, -1 stands for no walltime.
    if (fields.has("walltime"))
      if (const double walltime = fields.number("walltime", -1, kMostInstant); walltime >= 0)
        job.walltime = std::max(emu_seconds(walltime), EmuTime(1));
    const Profile& work = profile(fields);
    communicating_ += work.communicates;
    PhaseSpec& phase = job.phases.emplace_back();
    const std::string name = fields.text("profile");
    phase.name = valid_name(name) ? name : "task";
    phase.tasks = static_cast<int>(fields.integer("res", 1, kMostImportedNodes));
    phase.request = kHost;
    phase.sleep = work.sleep;
    phase.cpu = work.cpu;
    if (work.shared) phase.cpu.mean = std::round(phase.cpu.mean / phase.tasks);
    if (phase.cpu.mean > kMostSeconds * 1e6)
      fields.bad("profile", "at most 10000h of work for a host, at --flops");
    make_rigid(job);
    return job;
  }

  const ImportOptions& options_;
  ImportReport& report_;
  const Json& json_;
  Fields workload_;  ///< the same
  std::map<std::string, const Json*> all_profiles_;
  std::map<std::string, Profile> profiles_;
  std::int64_t communicating_ = 0;
};

Imported import_batsim(std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
                       ImportReport& report) {
  if (is_batsim_jobs(files.front().head())) return import_batsim_jobs(files, options, jobs, report);
  if (files.size() > 1) throw BadTrace{"more than one file; expected one workload in JSON"};
  const Json workload = wire::parse_json(files.front().rest());
  if (workload.is_discarded()) throw BadTrace{"is not JSON; expected a workload of Batsim"};
  return Workload(workload, options, report).import(files.front().name());
}

bool is_batsim(std::string_view head) {
  return is_batsim_jobs(head) || head.find("\"profiles\"") != std::string_view::npos ||
         (head.find("\"jobs\"") != std::string_view::npos &&
          head.find("\"subtime\"") != std::string_view::npos);
}

}  // namespace

const FormatCode formats::batsim{&is_batsim, &import_batsim, kQueuesOnly};

}  // namespace heddle::trace
