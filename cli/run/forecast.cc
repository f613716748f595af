#include "cli/run/forecast.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/display/display.h"
#include "cli/run/run_checks.h"
#include "host/host_resources.h"
#include "wire/values.h"

namespace heddle::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Time in which a forecast is ready before the run starts. Later, it is made during the run.
constexpr std::chrono::milliseconds kBeforeTheRun{2000};
/// Time for the forecast and its range, before a run and with --dry-run.
constexpr std::chrono::milliseconds kForRange{1500}, kForDryRange{30000};
/// A range that is narrower is not shown.
constexpr double kNarrow_s = 0.1;
/// Maximum number of jobs that get a line of their own.
constexpr std::size_t kMostJobLines = 3;
/// Maximum time to wait for the end of the child after it was killed.
constexpr int kEnd_ms = 100;

double gib(real::Bytes bytes) { return static_cast<double>(bytes.count()) / (1 << 30); }

/// Returns the jobs that lost containers for lack of memory. Jobs that failed come first, and then
/// those with the most kills.
std::vector<const report::Forecast::Job*> killed_jobs(const report::Forecast& forecast) {
  std::vector<const report::Forecast::Job*> jobs;
  for (const report::Forecast::Job& job : forecast.jobs)
    if (job.kills() > 0) jobs.push_back(&job);
  std::ranges::stable_sort(jobs, std::ranges::greater(), [](const report::Forecast::Job* job) {
    return std::pair(job->state == "failed", job->kills());
  });
  return jobs;
}

/// Returns "4 kills at the limits of its containers, 1 at the limits of nodes".
std::string kills_text(const report::Forecast::Job& job) {
  std::string text;
  const auto add = [&](int kills, const char* whose) {
    if (kills == 0) return;
    text += fmt::format("{}{}{} at the {}", text.empty() ? "" : ", ", kills,
                        !text.empty() ? ""
                        : kills == 1  ? " kill"
                                      : " kills",
                        whose);
  };
  add(job.container_kills, "limits of its containers");
  add(job.node_kills, "limits of nodes");
  add(job.other_kills, "limits of others");
  return text;
}

std::string change(double measured, double expected) {
  return fmt::format("{:+.0f} %", expected > 0 ? 100 * (measured / expected - 1) : 0);
}

void set_policy(pid_t pid, int policy) {
  const sched_param none{};
  ::sched_setscheduler(pid, policy, &none);
}

/// Returns why there is no forecast for the scenario, or "".
std::string why_none(const Scenario& scenario) {
  if (scenario.policy.external)
    return "an external policy decides, and it must not be asked for a forecast";
  for (const JobSpec& job : scenario.jobs)
    for (const PhaseSpec& phase : job.phases)
      if (phase.kind == PhaseKind::kCommand)
        return "job \"" + job.name + "\" runs commands, and nobody knows how long they take";
  return "";
}

/// Makes a forecast. It has a range if the simulations for it take at most that long.
Result<report::Forecast> forecast_with_range(const Scenario& scenario,
                                             std::chrono::milliseconds most) {
  const Clock::time_point until = Clock::now() + most;
  Result<report::Forecast> made = report::make_forecast(scenario);
  if (made)
    report::add_range(
        scenario, [&] { return Clock::now() < until; }, *made);
  return made;
}

/// Returns " (90.0 to 110.0 s with other delays)", or "" if there is no such range or it is narrow.
std::string range_text(const report::Forecast& forecast) {
  if (!forecast.range || forecast.range->most_s - forecast.range->least_s < kNarrow_s) return "";
  return fmt::format(" ({:.1f} to {:.1f} s with other delays)", forecast.range->least_s,
                     forecast.range->most_s);
}

/// Makes the forecast. Runs in the forked child. Writes the forecast to `out`.
[[noreturn]] void foresee_apart(const Scenario& scenario, int out) {
  // The kernel takes memory from this process before it takes any from the run.
  std::ofstream("/proc/self/oom_score_adj") << 1000;
  std::string text;
  try {
    if (Result<report::Forecast> made = forecast_with_range(scenario, kForRange))
      text = to_json(*made).dump();
  } catch (const std::exception&) {
    text.clear();
  }
  for (std::string_view left = text; !left.empty();) {
    const ssize_t n = ::write(out, left.data(), left.size());
    if (n <= 0) break;
    left.remove_prefix(static_cast<std::size_t>(n));
  }
  ::_exit(kExitDone);
}

}  // namespace

double start_and_end_s(std::size_t nodes, real::Cpus cpus) {
  constexpr double kFixed_s = 0.15, kCpuPerWorker_s = 0.08;
  return kFixed_s + kCpuPerWorker_s * static_cast<double>(nodes) / std::max(cpus.value, 0.1);
}

Outlook outlook_of(report::Forecast forecast, const Scenario& scenario,
                   const std::optional<HostResources>& machine) {
  Outlook outlook{std::move(forecast), scenario.scale().time, std::nullopt, machine};
  if (machine)
    outlook.real_s = outlook.forecast.work.end_s() * outlook.time_scale +
                     start_and_end_s(scenario.cluster.nodes.size(), machine->cpus);
  return outlook;
}

std::vector<std::string> lines_of(const Outlook& outlook) {
  const report::Forecast& forecast = outlook.forecast;
  const double end_s = forecast.work.end_s();
  std::vector<std::string> lines;
  if (forecast.status == "aborted")
    lines.push_back(fmt::format("the run is aborted after {:.1f} s: {}", end_s, forecast.reason));
  const double makespan_s = forecast.makespan_s.value_or(end_s);
  lines.push_back(outlook.real_s
                      ? fmt::format("makespan {:.1f} s{}, which takes about {} of real time",
                                    makespan_s, range_text(forecast), clock(*outlook.real_s))
                      : fmt::format("makespan {:.1f} s{}, which takes about {} of real "
                                    "time after the last worker has connected",
                                    makespan_s, range_text(forecast),
                                    clock(end_s * outlook.time_scale)));
  if (outlook.machine)
    lines.push_back(fmt::format("tasks use up to {:.2f} of {:g} CPUs and {:.2f} of {:.2f} GiB",
                                forecast.cpus.value, outlook.machine->cpus.value,
                                gib(forecast.memory), gib(outlook.machine->memory)));
  const std::vector<const report::Forecast::Job*> killed = killed_jobs(forecast);
  for (std::size_t i = 0; i < std::min(killed.size(), kMostJobLines); ++i)
    lines.push_back(fmt::format("job {} {} for lack of memory: {}", killed[i]->name,
                                killed[i]->state == "failed" ? "fails" : "loses tasks",
                                kills_text(*killed[i])));
  if (killed.size() > kMostJobLines)
    lines.push_back(fmt::format("{} more {} tasks for lack of memory",
                                killed.size() - kMostJobLines,
                                killed.size() == kMostJobLines + 1 ? "job loses" : "jobs lose"));
  return lines;
}

wire::Json json_of(const Outlook& outlook) {
  const report::Forecast& forecast = outlook.forecast;
  wire::Json jobs = wire::Json::array();
  for (const report::Forecast::Job* job : killed_jobs(forecast))
    jobs.push_back({{"name", job->name},
                    {"state", job->state},
                    {"oom_kills",
                     {{"container", job->container_kills},
                      {"node", job->node_kills},
                      {"other", job->other_kills}}}});
  const std::optional<HostResources>& machine = outlook.machine;
  return {
      {"status", forecast.status},
      {"reason", forecast.reason},
      {"makespan_s", wire::rounded_or_null(forecast.makespan_s)},
      {"range_s", forecast.range ? wire::Json{wire::rounded(forecast.range->least_s),
                                              wire::rounded(forecast.range->most_s)}
                                 : wire::Json()},
      {"real_s", wire::rounded_or_null(outlook.real_s)},
      {"peak", {{"cpus", wire::rounded(forecast.cpus.value)}, {"memory", forecast.memory.count()}}},
      {"machine",
       machine ? wire::Json{{"cpus", machine->cpus.value}, {"memory", machine->memory.count()}}
               : wire::Json()},
      {"short_of_memory", std::move(jobs)}};
}

std::string comparison_line(const Outlook& outlook, double makespan_s, double real_s) {
  const std::optional<double>& expected_s = outlook.forecast.makespan_s;
  if (!expected_s) return "";
  std::string line =
      fmt::format("forecast {:.1f} s{}, measured {:.1f} s ({})", *expected_s,
                  range_text(outlook.forecast), makespan_s, change(makespan_s, *expected_s));
  if (outlook.real_s)
    line += fmt::format("; real time: forecast {}, measured {} ({})", clock(*outlook.real_s),
                        clock(real_s), change(real_s, *outlook.real_s));
  return line;
}

std::unique_ptr<Foresight> Foresight::begin(const Scenario& scenario,
                                            const std::optional<HostResources>& machine) {
  std::unique_ptr<Foresight> foresight(new Foresight(scenario, machine));
  if (!foresight->start()) return nullptr;
  foresight->wait();
  return foresight;
}

bool Foresight::start() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  from_ = Fd(ends[0]);
  const Fd to(ends[1]);
  ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
  std::fflush(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ < 0) return false;
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(kExitAborted);
    ::setpgid(0, 0);  // Ctrl-C is for the parent, which then ends this process
    foresee_apart(scenario_, to.get());
  }
  pidfd_ = Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  return static_cast<bool>(pidfd_);
}

void Foresight::wait() {
  const Clock::time_point until = Clock::now() + kBeforeTheRun;
  while (fd() >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) break;
    pollfd ready{fd(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>(left.count())) < 0 && errno != EINTR) break;
    if (ready.revents != 0 && take()) return;
  }
  set_policy(pid_, SCHED_IDLE);
}

bool Foresight::take() {
  char buffer[65536];
  ssize_t n = 0;
  while (fd() >= 0 && (n = ::read(fd(), buffer, sizeof buffer)) > 0)
    text_.append(buffer, static_cast<std::size_t>(n));
  if (fd() < 0 || (n < 0 && (errno == EAGAIN || errno == EINTR))) return false;
  stop();
  if (Result<report::Forecast> read = report::forecast_from_json(text_))
    outlook_ = outlook_of(*std::move(read), scenario_, machine_);
  text_.clear();
  return true;
}

void Foresight::stop() {
  if (pid_ < 0) return;
  pollfd end{pidfd_.get(), POLLIN, 0};
  if (!pidfd_) {
    ::kill(pid_, SIGKILL);
  } else if (::poll(&end, 1, 0) == 0) {
    // On a busy machine, a process of the lowest priority also ends late. Only root can change
    // that.
    set_policy(pid_, SCHED_OTHER);
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
    ::poll(&end, 1, kEnd_ms);
  }
  ::waitpid(pid_, nullptr, WNOHANG);
  pid_ = -1;
  from_ = Fd();
}

std::vector<std::string> Foresight::lines() const {
  if (!outlook_) return {"none, because the simulation failed; heddle simulate shows why"};
  return lines_of(*outlook_);
}

std::unique_ptr<Foresight> foresee(const RunOptions& options, const Scenario& scenario) {
  if (options.quiet || options.no_forecast || !why_none(scenario).empty()) return nullptr;
  return Foresight::begin(
      scenario, options.bind.empty() ? std::optional(host::host_resources()) : std::nullopt);
}

Result<int> print_forecast(const RunOptions& options, const Scenario& scenario) {
  if (const std::string why = why_none(scenario); !why.empty())
    return usage_error(options.scenario + ": there is no forecast: " + why);
  HEDDLE_TRY(check_runnable(options, scenario));
  Result<report::Forecast> made = forecast_with_range(scenario, kForDryRange);
  if (!made) return std::move(made).error();
  const Outlook outlook =
      outlook_of(*std::move(made), scenario,
                 options.bind.empty() ? std::optional(host::host_resources()) : std::nullopt);
  if (options.json)
    std::cout << json_of(outlook).dump(2) << '\n';
  else
    for (const std::string& line : lines_of(outlook)) std::cout << line << '\n';
  std::cout.flush();
  return kExitDone;
}

}  // namespace heddle::cli
