#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iostream>

#include "cli/archive/commands.h"
#include "cli/archive/part_plan.h"
#include "cli/archive/programs.h"
#include "cli/archive/verdicts.h"
#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/batch/batch.h"
#include "cli/batch/batch_prepare.h"
#include "cli/batch/cells.h"
#include "cli/display/screen.h"
#include "cli/results/results.h"
#include "cli/results/variant_directory.h"
#include "cli/run/run_checks.h"
#include "common/file.h"
#include "common/result_files.h"
#include "report/archive/archive_file.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using report::ArchivedPart;
using report::ArchivedResult;
using report::ArchiveManifest;
using report::ResultFigure;
using wire::Json;

/// Directory of the unpacked archive in that of the results. `heddle ls` skips such a name, because
/// the results there lack most of their files.
constexpr const char* kUnpacked = ".archive";
constexpr std::size_t kMostManifestBytes = 16 << 20;

/// An unpacked archive whose files agree with its manifest.
struct Unpacked {
  std::string shown;  ///< directory for results, as the user gave it or as Heddle chose it
  std::string out;    ///< its absolute path
  std::string path;   ///< absolute path of the archive's files
  ArchiveManifest manifest;
};

/// Removes what is unpacked of an archive that is not valid.
void remove_unpacked(const std::string& out, bool chosen) {
  (void)remove_path(out + "/" + kUnpacked);
  if (chosen) ::rmdir(out.c_str());
}

Result<ArchiveManifest> unpack(const std::string& file, const std::string& out) {
  const Result<Directory> directory = Directory::open(out);
  if (!directory) return directory.error();
  const Result<Directory> into = directory->make_new(kUnpacked);
  if (!into) return into.error();
  HEDDLE_TRY(report::unpack_archive(file, *into));
  const Result<std::string> text =
      text_of_file(*into, report::kArchiveManifest, kMostManifestBytes);
  if (!text && text.error().code == ENOENT)
    return usage_error(file + ": has no " + report::kArchiveManifest +
                       "; expected a file that heddle archive wrote");
  if (!text) return text.error();
  Result<ArchiveManifest> manifest = report::parse_archive_manifest(*text);
  if (!manifest) return std::move(manifest).error().in(file);
  if (Result<void> checked = report::check_files(*into, *manifest); !checked)
    return std::move(checked).error().in(file);
  return manifest;
}

/// Returns the name of an archive without its ending.
std::string stem_of(const std::string& file) {
  std::string name = fs::path(file).filename();
  if (name.ends_with(kArchiveEnd)) name.erase(name.size() - std::string_view(kArchiveEnd).size());
  return directory_of(name);
}

Result<Unpacked> open_archive(const ReproduceOptions& options) {
  if (const Result<Fd> file = open_to_read(options.file); !file)
    return usage_error(file.error().text + "; expected a file that heddle archive wrote");
  HEDDLE_TRY(check_out(options.run.out));
  const bool chosen = options.run.out.empty();
  const Result<std::string> out = claim_out(
      chosen ? "results/" + stem_of(options.file) + "-reproduced-" + local_time() : options.run.out,
      chosen);
  if (!out) return out.error();
  Result<ArchiveManifest> manifest = unpack(options.file, *out);
  if (!manifest) {
    remove_unpacked(*out, chosen);
    return std::move(manifest).error();
  }
  const std::string absolute = fs::absolute(*out).lexically_normal();
  return Unpacked{*out, absolute, absolute + "/" + kUnpacked, *std::move(manifest)};
}

/// A part that is to be made again.
struct PartToMake {
  const ArchivedResult* result;
  const ArchivedPart* part;
  std::string archived;  ///< path of its files
  std::string dir;       ///< for the new runs
  BatchPlan plan;
};

/// Checks that the options give the rights that the plan needs, and that this machine can resolve
/// its scenarios. Error (kMachine): it cannot.
Result<void> check_part(const PartToMake& one, const RunOptions& run) {
  const std::string& where = one.part->directory;
  const Result<std::vector<std::string>> programs = programs_of(one.plan);
  if (!programs) return Error(programs.error()).in(where);
  if (!programs->empty() && !run.allow_exec)
    return usage_error(where + ": the policy is the program " + programs->front() +
                       " of the archive; Heddle starts it only with --allow-exec");
  BatchPlan simulated = simulated_plan(one.plan);
  BatchScenarios without_machine(simulated, run, false), scenarios(one.plan, run, false);
  for (std::size_t i = 0; i < one.plan.variants.size(); ++i) {
    const Result<Scenario> scenario = without_machine.scenario({i, 0});
    if (!scenario) return Error(scenario.error()).in(where);
    if (one.plan.simulate) continue;
    if (Result<void> runnable = check_runnable(options_for(run, *scenario), *scenario); !runnable)
      return std::move(runnable).error().in(where);
    if (const Result<Scenario> fits = scenarios.scenario({i, 0}); !fits)
      return machine_error(where + ": " + fits.error().text);
  }
  return {};
}

Result<std::vector<PartToMake>> parts_to_make(const Unpacked& archive,
                                              const ReproduceOptions& options) {
  std::vector<PartToMake> parts;
  for (const ArchivedResult& result : archive.manifest.results)
    for (const ArchivedPart& part : result.parts) {
      PartToMake one{&result,
                     &part,
                     archive.path + "/" + part.directory,
                     archive.out + "/" + part.directory,
                     {}};
      const Result<Directory> directory = Directory::open(one.archived);
      if (!directory) return usage_error(part.directory + ": is not in the archive");
      Result<BatchPlan> plan = plan_of_part(*directory, part.kind, part.simulated);
      if (plan && options.simulate_only) plan = simulated_plan(*std::move(plan));
      if (plan) plan = with_programs(*std::move(plan), archive.manifest, archive.path);
      if (!plan) return std::move(plan).error().in(part.directory);
      one.plan = *std::move(plan);
      one.plan.directory = archive.out;
      HEDDLE_TRY(check_part(one, options.run));
      parts.push_back(std::move(one));
    }
  return parts;
}

/// The new runs of a part, and what they gave.
struct MadePart {
  Gathered gathered;
  bool interrupted = false;
};

Result<MadePart> make_part(const PartToMake& one, const ReproduceOptions& options, int signals) {
  HEDDLE_TRY(make_directory(one.dir));
  Result<Fd> lock = lock_out(one.dir);
  if (!lock) return std::move(lock).error();
  const PlannedDirectory planned{one.dir, one.plan, *std::move(lock)};
  HEDDLE_TRY(write_plan_files(planned));
  const CellOptions cells{options.run, false, options.jobs};
  CellMaker maker(one.dir, one.plan, cells, signals);
  HEDDLE_TRY(maker.look(all_cells(one.plan)));
  (void)maker.make();
  const Result<std::string> dir = maker.directory();
  if (!dir) return dir.error();
  MadePart made{gather_records(*dir, one.plan, nullptr), maker.interrupted()};
  HEDDLE_TRY(write_gathered(*dir, one.plan, made.gathered));
  return made;
}

/// Returns the figures of the archived part or of its new runs. `run`: the directory of a single
/// run; `batch`: that of a batch.
Result<std::vector<ResultFigure>> figures_in(const ArchivedPart& part, const std::string& run,
                                             const std::string& batch) {
  const bool single = part.kind == report::ResultKind::kRun;
  const Result<Directory> directory = Directory::open(single ? run : batch);
  if (!directory) return directory.error();
  const Result<Json> json =
      json_of_file(*directory, single ? kSummaryFile : std::string(name_of(part.kind)) + ".json");
  if (!json) return json.error();
  return single ? report::figures_of_run(*json) : report::figures_of_batch(*json);
}

/// Compares the summaries of a single simulation.
Result<std::string> difference_in(const std::string& archived, const std::string& here) {
  Result<Json> summaries[2] = {Json(), Json()};
  for (std::size_t i = 0; i < 2; ++i) {
    const Result<Directory> directory = Directory::open(i == 0 ? archived : here);
    if (!directory) return directory.error();
    summaries[i] = json_of_file(*directory, kSummaryFile);
    if (!summaries[i]) return summaries[i].error();
  }
  return report::difference_of_simulations(*summaries[0], *summaries[1]);
}

Result<PartOutcome> judge(const PartToMake& one, const MadePart& made) {
  const ArchivedPart& part = *one.part;
  PartOutcome outcome{one.result, &part, one.dir, one.plan.simulate, {}, kExitDone};
  const std::string run = one.dir + "/" + cell_name(one.plan, {0, 0});
  if (made.gathered.done < made.gathered.cells) {
    const std::vector<std::string> trouble = trouble_of(made.gathered, 1);
    outcome.verdict.verdict = report::Reproduced::kNotMade;
    outcome.verdict.reason = trouble.empty() ? "" : trouble.front();
    const bool machine = std::ranges::any_of(
        made.gathered.failed, [](const auto& cell) { return cell.second.status == kExitMachine; });
    outcome.status = machine ? kExitMachine : kExitAborted;
    return outcome;
  }
  const Result<std::vector<ResultFigure>> archived = figures_in(part, one.archived, one.archived);
  if (!archived) return Error(archived.error()).in(part.directory);
  const Result<std::vector<ResultFigure>> here = figures_in(part, run, one.dir);
  if (!here) return here.error();
  if (!part.simulated) {
    outcome.verdict =
        report::judge_real(*archived, *here, part.ranges, !made.gathered.disturbed.empty());
  } else {
    outcome.verdict = report::judge_simulated(*archived, *here);
    if (part.kind == report::ResultKind::kRun) {
      HEDDLE_TRY(put(difference_in(one.archived, run), outcome.verdict.reason));
      if (!outcome.verdict.reason.empty())
        outcome.verdict.verdict = std::max(outcome.verdict.verdict, report::Reproduced::kDiffers);
    }
  }
  outcome.status = status_of(outcome.verdict.verdict);
  return outcome;
}

}  // namespace

Result<int> reproduce_command(const ReproduceOptions& options) {
  const Result<Unpacked> archive = open_archive(options);
  if (!archive) return archive.error();
  const Result<std::vector<PartToMake>> parts = parts_to_make(*archive, options);
  if (!parts) {
    remove_unpacked(archive->out, options.run.out.empty());
    return parts.error();
  }
  const Fd signals = take_signals();
  if (!signals) return system_error("make a signal descriptor", errno);
  std::vector<PartOutcome> outcomes;
  for (const PartToMake& one : *parts) {
    if (!options.run.quiet) say("making " + one.part->directory + " again");
    const Result<MadePart> made = make_part(one, options, signals.get());
    if (!made) return Error(made.error()).in(one.part->directory);
    if (made->interrupted) return kExitInterrupted;
    Result<PartOutcome> outcome = judge(one, *made);
    if (!outcome) return std::move(outcome).error();
    outcomes.push_back(*std::move(outcome));
  }
  const Reproduction reproduction{options.file, archive->manifest.version, std::move(outcomes)};
  if (options.run.json)
    std::cout << to_json(reproduction).dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
  else
    std::cout << format_reproduction(reproduction, table_width(false))
              << "\nresults: " << archive->shown << '\n';
  return status_of(reproduction);
}

}  // namespace heddle::cli
