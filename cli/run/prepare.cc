#include "cli/run/prepare.h"

#include <filesystem>

#include "cli/base/exit_status.h"
#include "core/resolve.h"
#include "core/scenario/doubts.h"
#include "host/fill_rate.h"
#include "host/host_resources.h"
#include "trace/import/formats.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) say("warning: " + warning);
}

/// Returns the error of a file that is no scenario. If it is a trace, says how to import it.
Error no_scenario(const std::string& path, Error error) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return error;
  Result<trace::Input> file = trace::Input::open(path);
  if (!file) return error;
  const Result<const trace::ImportFormat*> format = trace::recognised_format(*file);
  if (!format) return error;
  return usage_error(path + ": is a trace of the format " + (*format)->name +
                     "; expected a scenario, which heddle import " + path + " makes");
}

/// Reads a scenario and prints warnings about doubtful parts of it.
Result<CheckedScenario> read_and_warn(const std::string& path, const Overrides& overrides) {
  Result<CheckedScenario> read = workloads::read_scenario(path, overrides);
  if (!read) return no_scenario(path, read.error());
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
  const Result<CheckedScenario> read = read_and_warn(path, overrides);
  if (!read) return read.error();
  warn(unknown_work(read->scenario));
  return resolve_simulated(read->scenario);
}

}  // namespace heddle::cli
