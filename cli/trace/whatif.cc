#include "cli/trace/whatif.h"

#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <thread>

#include "cli/base/exit_status.h"
#include "cli/base/signals.h"
#include "cli/batch/batch.h"
#include "cli/display/screen.h"
#include "cli/results/results.h"
#include "common/file.h"
#include "common/result_files.h"
#include "common/text.h"
#include "core/policy/registry.h"
#include "core/resolve.h"
#include "report/comparison/missing.h"
#include "report/comparison/perturbation.h"
#include "report/comparison/whatif.h"
#include "report/comparison/whatif_text.h"
#include "report/manifest.h"
#include "report/simulated.h"
#include "trace/import/replay_text.h"
#include "workloads/scenario_file.h"

namespace heddle::cli {
namespace {

namespace fs = std::filesystem;
using wire::Json;

/// Times of a trace above this are taken as seconds since 1970: those of logs since 1973.
constexpr double kLeastEpoch = 1e8;

/// Returns "2026-01-05 10:00:00" for seconds since 1970. Local times of a log count as UTC there,
/// so this is the log's local time. Returns "" for a time that is none.
std::string date_text(EmuTime time) {
  using namespace std::chrono;
  const double seconds_s = to_seconds(time);
  if (seconds_s < kLeastEpoch) return "";
  const sys_seconds at{seconds(static_cast<std::int64_t>(seconds_s))};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{at - day};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

double cores_of(const JobSpec& job) {
  double cores = 0;
  for (const PhaseSpec& phase : job.phases)
    cores += static_cast<double>(phase.request.cores.count()) / 1000 * phase.tasks;
  return cores;
}

double cores_of(const Scenario& scenario) {
  double cores = 0;
  for (const NodeSpec& node : scenario.cluster.nodes)
    cores += static_cast<double>(node.allowance.cores.count()) / 1000;
  return cores;
}

/// Returns the jobs whose start and end the log has.
std::vector<report::LoggedJob> logged_jobs(const trace::Imported& imported) {
  std::vector<report::LoggedJob> log;
  for (const JobSpec& job : imported.scenario.jobs) {
    const auto found = imported.runs.find(job.name);
    if (found == imported.runs.end()) continue;
    const trace::LoggedRun& run = found->second;
    const double submit_s = to_seconds(job.submit);
    log.push_back({job.name, job.user, job.queue, job.account, cores_of(job), submit_s,
                   submit_s + run.eligible_s, submit_s + run.start_s, submit_s + run.end_s,
                   job.partition, job.qos});
  }
  return log;
}

/// The word for the policy that the import found in slurm.conf, and its name among the variants.
constexpr const char* kConf = "conf";

bool names_conf(const Variant& variant) {
  return variant.name == kConf || variant.name.starts_with(std::string(kConf) + "+");
}

/// Returns the error about an option that names the rules of slurm.conf if there are none.
Error no_conf(const std::string& option) {
  return usage_error(option +
                     ": no slurm.conf among the files says how jobs are scheduled; expected "
                     "policies such as easy");
}

/// Returns the rules that --rules names. `conf`: the policy of slurm.conf; "": it has none.
Result<std::vector<Variant>> rules_of(const WhatifOptions& options, const std::string& conf) {
  const std::string by_default = conf.empty() ? "easy" : kConf;
  Result<std::vector<Variant>> rules = variants_of_policies(
      options.rules.empty() ? by_default : options.rules, {{kConf, conf.empty() ? "slurm" : conf}});
  if (!rules)
    return usage_error("--rules" + rules.error().text.substr(std::string("--policies").size()));
  if (conf.empty() && std::ranges::any_of(*rules, &names_conf))
    return no_conf("--rules " + options.rules);
  if (rules->size() < 2) return rules;
  for (const Variant& one : *rules)
    if (const Result<PolicySpec> policy = parse_policy(*one.policy); policy && policy->external)
      return usage_error("--rules " + options.rules + ": " + *one.policy +
                         " is a program; expected it as the only rule");
  return rules;
}

/// Returns the variants that are asked for, without the rules. `conf`: as above.
Result<std::vector<Variant>> variants_of(const WhatifOptions& options, const std::string& conf) {
  const NamedPolicies named = {{kConf, conf.empty() ? "slurm" : conf}};
  std::vector<Variant> variants;
  if (!options.policies.empty())
    HEDDLE_TRY(put(variants_of_policies(options.policies, named), variants));
  if (conf.empty() && std::ranges::any_of(variants, &names_conf))
    return no_conf("--policies " + options.policies);
  for (const std::string& text : options.variants) {
    Result<Variant> variant = parse_variant(text, named);
    if (!variant) return std::move(variant).error();
    // Without slurm.conf, another policy stands for its name.
    if (const Result<Variant> other = parse_variant(text, {{kConf, "fifo"}});
        conf.empty() && other && other->policy != variant->policy)
      return no_conf("--variant " + variant->name);
    if (variant->name == "log" || variant->name == "simulated")
      return usage_error("--variant " + variant->name +
                         ": the tables have a row of this name; expected another one");
    variants.push_back(*std::move(variant));
  }
  for (const std::string& text : options.over) {
    Result<SweptKey> key = parse_over(text);
    if (!key) return std::move(key).error();
    for (const std::vector<std::string>& point : points_of({*key}))
      variants.push_back(variant_of_point({*key}, point));
  }
  return variants;
}

/// A log that was imported.
struct Log {
  std::string text;   ///< of the scenario
  std::string where;  ///< names the scenario in errors
  std::string name;   ///< of the scenario
  double cores = 0;   ///< of the cluster
  std::string conf;   ///< the policy of slurm.conf; "": none
  report::WhatIf answer;
  /// Perturbed simulations of the chosen rule, if they were made to choose it.
  std::vector<report::PerturbedRun> of_rule = {};
};

/// Returns the first word that is a file. The word before it can be a format.
std::string first_file(const std::vector<std::string>& words) {
  std::error_code error;
  const auto found =
      std::ranges::find_if(words, [&](const std::string& word) { return fs::exists(word, error); });
  return found == words.end() ? words.back() : *found;
}

Result<Log> read_log(const WhatifOptions& options) {
  ImportWords words = options.log;
  words.options.as_it_ran = true;
  if (words.work.empty()) words.work = "cpu";  // so that suspended jobs stand still
  trace::ImportReport report;
  Result<trace::Imported> imported = import_files("whatif", words, report);
  if (!options.quiet && (imported || report.rows > 0)) say_lines(report.text());
  if (!imported) return std::move(imported).error();
  Log log;
  log.answer.log = logged_jobs(*imported);
  const std::string file = first_file(words.words);
  if (log.answer.log.empty())
    return usage_error(file +
                       ": the log does not say when jobs started; expected output of sacct -P, an "
                       "SWF log with wait times, jobs.csv of Batsim, or Alibaba's lists of pods");
  if (imported->has_policy) log.conf = policy_text(imported->scenario.policy);
  log.text = trace::replay_text(*imported, "as-made");
  log.where = "(scenario made of " + file + ")";
  Overrides overrides;
  overrides.set = options.set;
  const Result<CheckedScenario> checked =
      workloads::read_scenario_text(log.text, log.where, overrides);
  if (!checked) return checked.error();
  log.name = checked->scenario.name;
  log.cores = cores_of(checked->scenario);
  log.answer.scenario = log.name;
  log.answer.files = words.words;
  log.answer.renamed = imported->renamed;
  log.answer.begin = date_text(imported->origin);
  log.answer.without_start = std::ssize(imported->scenario.jobs) - std::ssize(log.answer.log);
  return log;
}

/// Returns the scenario of each variant, for simulations. Their changes are made after `set`.
Result<std::vector<Scenario>> scenarios_of(const Log& log, const std::vector<std::string>& set,
                                           const std::vector<Variant>& variants) {
  std::vector<Scenario> scenarios;
  for (const Variant& variant : variants) {
    Overrides overrides;
    overrides.policy = variant.policy;
    overrides.set = set;
    overrides.set.insert(overrides.set.end(), variant.set.begin(), variant.set.end());
    Result<CheckedScenario> checked = workloads::read_scenario_text(log.text, log.where, overrides);
    if (!checked) return std::move(checked).error().in(variant.name);
    scenarios.push_back(resolve_simulated(checked->scenario));
  }
  return scenarios;
}

/// Calls `work(i)` for each i below `count`, on all CPUs at the same time, until the user stops it.
void for_each_at_once(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto go_on = [&] {
    for (std::size_t i = next++; i < count && !asked_to_stop(); i = next++) work(i);
  };
  std::vector<std::jthread> threads;
  const std::size_t most = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < std::min(most, count); ++i) threads.emplace_back(go_on);
}

/// Returns nullopt if the text is empty.
std::optional<report::Price> price_of(const std::string& text) {
  const Result<report::Price> parsed = report::parse_price(text);
  return parsed ? std::optional(*parsed) : std::nullopt;
}

/// Simulates a scenario with perturbed times. Returns none for external policies, because their
/// programs would run all at the same time, and if a simulation fails.
std::vector<report::PerturbedRun> perturbed_runs(const WhatifOptions& options, const Log& log,
                                                 const std::string& name,
                                                 const Scenario& scenario) {
  const auto keys = static_cast<std::size_t>(options.perturb);
  if (keys == 0 || scenario.policy.external) return {};
  if (!options.quiet) say(name + ": " + std::to_string(keys) + " simulations with perturbed times");
  const std::optional<report::Price> price = price_of(options.price);
  std::map<std::string, double> run_s;
  for (const report::LoggedJob& job : log.answer.log) run_s[job.name] = job.end_s - job.start_s;
  std::vector<std::optional<report::PerturbedRun>> runs(keys);
  for_each_at_once(keys, [&](std::size_t key) {
    Scenario perturbed = scenario;
    report::perturb(perturbed, run_s, key + 1);
    if (const Result<Json> summary = report::simulated_summary(perturbed))
      runs[key] = report::perturbed_run(report::replay_of("", {*summary}, price), log.answer.log);
  });
  std::vector<report::PerturbedRun> made;
  for (std::optional<report::PerturbedRun>& run : runs)
    if (run) made.push_back(*std::move(run));
  return made.size() == keys ? made : std::vector<report::PerturbedRun>();
}

/// Replaces the figures of a simulation by the means of perturbed ones, if there are any.
void take_perturbed(report::Replay& replay, const Log& log,
                    std::vector<report::PerturbedRun> runs) {
  if (!runs.empty()) report::take_perturbed(replay, log.answer.log, std::move(runs));
}

/// Simulates the log under each of several rules at the same time, notes how far each is from the
/// log, and returns the place of the nearest.
Result<std::size_t> try_rules(const WhatifOptions& options, const std::vector<Variant>& rules,
                              Log& log) {
  std::vector<Scenario> scenarios;
  HEDDLE_TRY(put(scenarios_of(log, options.set, rules), scenarios));
  std::vector<Result<Json>> summaries(rules.size(), Result<Json>(Json()));
  for_each_at_once(rules.size(), [&](std::size_t i) {
    if (!options.quiet) say("trying the rules " + rules[i].name);
    summaries[i] = report::simulated_summary(scenarios[i]);
  });
  std::vector<std::vector<report::PerturbedRun>> perturbed;
  std::vector<report::Calibration>& tried = log.answer.tried;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (!summaries[i]) return std::move(summaries[i]).error().in(rules[i].name);
    report::Replay replay = report::replay_of(rules[i].name, {*summaries[i]});
    perturbed.push_back(perturbed_runs(options, log, rules[i].name, scenarios[i]));
    take_perturbed(replay, log, perturbed.back());
    tried.push_back(report::calibrate(log.answer.log, replay, log.cores));
    if (tried.back().groups.empty())
      return aborted_error(rules[i].name + ": no job of the log started in the simulation");
  }
  const std::size_t nearest = report::nearest(tried);
  log.of_rule = std::move(perturbed[nearest]);
  return nearest;
}

/// Returns the simulations of a batch by variant; nullopt: none of its runs has ended.
std::vector<std::optional<report::Replay>> replays_in(const std::string& dir,
                                                      const BatchPlan& plan) {
  const std::optional<report::Price> price = price_of(plan.price);
  const std::vector<int> repeats = repeats_of(plan);
  std::vector<std::optional<report::Replay>> replays(plan.variants.size());
  for (std::size_t i = 0; i < plan.variants.size(); ++i) {
    std::vector<Json> summaries;
    for (int repeat = 0; repeat < repeats[i]; ++repeat) {
      const std::string path = dir + "/" + record_file(cell_name(plan, {i, repeat}));
      const Result<std::string> text = read_found_file(path, kMostResultBytes);
      if (!text) continue;
      Result<CellRecord> record = read_record(*text, path);
      if (record && record->summary) summaries.push_back(*std::move(record->summary));
    }
    if (!summaries.empty()) replays[i] = report::replay_of(plan.variants[i].name, summaries, price);
  }
  return replays;
}

/// Replaces the figures of the batch's simulations by the means of perturbed ones. The first
/// simulation is that of the rule.
Result<void> perturb_all(const WhatifOptions& options, const Log& log, const BatchPlan& plan,
                         std::vector<std::optional<report::Replay>>& replays) {
  std::vector<Scenario> scenarios;
  HEDDLE_TRY(put(scenarios_of(log, options.set, plan.variants), scenarios));
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    if (!replays[i]) continue;
    const bool known = i == 0 && !log.of_rule.empty();
    take_perturbed(
        *replays[i], log,
        known ? log.of_rule : perturbed_runs(options, log, replays[i]->name, scenarios[i]));
  }
  return {};
}

/// Returns what the batch in the directory says. Error (kAborted): the simulation of the rules is
/// missing.
Result<Json> answer_in(const WhatifOptions& options, const std::string& dir, Log log) {
  const Result<BatchPlan> plan = read_plan_in(dir);
  if (!plan) return plan.error();
  std::vector<std::optional<report::Replay>> replays = replays_in(dir, *plan);
  HEDDLE_TRY(perturb_all(options, log, *plan, replays));
  report::WhatIf& answer = log.answer;
  if (!replays.front())
    return aborted_error(dir + ": the simulation of " + plan->variants.front().name +
                         " is missing, so there is no calibration");
  answer.calibrated = *std::move(replays.front());
  answer.calibration = report::calibrate(answer.log, answer.calibrated, log.cores);
  if (answer.calibration.groups.empty())
    return aborted_error(answer.calibrated.name + ": no job of the log started in the simulation");
  answer.policy = plan->variants.front().policy.value_or("");
  if (answer.tried.empty()) answer.tried.push_back(answer.calibration);
  for (std::size_t i = 1; i < replays.size(); ++i)
    if (replays[i]) answer.variants.push_back(*std::move(replays[i]));
  if (const Result<report::Price> price = report::parse_price(plan->price))
    answer.price = report::price_text(*price);
  return report::whatif_json(answer);
}

Result<void> write_answer(const std::string& dir, const Json& answer, const std::string& log) {
  HEDDLE_TRY(replace_file(dir + "/" + kWhatifFile, answer.dump(1) + "\n"));
  HEDDLE_TRY(replace_file(dir + "/" + kLogFile, log));
  return report::note_files(dir, {kWhatifFile, kLogFile});
}

BatchOptions batch_of(const WhatifOptions& options, const Log& log, const Variant& rule,
                      std::vector<Variant> variants) {
  BatchOptions batch;
  batch.plan.kind = "compare";
  batch.plan.simulate = true;
  batch.plan.text = log.text;
  batch.plan.price = options.price;
  batch.plan.variants = {rule};
  for (Variant& variant : variants) {
    if (variant == rule) continue;
    if (!variant.policy) variant.policy = rule.policy;
    batch.plan.variants.push_back(std::move(variant));
  }
  batch.run.scenario = log.where;
  batch.run.overrides.set = options.set;
  batch.run.quiet = options.quiet;
  batch.repeat = options.repeat;
  batch.printing.nothing = true;
  batch.printing.open = options.open;
  return batch;
}

/// Adds to an error about the name of a node which nodes have other names, and that a partition can
/// list a node that a variant takes away.
Error with_names(Error error, const std::string& renamed) {
  if (error.text.find("no node is called") == std::string::npos) return error;
  if (!renamed.empty()) error.text += "; nodes of the log have other names here: " + renamed;
  if (error.text.find(": partitions.") != std::string::npos)
    error.text +=
        "; if a variant has fewer nodes, change the partition too: partitions.NAME.nodes=[…]";
  return error;
}

}  // namespace

Result<int> whatif_command(const WhatifOptions& options) {
  if (options.perturb > 0 && options.perturb < kLeastPerturbations)
    return usage_error("--perturb " + std::to_string(options.perturb) + ": expected 0, or " +
                       std::to_string(kLeastPerturbations) + " to " +
                       std::to_string(kMostPerturbations) +
                       ", since fewer don't show what is chance");
  // Mistakes in the options come before a long log is read.
  if (const auto rules = rules_of(options, "slurm"); !rules) return rules.error();
  if (const auto variants = variants_of(options, "slurm"); !variants) return variants.error();
  Result<Log> log = read_log(options);
  if (!log) return std::move(log).error();
  Result<std::vector<Variant>> rules = rules_of(options, log->conf);
  if (!rules) return std::move(rules).error();
  Result<std::vector<Variant>> variants = variants_of(options, log->conf);
  if (!variants) return std::move(variants).error();
  std::size_t chosen = 0;
  if (rules->size() > 1) HEDDLE_TRY(put(try_rules(options, *rules, *log), chosen));
  BatchOptions batch = batch_of(options, *log, (*rules)[chosen], *std::move(variants));
  std::string out = options.out;
  if (out.empty()) {
    // An error in a variant must leave no directory.
    const Result<BatchPlan> complete = complete_plan(batch, "");
    if (!complete) return with_names(complete.error(), log->answer.renamed);
    HEDDLE_TRY(put(claim_out("results/" + log->name + "-whatif-" + local_time(), true), out));
  }
  batch.run.out = out;
  const Result<int> status = run_batch(batch);
  if (!status) return with_names(status.error(), log->answer.renamed);
  if (*status == kExitInterrupted) return status;
  if (const Result<std::string> made = read_file(out + "/" + kComparisonFile))
    if (const std::string missing = report::missing_text(wire::parse_json(*made)); !missing.empty())
      say(missing);
  const std::string table = report::log_csv(log->answer.log);
  const Result<Json> answer = answer_in(options, out, *std::move(log));
  if (!answer) return answer.error();
  if (asked_to_stop()) return kExitInterrupted;
  HEDDLE_TRY(write_answer(out, *answer, table));
  const report::BatchFormat format = report::format_of(options.format);
  std::cout << report::format_whatif(*answer, format, table_width(options.wide));
  if (format == report::BatchFormat::kText)
    std::cout << "\nresults: " << out << "/whatif.json, " << out << "/log.csv, " << out
              << "/compare.html (one simulation of each, without moved times)\n";
  return status;
}

}  // namespace heddle::cli
