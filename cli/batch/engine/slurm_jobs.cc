#include "cli/batch/engine/slurm_jobs.h"

#include "wire/fields.h"

namespace heddle::cli {
namespace {

using wire::Json;

constexpr int kJobsSchema = 1;
constexpr std::size_t kLongestWord = 4096;

}  // namespace

std::string write_jobs_record(const SlurmJobs& jobs) {
  const Json json = {{"schema", kJobsSchema},
                     {"name", jobs.name},
                     {"on", jobs.on},
                     {"per_task", jobs.per_task},
                     {"attempts", jobs.attempts}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<SlurmJobs> read_jobs_record(std::string_view text, const std::string& where) {
  constexpr std::int64_t kMost = 1000000;
  const Json json = wire::parse_json(text);
  try {
    const wire::Fields fields(json, kSlurmFile);
    SlurmJobs jobs;
    (void)fields.integer("schema", kJobsSchema, kJobsSchema);
    jobs.name = fields.name("name");
    jobs.on = fields.text("on", kLongestWord);
    if (const Result<SlurmOptions> options = parse_slurm(jobs.on); !options)
      fields.bad("on", "options of --on slurm (" + options.error().text + ")");
    jobs.per_task = static_cast<std::size_t>(fields.integer("per_task", 1, kMost));
    jobs.attempts = static_cast<int>(fields.integer("attempts", 0, kMost));
    return jobs;
  } catch (const wire::BadField& bad) {
    return usage_error(where + ": " + bad.text);
  }
}

}  // namespace heddle::cli
