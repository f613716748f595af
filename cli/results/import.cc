#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "core/scenario/quantity_text.h"
#include "trace/import/formats.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

constexpr double kLeastTimeScale = 0.001, kMostTimeScale = 1000;
constexpr double kMostFlops = 1e18;

Result<trace::ImportOptions> options_of(const ImportWords& words) {
  trace::ImportOptions options;
  options.nodes = words.nodes;
  options.name = words.name;
  if (!words.name.empty() && !valid_name(words.name))
    return usage_error("--name " + words.name +
                       ": expected at most 64 letters, digits, '.', '_' and '-'");
  options.flops = words.flops;
  if (words.flops && !(*words.flops >= 1 && *words.flops <= kMostFlops))
    return usage_error("--flops: expected operations per second of a host, 1 to 1e18");
  if (words.flops && words.format != "batsim")
    return usage_error("--flops: only workloads of batsim count operations; expected no --flops");
  if (words.time_scale.empty()) return options;
  Result<double> scale = parse_fraction(words.time_scale);
  if (!scale || *scale < kLeastTimeScale || *scale > kMostTimeScale)
    return usage_error("--time-scale " + words.time_scale +
                       ": expected real seconds per emulated second, 0.001 to 1000, such as 1/10");
  options.time_scale = *scale;
  return options;
}

Result<trace::Imported> import(const ImportWords& words) {
  Result<const trace::ImportFormat*> format = trace::find_import_format(words.format);
  if (!format) return std::move(format).error();
  Result<trace::ImportOptions> options = options_of(words);
  if (!options) return std::move(options).error();
  errno = 0;
  std::ifstream in(words.file, std::ios::binary);
  if (!in || std::filesystem::is_directory(words.file))
    return usage_error(words.file + ": can't be read" +
                       (in ? ": it is a directory" : std::string(": ") + std::strerror(errno)));
  Result<trace::Imported> imported = (*format)->import(in, words.file, *options);
  if (!imported || !words.policy) return imported;
  Result<PolicySpec> policy = parse_policy(*words.policy);
  if (!policy) return std::move(policy).error().in("--policy");
  imported->scenario.policy = *std::move(policy);
  return imported;
}

}  // namespace

Result<int> import_command(const ImportWords& words) {
  Result<trace::Imported> imported = import(words);
  if (!imported) return std::move(imported).error();
  const std::string text = trace::replay_text(*imported, words.requests);
  Result<CheckedScenario> checked =
      workloads::read_scenario_text(text, "the scenario made of " + words.file);
  if (!checked) return std::move(checked).error();
  for (const auto* warnings : {&imported->warnings, &checked->warnings})
    for (const std::string& warning : *warnings) say("warning: " + warning);
  HEDDLE_TRY(check_new("--out", words.out));
  if (!words.out.empty())
    HEDDLE_TRY(replace_file(words.out, text));
  else
    std::cout << text;
  return kExitDone;
}

}  // namespace heddle::cli
