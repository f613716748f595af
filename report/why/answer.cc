#include "report/why/answer.h"

#include "common/result_files.h"
#include "report/journal_reader.h"
#include "report/why/replay.h"

namespace heddle::report {
namespace {

/// Returns why the replay stopped early. Returns "" if the replay reached the journal's end or
/// answered all questions.
Result<std::string> feed(WhyReplay& replay, JournalReader& journal) {
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

/// Continues the log of a job after the replay stopped early.
void tell_rest(const RunHistory& history, JobId id, EmuTime from, WaitLog& log) {
  std::vector<AttemptRow> attempts;
  for (const AttemptRow& attempt : history.attempts)
    if (attempt.phase.job == id) attempts.push_back(attempt);
  tell_attempts(history.job(id), attempts, from, log);
}

WhyAnswer answer_of(const RunHistory& history, JobId id, const WaitLog& log, bool later) {
  WhyAnswer answer{history.scenario,
                   history.summary.at("jobs").at(static_cast<std::size_t>(id.value)),
                   id,
                   {},
                   {},
                   losses_of(history.scenario, history.nodes, history.attempts, id),
                   {}};
  const EmuTime submit = *time_of(answer.job.at("submit_s"));
  const std::optional<EmuTime> start = time_of(answer.job.at("start_s"));
  const EmuTime end = time_of(answer.job.at("finish_s")).value_or(history.end);
  const Obstacle before{{id, -1}, {}, obstacle::NotSubmitted{}};
  answer.waiting = log.all(submit, start.value_or(end), before);
  if (!later) return answer;
  answer.later = start ? log.waits(*start, end) : std::vector<WaitInterval>();
  // In a real run, the report of a start reaches the master after the start. The time between them
  // belongs to the waiting.
  if (!answer.later->empty() && answer.later->front().from == *start)
    answer.later->erase(answer.later->begin());
  return answer;
}

}  // namespace

Result<std::vector<WhyAnswer>> why_answers(const std::string& dir, const RunHistory& history,
                                           const std::vector<JobId>& jobs, bool later) {
  Result<JournalReader> journal = JournalReader::open(journal_of(dir));
  if (!journal) return std::move(journal).error();
  WhyReplay replay(history.scenario, jobs, later);
  Result<std::string> trouble = feed(replay, *journal);
  if (!trouble) return std::move(trouble).error();
  std::vector<WhyAnswer> answers;
  for (JobId id : jobs) {
    if (!trouble->empty()) tell_rest(history, id, replay.now(), replay.log(id));
    answers.push_back(answer_of(history, id, replay.log(id), later));
    if (!trouble->empty()) answers.back().note = "only partly known: " + *trouble;
  }
  return answers;
}

}  // namespace heddle::report
