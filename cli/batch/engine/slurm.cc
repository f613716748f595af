#include "cli/batch/engine/slurm.h"

#include <poll.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/batch/engine/command_output.h"
#include "cli/batch/plan/cell_record.h"
#include "cli/display/batch_screen.h"
#include "common/directory.h"
#include "common/file.h"
#include "common/installed.h"
#include "common/random_id.h"
#include "common/signals.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kPollMs = 1000;
/// Time in which a second Ctrl-C cancels the batch.
constexpr int kCancelMs = 3000;
/// Times that a file system over the network can take to show a new file to another host.
constexpr int kVisibleLooks = 20;
constexpr std::chrono::milliseconds kVisibleEvery{500};
/// Tasks of other batches and the gathering job also count for the limit of the queue.
constexpr std::size_t kSpareTasks = 10;

/// Returns the names of the files in a directory, sorted.
std::vector<std::string> files_in(const std::string& path) {
  const Result<Directory> directory = Directory::open(path);
  const Result<std::vector<std::string>> names = directory ? directory->names() : directory.error();
  return names ? *names : std::vector<std::string>();
}

std::string record_name(const BatchPlan& plan, const BatchPlace& place, const char* end) {
  return cell_name(plan, place) + end;
}

}  // namespace

CellCounts count_cells(const PlanSet& set) {
  CellCounts counts;
  for (const PlannedBatch& batch : set.batches) {
    const std::vector<std::string> files = files_in(batch.dir + "/" + kCellsDirectory);
    const auto has = [&](const std::string& name) {
      return std::binary_search(files.begin(), files.end(), name);
    };
    std::size_t number = batch.first;
    for (const BatchPlace& place : batch_order(repeats_of(batch.plan))) {
      if (has(record_name(batch.plan, place, ".json"))) {
        ++counts.done;
      } else {
        counts.failed += has(record_name(batch.plan, place, ".failed.json")) ? 1 : 0;
        counts.open.push_back(number);
      }
      ++number;
    }
  }
  return counts;
}

Result<SlurmBatch> SlurmBatch::open(const std::string& dir, const EngineOptions& options) {
  std::error_code error;
  const std::string absolute = fs::absolute(dir, error).lexically_normal();
  Result<PlanSet> set = read_plan_set(absolute);
  if (!set) return std::move(set).error();
  SlurmBatch batch(absolute, *std::move(set), options);
  const std::string path = absolute + "/" + kSlurmFile;
  if (!fs::exists(path, error)) return batch;
  constexpr std::size_t kMostBytes = 1 << 20;
  Result<std::string> text = read_found_file(path, kMostBytes);
  if (!text) return std::move(text).error();
  HEDDLE_TRY(put(read_jobs_record(*text, path), batch.jobs_));
  HEDDLE_TRY(put(parse_slurm(batch.jobs_.on), batch.slurm_));
  return batch;
}

Result<void> SlurmBatch::save() const {
  return replace_file(dir_ + "/" + kSlurmFile, write_jobs_record(jobs_));
}

Result<SlurmLimits> SlurmBatch::read_limits() const {
  SlurmLimits limits;
  Result<std::string> config = output_of({"scontrol", "show", "config"});
  if (!config) return std::move(config).error();
  take_config(*config, limits);
  // Without accounting there is no such limit, and sacctmgr fails.
  if (const passwd* user = ::getpwuid(::geteuid())) {
    const Result<std::string> limit =
        output_of({"sacctmgr", "-nP", "show", "assoc", "where",
                   std::string("user=") + user->pw_name, "format=MaxSubmitJobs"});
    if (limit) take_submit_limit(*limit, limits);
  }
  std::vector<std::string> sinfo = {"sinfo", "-h", "-o", "%C"};
  if (!slurm_.partition.empty()) sinfo.insert(sinfo.end(), {"-p", slurm_.partition});
  Result<std::string> cpus = output_of(sinfo);
  if (!cpus) return std::move(cpus).error();
  take_cpus(*cpus, limits);
  if (slurm_.max > 0) limits.cpus = std::min(limits.cpus, slurm_.max);
  return limits;
}

/// Returns how many tasks may be in the queue at the same time.
std::size_t SlurmBatch::most_tasks() const {
  return limits_->submit - std::min(limits_->submit - 1, kSpareTasks);
}

SlurmScript SlurmBatch::script(const std::string& tasks) const {
  return {program_path("heddle"), dir_, dir_ + "/" + tasks, rights_of(options_)};
}

Result<void> SlurmBatch::submit(const std::string& words) {
  jobs_ = {"heddle-" + random_id(), words, 1, 0};
  HEDDLE_TRY(put(parse_slurm(words), slurm_));
  HEDDLE_TRY(put(read_limits(), limits_));
  if (Result<Directory> made = Directory::make(dir_ + "/" + kCellsDirectory); !made)
    return std::move(made).error();
  return save();
}

Result<void> SlurmBatch::submit_arrays(const std::vector<std::size_t>& cells, bool real,
                                       const std::string& suffix, std::size_t per_task,
                                       std::vector<std::string>& ids) {
  if (cells.empty()) return {};
  const std::string tasks_file = std::string(kCellsDirectory) + "/tasks-" + suffix + ".txt";
  const std::string script_file = std::string(kCellsDirectory) + "/tasks-" + suffix + ".sh";
  const std::vector<std::vector<std::size_t>> tasks = tasks_of(cells, per_task);
  std::string lines;
  for (const std::vector<std::size_t>& task : tasks) {
    const std::vector<std::string> ranges = cell_ranges(task);
    for (std::size_t i = 0; i < ranges.size(); ++i) lines += (i ? " " : "") + ranges[i];
    lines += "\n";
  }
  HEDDLE_TRY(replace_file(dir_ + "/" + tasks_file, lines));
  HEDDLE_TRY(replace_file(dir_ + "/" + script_file, cells_script(script(tasks_file))));
  SlurmArray array;
  array.name = jobs_.name;
  array.exclusive = slurm_.exclusive.value_or(real);
  array.output = std::string(kCellsDirectory) + "/task-" + suffix + "-%a.out";
  array.script = dir_ + "/" + script_file;
  for (const std::size_t size : array_sizes(tasks.size(), *limits_)) {
    array.count = size;
    // The limit of --on slurm:max=N is that of one array, so arrays with a limit follow each other.
    if (slurm_.max > 0 && !ids.empty()) array.after = ids.back();
    Result<std::string> output = output_of(sbatch_words(slurm_, array, dir_));
    if (!output) return std::move(output).error();
    ids.push_back(job_id(*output));
    if (ids.back().empty()) return machine_error("sbatch: printed no job id: " + *output);
    array.first += size;
  }
  return {};
}

Result<void> SlurmBatch::submit_cells(const std::vector<std::size_t>& cells) {
  std::vector<std::size_t> simulated, real;
  for (const std::size_t cell : cells)
    (set_.batch_of(cell).plan.simulate ? simulated : real).push_back(cell);
  const std::string attempt = std::to_string(++jobs_.attempts);
  HEDDLE_TRY(save());
  std::vector<std::string> ids;
  HEDDLE_TRY(submit_arrays(simulated, false, attempt + "s", jobs_.per_task, ids));
  // A task makes one real run, unless the queue does not take so many tasks.
  const std::size_t least = (real.size() + most_tasks() - 1) / most_tasks();
  HEDDLE_TRY(submit_arrays(real, true, attempt + "r",
                           std::max({slurm_.per_task, least, std::size_t{1}}), ids));
  const std::string gather = dir_ + "/" + kCellsDirectory + "/gather.sh";
  HEDDLE_TRY(replace_file(gather, gather_script(script(""))));
  Result<std::string> output =
      output_of(sbatch_gather_words(slurm_, jobs_.name, dir_, gather, ids));
  if (!output) return std::move(output).error();
  if (!options_.run.quiet)
    say(std::to_string(cells.size()) + " cells are submitted to Slurm as " +
        std::to_string(ids.size()) + " job array" + (ids.size() == 1 ? "" : "s") + " named " +
        jobs_.name);
  return {};
}

std::optional<double> SlurmBatch::time_of(std::size_t cell) const {
  const PlannedBatch& batch = set_.batch_of(cell);
  const BatchPlace place = batch_order(repeats_of(batch.plan))[cell - batch.first];
  const std::string name = cell_name(batch.plan, place);
  const std::string path = batch.dir + "/" + record_file(name);
  const Result<std::string> text = read_file(path);
  const Result<CellRecord> record = text ? read_record(*text, path) : text.error();
  if (record) return record->took_s;
  return read_file(batch.dir + "/" + failure_file(name)) ? std::optional(1.0) : std::nullopt;
}

/// Makes one cell in a job of its own. This proves that the nodes see the directory, and shows how
/// long a cell takes.
Result<std::optional<int>> SlurmBatch::probe(std::size_t cell) {
  if (!options_.run.quiet) say("a job with cell " + std::to_string(cell) + " tries the cluster");
  std::vector<std::string> ids;
  HEDDLE_TRY(submit_arrays({cell}, !set_.batch_of(cell).plan.simulate, "probe", 1, ids));
  Result<std::optional<int>> left = wait_for_jobs();
  if (!left || *left) return left;
  for (int look = 0; look < kVisibleLooks; ++look) {
    if (const std::optional<double> took_s = time_of(cell)) {
      const std::size_t cells = count_cells(set_).open.size() + 1;
      jobs_.per_task = slurm_.per_task > 0
                           ? slurm_.per_task
                           : cells_per_task(cells, *took_s, limits_->cpus, most_tasks());
      return std::optional<int>();
    }
    std::this_thread::sleep_for(kVisibleEvery);
  }
  return machine_error("the job " + ids.front() + " has left no record in " + dir_ +
                       "; expected a directory that all nodes of the cluster share (" + dir_ +
                       "/cells/task-probe-0.out has the job's output)");
}

Result<SlurmQueue> SlurmBatch::queue() const {
  Result<std::string> output = output_of({"squeue", "-h", "-r", "-n", jobs_.name, "-o", "%T %r"});
  if (!output) return std::move(output).error();
  return parse_queue(*output);
}

Result<std::optional<int>> SlurmBatch::wait() {
  if (jobs_.attempts == 0) {
    const std::vector<std::size_t> open = count_cells(set_).open;
    if (open.empty()) return std::optional<int>();
    if (!limits_) HEDDLE_TRY(put(read_limits(), limits_));
    Result<std::optional<int>> left = probe(open.front());
    if (!left || *left) return left;
    const std::vector<std::size_t> rest = count_cells(set_).open;
    if (rest.empty()) return std::optional<int>();
    HEDDLE_TRY(submit_cells(rest));
  }
  while (true) {
    Result<std::optional<int>> left = wait_for_jobs();
    if (!left || *left) return left;
    const std::vector<std::size_t> open = count_cells(set_).open;
    if (open.empty() || std::cmp_greater(jobs_.attempts, slurm_.retries))
      return std::optional<int>();
    HEDDLE_TRY(put(read_limits(), limits_));
    if (!options_.run.quiet)
      say(std::to_string(open.size()) + (open.size() == 1
                                             ? " cell is not done and is submitted again"
                                             : " cells are not done and are submitted again"));
    HEDDLE_TRY(submit_cells(open));
  }
}

Result<std::optional<int>> SlurmBatch::wait_for_jobs() {
  const Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  const std::size_t had = count_cells(set_).done;
  BatchScreen screen(options_.run.quiet);
  screen.start(set_.cells - had, had);
  for (std::size_t shown = had;;) {
    Result<SlurmQueue> jobs = queue();
    if (!jobs) return std::move(jobs).error();
    const std::size_t done = count_cells(set_).done;
    for (; shown < done; ++shown)
      screen.on_end(std::to_string(jobs->running) + " tasks run, " + std::to_string(jobs->waiting) +
                    " wait" +
                    (jobs->waiting > 0 && jobs->running == 0 ? " (" + jobs->reason + ")" : ""));
    if (jobs->waiting + jobs->running == 0) break;
    pollfd item{signals.get(), POLLIN, 0};
    if (::poll(&item, 1, kPollMs) <= 0) continue;
    while (next_signal(signals.get()) != 0) {
    }
    screen.clear();
    return std::optional<int>(leave(signals.get()));
  }
  return std::optional<int>();
}

/// Leaves the batch on the cluster, or cancels it if the user sends another signal.
int SlurmBatch::leave(int signals) {
  say("Slurm continues the batch; heddle status --wait " + dir_ +
      " waits for it again; Ctrl-C within 3 s cancels it");
  pollfd item{signals, POLLIN, 0};
  if (::poll(&item, 1, kCancelMs) != 1) return kExitInterrupted;
  const Result<std::string> cancelled = output_of({"scancel", "--name=" + jobs_.name});
  say(cancelled ? "the batch is canceled; cells that are done are kept"
                : "the batch could not be canceled: " + cancelled.error().text);
  return kExitInterrupted;
}

Result<std::optional<int>> run_on_slurm(const std::string& dir, const std::string& words,
                                        const EngineOptions& options) {
  Result<SlurmBatch> batch = SlurmBatch::open(dir, options);
  if (!batch) return std::move(batch).error();
  if (batch->submitted()) {
    const Result<SlurmQueue> queue = batch->queue();
    if (!queue) return queue.error();
    if (queue->waiting + queue->running > 0)
      return usage_error(dir + ": its jobs are in the queue of Slurm; heddle status --wait " + dir +
                         " waits for them");
  }
  HEDDLE_TRY(batch->submit(words));
  return batch->wait();
}

}  // namespace heddle::cli
