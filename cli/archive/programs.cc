#include "cli/archive/programs.h"

#include <fcntl.h>

#include <algorithm>
#include <filesystem>

#include "cli/results/variant_directory.h"
#include "common/file.h"
#include "core/policy/registry.h"
#include "host/sha256.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

constexpr std::size_t kMostProgramBytes = 256 << 20;
constexpr int kDeepestModule = 6;

/// Returns the policy of the plan's scenario, with the changes that apply to all variants.
Result<PolicySpec> common_policy(const BatchPlan& plan) {
  Overrides overrides = plan.overrides;
  overrides.seed = plan.seed;
  Result<CheckedScenario> scenario = workloads::read_scenario_text(plan.text, plan.file, overrides);
  if (!scenario) return std::move(scenario).error();
  return std::move(scenario->scenario.policy);
}

bool needs_common_policy(const BatchPlan& plan) {
  return std::ranges::any_of(plan.variants, [](const Variant& one) { return !one.policy; });
}

/// Returns the path of a program on the machine on which the plan was made.
std::string path_of(const BatchPlan& plan, const std::string& program) {
  return (std::filesystem::path(plan.directory) / program).lexically_normal();
}

Result<void> add_program(const BatchPlan& plan, const PolicySpec& policy,
                         std::vector<std::string>& programs) {
  HEDDLE_TRY(check_startable(policy));
  if (!policy.external) return {};
  std::string path = path_of(plan, policy.external->program);
  if (std::ranges::find(programs, path) == programs.end()) programs.push_back(std::move(path));
  return {};
}

/// Replaces the program of a policy, if it has one.
Result<void> replace_program(const BatchPlan& plan, PolicySpec& policy,
                             const report::ArchiveManifest& manifest, const std::string& unpacked) {
  if (!policy.external || policy.external->program.empty()) return {};
  const std::string path = path_of(plan, policy.external->program);
  for (const report::ArchivedProgram& program : manifest.programs)
    if (std::ranges::find(program.named, path) != program.named.end()) {
      policy.external->program = unpacked + "/" + program.file;
      return {};
    }
  return usage_error("the policy is the program " + path + ", which the archive does not have");
}

/// Reads a program or a module. Follows links only in the path of the directory.
Result<std::string> read_program(const Directory& directory, const std::string& name) {
  const Result<Fd> file = directory.open_file(name, O_RDONLY);
  if (!file) return file.error();
  return read_found_file(proc_path_of(*file), kMostProgramBytes);
}

/// Adds the files below a directory, under names that begin with `above`.
Result<void> add_modules(const Directory& directory, const std::string& above, int depth,
                         std::vector<report::FileToArchive>& files) {
  const Result<std::vector<std::string>> names = directory.names();
  if (!names) return names.error();
  for (const std::string& name : *names) {
    if (name.starts_with('.') || name == "__pycache__") continue;
    if (const Result<Directory> below = directory.enter(name)) {
      if (depth < kDeepestModule)
        HEDDLE_TRY(add_modules(*below, above + "/" + name, depth + 1, files));
      continue;
    }
    Result<std::string> text = read_program(directory, name);
    if (!text) return std::move(text).error();
    files.push_back({above + "/" + name, *std::move(text), true});
  }
  return {};
}

}  // namespace

Result<void> check_startable(const PolicySpec& policy) {
  if (!policy.external || !policy.external->program.empty()) return {};
  return usage_error("the policy " + policy_text(policy) +
                     " was a process that Heddle did not start, and nobody could start it again "
                     "from an archive; expected exec:PROGRAM, such as the class in a file of its "
                     "own");
}

Result<std::vector<std::string>> programs_of(const BatchPlan& plan) {
  std::vector<std::string> programs;
  for (const Variant& variant : plan.variants) {
    if (!variant.policy) continue;
    const Result<PolicySpec> policy = parse_policy(*variant.policy);
    if (!policy) return policy.error();
    HEDDLE_TRY(add_program(plan, *policy, programs));
  }
  if (!needs_common_policy(plan)) return programs;
  const Result<PolicySpec> policy = common_policy(plan);
  if (!policy) return policy.error();
  HEDDLE_TRY(add_program(plan, *policy, programs));
  return programs;
}

Result<BatchPlan> with_programs(BatchPlan plan, const report::ArchiveManifest& manifest,
                                const std::string& unpacked) {
  for (Variant& variant : plan.variants) {
    if (!variant.policy) continue;
    Result<PolicySpec> policy = parse_policy(*variant.policy);
    if (!policy) return std::move(policy).error();
    if (!policy->external) continue;
    HEDDLE_TRY(replace_program(plan, *policy, manifest, unpacked));
    variant.policy = policy_text(*policy);
  }
  if (!needs_common_policy(plan)) return plan;
  Result<PolicySpec> policy = common_policy(plan);
  if (!policy) return std::move(policy).error();
  if (!policy->external) return plan;
  HEDDLE_TRY(replace_program(plan, *policy, manifest, unpacked));
  plan.overrides.policy = policy_text(*policy);
  // The text of a policy has no arguments.
  if (!plan.policy_arguments && !policy->external->arguments.empty())
    plan.policy_arguments = policy->external->arguments;
  return plan;
}

Result<void> ProgramFiles::take(const std::string& path, const std::string& kept,
                                const std::string& sha256) {
  const PathParts parts = parts_of(path);
  Result<Directory> directory = Directory::open(kept);
  const bool has_copy = directory && directory->open_file(parts.name, O_RDONLY);
  if (!has_copy) directory = Directory::open(parts.directory);
  if (!directory) return usage_error("the program " + path + ": " + directory.error().text);
  Result<std::string> text = read_program(*directory, parts.name);
  if (!text) return usage_error("the program " + path + ": " + text.error().text);
  const std::string sum = host::sha256_of_text(*text);
  if (!sha256.empty() && sum != sha256)
    return usage_error("the program " + path +
                       " has changed since the result was made: its SHA-256 is " + sum +
                       ", and the result has " + sha256 + "; expected the program of the result");
  for (const Taken& one : taken_)
    if (one.sha256 != sum && std::ranges::find(one.program.named, path) != one.program.named.end())
      return usage_error(
          "the program " + path +
          " is not the same in all results; expected archives of their own for them");
  for (Taken& one : taken_) {
    if (one.sha256 != sum) continue;
    std::vector<std::string>& names = one.program.named;
    if (std::ranges::find(names, path) == names.end()) names.push_back(path);
    return {};
  }
  const std::string place = "programs/" + std::to_string(taken_.size() + 1);
  const std::string file = place + "/" + directory_of(parts.name);
  if (has_copy)
    HEDDLE_TRY(add_modules(*directory, place, 1, files_));
  else
    files_.push_back({file, *std::move(text), true});
  taken_.push_back({sum, {file, {path}}});
  return {};
}

void ProgramFiles::put(report::ArchiveManifest& manifest,
                       std::vector<report::FileToArchive>& files) && {
  for (Taken& one : taken_) manifest.programs.push_back(std::move(one.program));
  std::ranges::move(files_, std::back_inserter(files));
}

}  // namespace heddle::cli
