#include "yaml/conditions.h"

#include <algorithm>
#include <tuple>

#include "common/cycle.h"
#include "common/text.h"
#include "yaml/keys.h"
#include "yaml/limits.h"
#include "yaml/sections.h"
#include "yaml/text.h"

namespace heddle {

template <>
void describe(Keys& keys, const WrittenCondition& condition) {
  keys.name("job", condition.job, "a job, or all jobs of an entry with a count").needed();
  keys.word("when", condition.when,
            "ok: the job has completed; notok: it has ended in any other way; any: it has ended; "
            "start: it has started, or has ended without a start");
  keys.number("delay", condition.delay, measure::kDuration, {EmuTime(0), kMaxInstant},
              "time from then on until the condition holds")
      .rarely();
}

const Keys& condition_keys() { return keys_of<WrittenCondition>("condition"); }

void read_conditions(const Field& field,
                     const std::function<void(WrittenCondition, const Field&)>& take) {
  if (!field.is_list("a list of jobs such as [prep] or [{job: prep, when: any}]")) return;
  for (std::size_t i = 0; i < field.node().items.size(); ++i) {
    const Field item = field.item(i);
    WrittenCondition condition;
    if (item.is(YamlNode::Kind::kScalar))
      condition_keys().find("job")->form->read(item, &condition.job);
    else
      Section(item, condition_keys()).read(&condition);
    if (!condition.job.empty()) take(std::move(condition), item);
  }
}

namespace {

WrittenCondition written(const JobCondition& condition, std::span<const JobSpec> jobs) {
  return {jobs[condition.job.value].name, condition.when, condition.delay};
}

bool is_plain(const WrittenCondition& condition) {
  return condition.when == AfterWhen::kOk && condition.delay == EmuTime(0);
}

}  // namespace

std::string conditions_text(const JobSpec& job, const std::vector<JobSpec>& jobs) {
  return list_text(job.after, [&](const JobCondition& condition) {
    const WrittenCondition text = written(condition, jobs);
    return is_plain(text) ? name_text(text.job) : flow_text(condition_keys(), &text);
  });
}

std::string conditions_cell(const JobSpec& job, std::span<const JobSpec> jobs) {
  std::string cell;
  for (const JobCondition& condition : job.after) {
    const WrittenCondition text = written(condition, jobs);
    cell += (cell.empty() ? "" : ";") + text.job;
    if (is_plain(text)) continue;
    cell += ":" + std::string(word_of(text.when));
    if (text.delay != EmuTime(0)) cell += ":" + measure::kDuration.print_plain(text.delay);
  }
  return cell;
}

std::optional<std::vector<WrittenCondition>> parse_conditions(std::string_view cell) {
  std::vector<WrittenCondition> conditions;
  while (!cell.empty()) {
    std::string_view text = take_until(cell, ';');
    WrittenCondition& condition = conditions.emplace_back();
    condition.job = take_until(text, ':');
    if (!valid_name(condition.job)) return std::nullopt;
    if (text.empty()) continue;
    const auto word = std::ranges::find(kWords<AfterWhen>, take_until(text, ':'));
    if (word == kWords<AfterWhen>.end()) return std::nullopt;
    condition.when = static_cast<AfterWhen>(word - kWords<AfterWhen>.begin());
    if (text.empty()) continue;
    const std::optional<EmuTime> delay = measure::kDuration.parse_plain(text);
    if (!delay || *delay < EmuTime(0) || *delay > kMaxInstant) return std::nullopt;
    condition.delay = *delay;
  }
  return conditions;
}

void Conditions::name(const std::string& entry, std::size_t first, std::size_t end) {
  entries_.emplace(entry, Range{first, end});
}

void Conditions::add(std::size_t first, std::size_t end, WrittenCondition condition, Wrong wrong) {
  pending_.push_back({{first, end}, std::move(condition), std::move(wrong)});
}

std::vector<std::string> Conditions::names_of(const std::vector<JobSpec>& jobs) const {
  std::vector<std::string> known;
  for (const JobSpec& job : jobs) known.push_back(job.name);
  for (const auto& [entry, range] : entries_) known.push_back(entry);
  std::ranges::sort(known);
  return known;
}

void Conditions::resolve(std::vector<JobSpec>& jobs) const {
  if (pending_.empty()) return;
  constexpr int kMostWrong = 20;
  std::unordered_map<std::string_view, Range> names;
  for (std::size_t i = 0; i < jobs.size(); ++i) names.emplace(jobs[i].name, Range{i, i + 1});
  std::vector<std::string> known;  // made for the first wrong name
  std::size_t count = 0;
  int wrongs = 0;
  for (const auto& [own, condition, wrong] : pending_) {
    const auto job = names.find(condition.job);
    const auto entry = entries_.find(condition.job);
    if (job == names.end() && entry == entries_.end()) {
      if (++wrongs > kMostWrong) return;
      if (known.empty()) known = names_of(jobs);
      wrong(with_nearest("no job is called \"" + condition.job + "\"; expected the name of a job",
                         condition.job, known));
      continue;
    }
    if (job != names.end() && entry != entries_.end())
      return wrong("\"" + condition.job +
                   "\" is a job, and also an entry with a count; expected different names");
    const auto [first, end] = job != names.end() ? job->second : entry->second;
    count += (own.end - own.first) * (end - first);
    if (count > kMaxAllConditions)
      return wrong("makes more than " + std::to_string(kMaxAllConditions) +
                   " conditions of jobs in all; expected fewer, such as a job in between");
    for (std::size_t i = own.first; i < own.end; ++i)
      for (std::size_t other = first; other < end; ++other)
        jobs[i].after.push_back(
            {JobId{static_cast<std::int64_t>(other)}, condition.when, condition.delay});
  }
  for (JobSpec& job : jobs) {
    const auto as_tuple = [](const JobCondition& it) {
      return std::tuple(it.job, it.when, it.delay);
    };
    std::ranges::sort(job.after, {}, as_tuple);
    job.after.erase(std::unique(job.after.begin(), job.after.end()), job.after.end());
  }
  report_cycle(jobs);
}

void Conditions::report_cycle(const std::vector<JobSpec>& jobs) const {
  const std::vector<std::size_t> cycle = find_cycle(jobs.size(), [&](std::size_t i) {
    std::vector<std::size_t> before;
    for (const JobCondition& condition : jobs[i].after)
      before.push_back(static_cast<std::size_t>(condition.job.value));
    return before;
  });
  if (cycle.empty()) return;
  std::string text = jobs[cycle.front()].name;
  const std::size_t named = std::min<std::size_t>(cycle.size(), 10);
  for (std::size_t i = 1; i < named; ++i) text += " after " + jobs[cycle[i]].name;
  text += named < cycle.size() ? " …" : " after " + jobs[cycle.front()].name;
  const auto of_cycle = [&](const Pending& one) {
    return one.jobs.first <= cycle.front() && cycle.front() < one.jobs.end;
  };
  std::ranges::find_if(pending_, of_cycle)
      ->wrong("the conditions form a cycle: " + text +
              "; expected an order in which the jobs can run");
}

}  // namespace heddle
