#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/batch/plan/batch_plan.h"
#include "common/result.h"
#include "core/model/emulation.h"
#include "report/comparison/metrics.h"
#include "yaml/read.h"

namespace heddle::cli {

inline constexpr int kMostRepeats = 1000, kDefaultRepeats = 5;
inline constexpr const char* kPlanFile = "plan.json";
inline constexpr const char* kPlanScenario = "plan.yaml";

/// Which files of its simulations a batch keeps. Real runs always keep all files. The record of a
/// cell (CellRecord) is always kept.
enum class Keep {
  kDefault,  ///< kRecord if there are more than kMostDirectories cells, else kFirst
  kFirst,    ///< the first simulation of each variant: all; the others: summary and scenario
  kAll,
  kRecord,  ///< none
};
inline constexpr std::size_t kMostDirectories = 1000;

/// A batch: one scenario in several variants, each with several repeats. A run of a variant is a
/// cell. Cells are numbered from 0 in the order of batch_order(). The plan has everything that a
/// cell needs, except the rights that the command line gives (such as --allow-commands).
struct BatchPlan {
  std::string kind;        ///< "compare", "sweep"
  std::string scenario;    ///< name of the scenario
  std::string file;        ///< the scenario as the user named it; for messages and relative paths
  std::string directory;   ///< absolute; relative paths of the plan are relative to it
  std::string text;        ///< of the scenario
  Overrides overrides;     ///< apply to all variants; `seed` is not used
  std::uint64_t seed = 0;  ///< of the first repeat
  std::vector<std::string> with;  ///< each "OPTION=VALUE" is set in all variants whose policy has a
                                  ///< part that reads the option
  std::optional<std::vector<std::string>> policy_arguments;
  bool simulate = false;
  bool predict = false;  ///< also simulate each real run
  int repeat = kDefaultRepeats;
  bool vary_seed = false;  ///< vary the seed of real runs too; that of simulations always varies
  /// The variants are from the file of an experiment, so they do not allow to start the programs of
  /// external policies.
  bool from_file = false;
  Keep keep = Keep::kDefault;
  std::string journal = "full";
  std::string durability = "write";
  EmulationSpec factors;  ///< the four factors that were chosen for `auto`
  std::vector<Variant> variants;
  std::vector<report::NamedWorkloads> groups;
  std::string price;            ///< --price (report/price.h); "": no costs
  bool without_faults = false;  ///< of a comparison: variants are pairs (with_faultless)
  std::vector<SweptKey> over;   ///< of a sweep
};

/// Returns the number of repeats of each variant.
std::vector<int> repeats_of(const BatchPlan& plan);
/// Returns the number of cells.
std::size_t cell_count(const BatchPlan& plan);
/// Returns the seed of a repeat.
std::uint64_t seed_of(const BatchPlan& plan, int repeat);
/// Returns the name of a cell, which is also that of its directory: "fifo-1".
std::string cell_name(const BatchPlan& plan, const BatchPlace& place);
/// Returns whether the cell keeps a directory, and whether this directory has a journal.
bool keeps_directory(const BatchPlan& plan);
bool keeps_journal(const BatchPlan& plan, const BatchPlace& place);

/// Returns a text that differs for different scenarios.
std::string mark_of(std::string_view scenario);

/// Returns plan.json. The scenario's text is in a file of its own, plan.yaml.
std::string write_plan(const BatchPlan& plan);
/// Reads plan.json and takes the text of plan.yaml. `where` names plan.json in errors (kUsage). The
/// files can come from anyone, so types, sizes, names and the form of policies are checked, and the
/// names of cells must differ.
Result<BatchPlan> read_plan(std::string_view json, std::string text, const std::string& where);

/// Reads the plan of the batch in `dir`. Errors (kUsage): there is none, or it is not valid.
Result<BatchPlan> read_plan_in(const std::string& dir);

}  // namespace heddle::cli
