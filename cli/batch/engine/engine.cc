#include "cli/batch/engine/engine.h"

#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/batch/engine/kubernetes.h"
#include "cli/batch/engine/slurm.h"
#include "common/text.h"

namespace heddle::cli {
namespace {

/// The two parts of --on.
struct NamedEngine {
  std::string name, options;
};

NamedEngine split_engine(const std::string& on) {
  const std::size_t colon = std::min(on.find(':'), on.size());
  return {on.substr(0, colon), colon < on.size() ? on.substr(colon + 1) : ""};
}

}  // namespace

Result<void> check_engine(const std::string& on) {
  if (on.empty()) return {};
  const auto [name, options] = split_engine(on);
  if (name == "slurm") {
    const Result<SlurmOptions> parsed = parse_slurm(options);
    return parsed ? Result<void>() : parsed.error();
  }
  if (name == "kubernetes") {
    const Result<KubernetesOptions> parsed = parse_kubernetes(options);
    return parsed ? Result<void>() : parsed.error();
  }
  const std::vector<std::string> known = {"slurm", "kubernetes"};
  return usage_error(with_nearest("--on " + name + ": unknown engine", name, known) +
                     " (known: " + join(known) + ")");
}

Result<std::optional<int>> carry_out_plan(const std::string& dir, std::size_t cells,
                                          const EngineOptions& options) {
  const auto [name, words] = split_engine(options.on);
  if (name == "slurm") return run_on_slurm(dir, words, options);
  if (name == "kubernetes") {
    HEDDLE_TRY(write_kubernetes_job(dir, words, cells, options));
    return std::optional<int>(kExitDone);
  }
  std::cout << cells << " cells are planned in " << dir << ": heddle cell " << dir
            << " N makes cell N, from 0 to " << cells - 1 << "; heddle gather " << dir
            << " makes the results\n";
  return std::optional<int>(kExitDone);
}

std::vector<std::string> rights_of(const EngineOptions& options) {
  const RunOptions& run = options.run;
  std::vector<std::string> words;
  if (run.allow_exec || options.typed_external) words.emplace_back("--allow-exec");
  if (run.allow_commands) words.emplace_back("--allow-commands");
  if (run.allow_root_commands) words.emplace_back("--allow-root-commands");
  if (run.allow_unisolated_commands) words.emplace_back("--allow-unisolated-commands");
  if (run.task_user) words.push_back("--task-user=" + *run.task_user);
  if (run.cgroup) words.push_back("--cgroup=" + *run.cgroup);
  return words;
}

}  // namespace heddle::cli
