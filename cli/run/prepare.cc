#include "cli/run/prepare.h"

#include <poll.h>

#include <filesystem>

#include "cli/base/exit_status.h"
#include "cli/base/shipped.h"
#include "common/installed.h"
#include "core/resolve.h"
#include "core/scenario/doubts.h"
#include "host/child.h"
#include "host/fill_rate.h"
#include "host/host_resources.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say("warning: " + warning);
}

/// Returns the format of the trace in a file. "": the file is no trace, or heddle-trace, which
/// knows the formats, is missing.
std::string trace_format_of(const std::string& path) {
  constexpr int kMostMs = 10000;
  constexpr std::size_t kLongest = 100;
  Result<host::Child> child =
      host::Child::spawn({program_path("heddle-trace"), kFormatOf, path}, host::ChildOptions());
  if (!child) return "";
  pollfd end{child->pidfd(), POLLIN, 0};
  if (::poll(&end, 1, kMostMs) != 1 || !child->reap() || *child->end() != host::ChildEnd())
    return "";
  return child->output(kLongest);
}

/// Returns the error of a file that is no scenario. If it is a trace, says how to import it.
Error no_scenario(const std::string& path, Error error) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return error;
  const std::string format = trace_format_of(path);
  if (format.empty()) return error;
  return usage_error(path + ": is a trace of the format " + format +
                     "; expected a scenario, which heddle import " + path + " makes");
}

/// Reads a scenario and prints warnings about doubtful parts of it.
Result<CheckedScenario> read_and_warn(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = workloads::read_scenario(path, overrides);
  if (!read) return with_shipped_places(no_scenario(path, read.error()), path);
  warn(read->warnings);
  warn(doubts(read->scenario));
  return read;
}

template <class Resolve>
Result<Scenario> prepare(const std::string& path, const Overrides& overrides,
                         const Resolve& resolve) {
  const Result<CheckedScenario> read = read_and_warn(path, overrides);
  if (!read) return read.error();
  if (const std::string slow = unscaled_time(*read); !slow.empty()) warn({slow});
  Result<CheckedScenario> resolved = resolve(read->scenario);
  if (!resolved) return std::move(resolved).error().in(path);
  warn(resolved->warnings);
  return std::move(resolved->scenario);
}

}  // namespace

Result<Scenario> prepare_scenario(const std::string& path, const Overrides& overrides) {
  return prepare(path, overrides, [](const Scenario& scenario) {
    HostResources room = host::host_resources();
    room.fill_rate = host::measure_fill_rate().again;
    return resolve(scenario, room);
  });
}

Result<Scenario> prepare_stated(const std::string& path, const Overrides& overrides) {
  return prepare(path, overrides, resolve_stated);
}

Result<Scenario> prepare_simulated(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = read_and_warn(path, overrides);
  if (!read) return std::move(read).error();
  warn(unknown_work(read->scenario));
  return resolve_simulated(std::move(read->scenario));
}

}  // namespace heddle::cli
