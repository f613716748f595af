#include "bench/slurm.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <set>
#include <sstream>
#include <thread>

#include "bench/launch_ways.h"
#include "bench/peers.h"
#include "common/cpu_line.h"
#include "common/host_clock.h"

namespace heddle::bench {
namespace {

using namespace std::chrono_literals;

/// Longest allowed time in which no job of an array ends.
constexpr auto kPatience = 20s;

std::string contents(const Fd& file) {
  std::string text(static_cast<std::size_t>(::lseek(file.get(), 0, SEEK_END)), '\0');
  text.resize(static_cast<std::size_t>(
      std::max<ssize_t>(0, ::pread(file.get(), text.data(), text.size(), 0))));
  return text;
}

std::string last_line(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

/// Runs a program and returns its output. If the program fails, the error is the last line of its
/// error output.
Result<std::string> output_of(const std::vector<std::string>& words) {
  const Fd output(::memfd_create("output", MFD_CLOEXEC));
  const Fd errors(::memfd_create("errors", MFD_CLOEXEC));
  if (!output || !errors) return system_error("make a memory file", errno);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&files, output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, errors.get(), STDERR_FILENO);
  SpawnedChildren child;
  Result<pid_t> pid = child.spawn(0, words, &files);
  ::posix_spawn_file_actions_destroy(&files);
  if (!pid) return std::move(pid).error();
  Result<std::vector<std::int64_t>> ended = child.wait(0);
  if (ended) return contents(output);
  const std::string said = last_line(contents(errors));
  return said.empty() ? std::move(ended).error().in(words.front()) : machine_error(said);
}

}  // namespace

Result<SlurmArrays> SlurmArrays::find(const std::string& path, const std::string& task_program) {
  const std::string sbatch = find_program("sbatch", path);
  if (sbatch.empty()) return machine_error("not installed");
  SlurmArrays slurm(sbatch.substr(0, sbatch.rfind('/') + 1), task_program);
  Result<std::string> answer = output_of({slurm.directory_ + "scontrol", "ping"});
  if (!answer) return std::move(answer).error();
  if (answer->find(" is UP") == std::string::npos)
    return machine_error("the Slurm controller does not answer: " + last_line(*answer));
  return slurm;
}

Result<real::Duration> SlurmArrays::run(int count, int at_once,
                                        const std::function<bool()>& stop) const {
  std::vector<std::string> words = array_words(task_program_, count, at_once);
  words.insert(words.begin(), directory_ + "sbatch");
  const real::Time begin = real::now();
  Result<std::string> said = output_of(words);
  Result<std::string> job = said ? submitted_job(*said) : std::move(said);
  if (!job) return std::move(job).error();
  if (Result<void> ended = await(*job, count, stop); !ended) {
    (void)output_of({directory_ + "scancel", *job});
    return std::move(ended).error();
  }
  return real::now() - begin;
}

Result<void> SlurmArrays::await(const std::string& job, int count,
                                const std::function<bool()>& stop) const {
  std::vector<std::string> words = array_states_words(job);
  words.insert(words.begin(), directory_ + "squeue");
  const real::Time begin = real::now();
  real::Time progress = begin;
  for (int left = count; left > 0;) {
    std::this_thread::sleep_for(until_next_look(real::now() - begin, count, left));
    if (stop()) return aborted_error("interrupted");
    Result<std::string> lines = output_of(words);
    Result<int> states = lines ? not_ended(*lines) : std::move(lines).error();
    if (!states) return std::move(states).error();
    if (*states < left) progress = real::now();
    left = *states;
    if (real::now() - progress > kPatience) return aborted_error("no job of the array ends");
  }
  return {};
}

std::vector<std::string> array_words(const std::string& task_program, int count, int at_once) {
  std::string quoted = "'";
  for (char c : task_program) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return {"--parsable",
          "--job-name=heddle-bench",
          "--array=1-" + std::to_string(count) + "%" + std::to_string(at_once),
          "--ntasks=1",
          "--no-requeue",
          "--chdir=/",
          "--output=/dev/null",
          "--wrap=exec " + quoted + "' 1"};
}

Result<std::string> submitted_job(std::string_view output) {
  // The output is "7", or "7;cluster" if there are several clusters.
  const std::string_view job = output.substr(0, output.find_first_of(";\n"));
  const bool number =
      !job.empty() && std::ranges::all_of(job, [](unsigned char c) { return std::isdigit(c); });
  if (!number) return machine_error("sbatch says \"" + last_line(std::string(output)) + "\"");
  return std::string(job);
}

std::vector<std::string> array_states_words(const std::string& job) {
  return {"--noheader", "--array", "--states=all", "--Format=State,exit_code", "--jobs=" + job};
}

Result<int> not_ended(std::string_view lines) {
  static const std::set<std::string> kUnderWay = {"PENDING",   "CONFIGURING", "RUNNING",
                                                  "STAGE_OUT", "COMPLETING",  "SUSPENDED"};
  std::istringstream in{std::string(lines)};
  int count = 0, status = 0;
  for (std::string state; in >> state >> status;) {
    if (kUnderWay.contains(state))
      ++count;
    else if (state != "FAILED" || status != kTaskExitPage << 8)
      return aborted_error("a job of the array ended as " + state + ", status " +
                           std::to_string(status));
  }
  if (!in.eof()) return machine_error("squeue says \"" + last_line(std::string(lines)) + "\"");
  return count;
}

real::Duration until_next_look(real::Duration elapsed, int count, int left) {
  const int ended = std::max(count - left, 1);
  return std::clamp<real::Duration>(elapsed * left / ended / 2, 20ms, 500ms);
}

}  // namespace heddle::bench
