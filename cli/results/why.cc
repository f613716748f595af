#include <algorithm>
#include <charconv>
#include <iostream>

#include "cli/base/exit_status.h"
#include "cli/results/commands.h"
#include "cli/results/results.h"
#include "common/result_files.h"
#include "common/text.h"
#include "report/history.h"
#include "report/journal_reader.h"
#include "report/why/replay.h"
#include "report/why/text.h"

namespace heddle::cli {
namespace {

Result<JobId> job_named(const Scenario& scenario, const std::string& word) {
  std::vector<std::string> names;
  for (const JobSpec& job : scenario.jobs) names.push_back(job.name);
  const auto named = std::find(names.begin(), names.end(), word);
  if (named != names.end()) return JobId{named - names.begin()};
  std::int64_t index = -1;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, index);
  if (error == std::errc() && stop == end && index >= 0 && index < std::ssize(names))
    return JobId{index};
  const std::string problem =
      with_nearest("there is no job \"" + word + "\" in this run", word, names);
  constexpr std::size_t kListed = 10;
  const std::size_t count = names.size();
  names.resize(std::min(count, kListed));
  return usage_error(problem + " (jobs: " + join(names) + (count > kListed ? ", …" : "") +
                     "; or an index, 0 to " + std::to_string(count - 1) + ")");
}

/// Returns why the replay stopped early. Returns "" if the replay reached the journal's end or
/// answered all questions.
Result<std::string> feed(report::WhyReplay& replay, report::JournalReader& journal) {
  while (!replay.settled()) {
    Result<std::optional<wire::Json>> record = journal.next();
    if (!record) return std::move(record).error();
    Result<void> went = *record ? replay.add(**record) : replay.finish();
    if (!went) return std::move(went).error().in(journal.where()).text;
    if (replay.difference())
      return "from " + wire::Json(to_seconds(replay.difference()->now)).dump() +
             " s on, this version of Heddle makes other decisions than the run did (heddle replay "
             "shows the difference)";
    if (!*record) break;
  }
  return std::string();
}

Result<report::WhyAnswer> answer_of(const WhyOptions& options, const report::RunHistory& history) {
  const Scenario& scenario = history.scenario;
  const Result<JobId> id = job_named(scenario, options.job);
  if (!id) return id.error();
  Result<report::JournalReader> journal = report::JournalReader::open(journal_of(options.dir));
  if (!journal) return std::move(journal).error();
  report::WhyReplay replay(scenario, {*id}, options.later);
  Result<std::string> trouble = feed(replay, *journal);
  if (!trouble) return std::move(trouble).error();
  report::WhyAnswer answer{
      scenario, history.summary.at("jobs").at(static_cast<std::size_t>(id->value)), *id, {}, {},
      {}};
  report::WaitLog& log = replay.log(*id);
  if (!trouble->empty()) {
    std::vector<report::AttemptRow> attempts;
    for (const report::AttemptRow& attempt : history.attempts)
      if (attempt.phase.job == *id) attempts.push_back(attempt);
    report::tell_attempts(scenario.jobs[static_cast<std::size_t>(id->value)], attempts,
                          replay.now(), log);
    answer.note = "only partly known: " + *trouble;
  }
  const EmuTime submit = *report::time_of(answer.job.at("submit_s"));
  const std::optional<EmuTime> start = report::time_of(answer.job.at("start_s"));
  const EmuTime end = report::time_of(answer.job.at("finish_s")).value_or(history.end);
  const Obstacle before{{*id, -1}, {}, obstacle::NotSubmitted{}};
  answer.waiting = log.all(submit, start.value_or(end), before);
  if (!options.later) return answer;
  answer.later = start ? log.waits(*start, end) : std::vector<report::WaitInterval>();
  // In a real run, the report of a start reaches the master after the start. The time between them
  // belongs to the waiting.
  if (!answer.later->empty() && answer.later->front().from == *start)
    answer.later->erase(answer.later->begin());
  return answer;
}

}  // namespace

Result<int> why_command(const WhyOptions& options) {
  Result<Scenario> scenario = scenario_of(options.dir);
  if (!scenario) return std::move(scenario).error();
  Result<report::RunHistory> history =
      report::read_history(options.dir, *std::move(scenario), /*decisions=*/false);
  if (!history) return std::move(history).error();
  Result<report::WhyAnswer> answer = answer_of(options, *history);
  if (!answer) return std::move(answer).error();
  std::cout << (options.json ? report::why_json(*answer).dump(
                                   2, ' ', false, wire::Json::error_handler_t::replace) +
                                   "\n"
                             : report::why_text(*answer));
  return kExitDone;
}

}  // namespace heddle::cli
