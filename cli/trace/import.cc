#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/results/results.h"
#include "cli/trace/commands.h"
#include "common/file.h"
#include "common/text.h"
#include "core/resolve.h"
#include "core/scenario/quantity_text.h"
#include "host/host_resources.h"
#include "trace/import/replay_text.h"
#include "trace/import/scaling.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

int list_formats() {
  for (const trace::ImportFormat& format : trace::import_formats())
    std::cout << format.name << ": " << format.summary << "\n    heddle import " << format.example
              << "\n";
  return kExitDone;
}

/// Returns the trace's own lines about its licence and source, as comments.
std::string licence_text(const trace::Imported& imported) {
  std::string text;
  for (const std::string& line : imported.licence)
    text += "# " + blanked(line.substr(0, 300)) + "\n";
  return text;
}

/// Says how long a real run takes at least, and with which factors it fits this machine.
void tell_needs(const Scenario& scenario) {
  constexpr double kProposed = 300;  ///< seconds of a real run
  const double emulated_s = to_seconds(trace::shortest_makespan(scenario));
  const double scale = scenario.emulation.time_scale.value_or(1);
  std::string text = "a real run takes at least " +
                     print_duration(emu_seconds(std::ceil(emulated_s * scale))) +
                     " at --time-scale " + print_fraction(scale);
  const double shorter = std::min(std::floor(emulated_s / kProposed), 1 / kLeastTimeScale);
  if (emulated_s * scale > 2 * kProposed)
    text += ", and " + print_duration(emu_seconds(std::ceil(emulated_s / shorter))) +
            " at --time-scale 1/" + std::to_string(std::llround(shorter));
  say(text);
  Result<CheckedScenario> resolved = resolve(scenario, host::host_resources());
  if (!resolved) return say_lines("this machine can't run it for real: " + resolved.error().text);
  const EmulationSpec& emulation = resolved->scenario.emulation;
  say("factors that fit this machine: core_fraction " + print_fraction(*emulation.core_fraction) +
      ", memory_scale " + print_fraction(*emulation.memory_scale));
}

/// Writes both files or, after an error, none. Signals that would end this process wait meanwhile.
Result<void> write_files(const ImportWords& words, const std::string& scenario,
                         const std::string& report) {
  sigset_t held, before;
  sigemptyset(&held);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&held, signal);
  ::pthread_sigmask(SIG_BLOCK, &held, &before);
  Result<void> written = words.out.empty() ? Result<void>() : replace_file(words.out, scenario);
  if (written && !words.report.empty()) {
    written = replace_file(words.report, report);
    if (!written && !words.out.empty()) (void)::unlink(words.out.c_str());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return written;
}

}  // namespace

Result<int> import_command(const ImportWords& words) {
  if (words.list) return list_formats();
  HEDDLE_TRY(check_new("--out", words.out));
  HEDDLE_TRY(check_new("--report", words.report));
  if (!words.out.empty() && words.out == words.report)
    return usage_error("--report " + words.report + ": is also --out; expected another file");
  trace::ImportReport report;
  Result<trace::Imported> imported = import_files("import", words, report);
  if (!imported) {
    if (report.rows > 0) say_lines(report.text());
    return std::move(imported).error();
  }
  say_lines(report.text());
  if (words.strict && report.repairs() > 0)
    return usage_error(words.words.back() + ": needs " +
                       trace::counted(report.repairs(), "repair") + ", and --strict allows none");
  const std::string text = licence_text(*imported) + trace::replay_text(*imported, words.requests);
  Result<CheckedScenario> checked =
      workloads::read_scenario_text(text, "(scenario made of " + words.words.back() + ")");
  if (!checked) return std::move(checked).error();
  wire::Json told = report.json();
  told["warnings"] = imported->warnings;
  for (const auto* warnings : {&imported->warnings, &checked->warnings})
    for (const std::string& warning : *warnings) say("warning: " + warning);
  tell_needs(checked->scenario);
  HEDDLE_TRY(write_files(words, text,
                         told.dump(2, ' ', false, wire::Json::error_handler_t::replace) + "\n"));
  if (words.out.empty()) std::cout << text;
  return kExitDone;
}

}  // namespace heddle::cli
