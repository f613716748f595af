#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/run/run.h"
#include "common/result.h"

namespace heddle::cli {

/// The engine that makes the cells of a plan.
struct EngineOptions {
  std::string on;               ///< "slurm[:OPTION,…]", "kubernetes:OPTION,…"; "": no engine
  RunOptions run;               ///< the rights of cells
  bool typed_external = false;  ///< the command line names a program of --policy or --policies
};

/// Checks the form of --on. Error: kUsage.
Result<void> check_engine(const std::string& on);

/// Does with a plan what the command line wants: without an engine, says how to make its cells;
/// with one, makes them there. `dir`: the directory of the plan. Returns the exit status, or
/// nullopt if the cells are made and can be gathered.
Result<std::optional<int>> carry_out_plan(const std::string& dir, std::size_t cells,
                                          const EngineOptions& options);

/// Returns the options of `heddle cell` that give its cells the rights of this command line.
std::vector<std::string> rights_of(const EngineOptions& options);

}  // namespace heddle::cli
