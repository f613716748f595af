#include "trace/import/collection.h"

#include <algorithm>

#include "common/text.h"
#include "core/scenario/draw.h"
#include "core/scenario/quantity_text.h"

namespace heddle::trace {
namespace {

/// FNV-1a (RFC 9923), so that a sample is the same on every machine.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

bool is_number(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Number of names of users and queues in a trace that are remembered.
constexpr std::size_t kMostFound = 100'000;

void note(std::set<std::string, std::less<>>& names, std::string_view name) {
  if (!name.empty() && names.size() < kMostFound && !names.contains(name)) names.emplace(name);
}

void check(const char* option, const std::set<std::string>& given,
           const std::set<std::string, std::less<>>& found) {
  if (found.size() >= kMostFound) return;
  for (const std::string& name : given) {
    if (found.contains(name)) continue;
    constexpr std::size_t kListed = 10;
    const std::vector<std::string> known(found.begin(), found.end());
    const std::vector<std::string> listed(
        known.begin(),
        known.begin() + static_cast<std::ptrdiff_t>(std::min(known.size(), kListed)));
    throw BadTrace{
        with_nearest(std::string(option) + " " + name + ": no job of the trace has it", name,
                     known) +
            (known.empty() ? "; the trace names none"
                           : " (known: " + join(listed) + (known.size() > kListed ? ", …)" : ")")),
        true};
  }
}

/// Returns the name of a job, which becomes unique later.
std::string name_of(std::string_view id) { return as_in_names("job-" + std::string(id)); }

}  // namespace

std::string as_in_names(std::string_view text) {
  std::string name(text.substr(0, kLongestName));
  for (char& c : name)
    if (!valid_name(std::string("a") + c)) c = '_';
  return name;
}

std::string UniqueNames::of(const std::string& base) {
  if (taken_.insert(base).second) return base;
  int& number = next_.try_emplace(base, 2).first->second;
  for (;; ++number) {
    const std::string behind = "-" + std::to_string(number);
    std::string name = base.substr(0, kLongestName - behind.size()) + behind;
    if (taken_.insert(name).second) return name;
  }
}

const std::string& Names::of(std::string_view text) {
  if (const auto known = names_.find(text); known != names_.end()) return known->second;
  std::string base = as_in_names(text);
  if (is_number(base))  // also if it is empty
    base = base.empty() ? prefix_ : prefix_ + "-" + base;
  else if (!valid_name(base))  // it begins with another character than a letter or a digit
    base = (prefix_ + base).substr(0, kLongestName);
  std::string name = unique_.of(base.substr(0, kLongestName));
  if (!is_number(text) && name != text) report_.rename(std::string(text), name);
  return names_.emplace(text, std::move(name)).first->second;
}

void JobCollection::check_names() const {
  check("--users", options_.users, found_users_);
  check("--queues", options_.queues, found_queues_);
}

std::string JobCollection::span_text() const {
  const auto seconds = [](EmuTime time) { return print_fraction(to_seconds(time)) + "s"; };
  return "from " + seconds(first_.value_or(EmuTime(0))) + " to " +
         seconds(latest_.value_or(EmuTime(0)));
}

bool JobCollection::takes(std::string_view id, EmuTime submit, std::string_view user,
                          std::string_view queue) {
  ++report_.found;
  first_ = std::min(first_.value_or(submit), submit);
  latest_ = std::max(latest_.value_or(submit), submit);
  if (!options_.users.empty()) note(found_users_, user);
  if (!options_.queues.empty()) note(found_queues_, queue);
  if (options_.from && submit < *options_.from) return false;
  if (options_.until && submit >= *options_.until) return false;
  if (!options_.users.empty() && !options_.users.contains(std::string(user))) return false;
  if (!options_.queues.empty() && !options_.queues.contains(std::string(queue))) return false;
  if (options_.sample && !chance(*options_.sample, draw_key(options_.seed, {hash_of(id)})))
    return false;
  ++report_.chosen;
  return !last_ || submit < *last_;
}

void JobCollection::add(std::string_view id, std::string_view user, std::string_view queue,
                        JobSpec job, std::optional<LoggedRun> run) {
  job.name = name_of(id);
  job.user = users_.of(user);
  const bool by_user = options_.queue_by == QueueBy::kUser;
  if (by_user ? user.empty() : queue.empty())
    job.queue = "default";
  else
    job.queue = by_user ? job.user : queues_.of(queue);
  used_.insert(job.queue);
  jobs_.push_back({std::move(job), run});
  if (options_.jobs) {
    const auto most = static_cast<std::size_t>(*options_.jobs);
    if (jobs_.size() >= 2 * most + 1000) keep_first(most);
  } else if (jobs_.size() > kMostImportedJobs) {
    throw BadTrace{"more than " + std::to_string(kMostImportedJobs) +
                   " jobs are chosen; expected --jobs, --sample, --from or --until"};
  }
}

void JobCollection::keep_first(std::size_t count) {
  std::ranges::stable_sort(jobs_, {}, [](const Collected& one) { return one.job.submit; });
  if (jobs_.size() > count)
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(count), jobs_.end());
  if (options_.jobs && jobs_.size() == count) last_ = jobs_.back().job.submit;
}

JobId JobCollection::number_of(std::string_view id) {
  return JobId{numbers_.emplace(name_of(id), std::ssize(numbers_)).first->second};
}

void JobCollection::settle_conditions() {
  std::vector<std::optional<std::int64_t>> places(numbers_.size());
  std::int64_t lost = 0;
  for (std::int64_t i = 0; i < std::ssize(jobs_); ++i) {
    JobSpec& job = jobs_[static_cast<std::size_t>(i)].job;
    lost += static_cast<std::int64_t>(std::erase_if(job.after, [&](JobCondition& condition) {
      const auto place = places[static_cast<std::size_t>(condition.job.value)];
      condition.job = JobId{place.value_or(0)};
      return !place;
    }));
    std::ranges::sort(job.after, {}, &JobCondition::job);
    settle_eligibility(jobs_[static_cast<std::size_t>(i)]);
    if (const auto known = numbers_.find(job.name); known != numbers_.end())
      places[static_cast<std::size_t>(known->second)] = i;
  }
  report_.state(lost, "condition", "on a job that is not imported or comes later: left out");
}

void JobCollection::settle_eligibility(Collected& collected) const {
  if (!collected.run) return;
  double& eligible_s = collected.run->eligible_s;
  for (const JobCondition& condition : collected.job.after) {
    const Collected& before = jobs_[static_cast<std::size_t>(condition.job.value)];
    if (!before.run) continue;
    const double later_s =
        condition.when == AfterWhen::kStart ? before.run->start_s : before.run->end_s;
    eligible_s =
        std::max(eligible_s,
                 to_seconds(before.job.submit - collected.job.submit + condition.delay) + later_s);
  }
  eligible_s = std::min(eligible_s, collected.run->start_s);
}

std::vector<JobSpec> JobCollection::take() {
  keep_first(options_.jobs ? static_cast<std::size_t>(*options_.jobs) : jobs_.size());
  if (!numbers_.empty()) settle_conditions();
  UniqueNames names;
  std::vector<JobSpec> jobs;
  jobs.reserve(jobs_.size());
  for (Collected& one : jobs_) {
    one.job.name = names.of(one.job.name);
    if (one.run) runs_.emplace(one.job.name, *one.run);
    jobs.push_back(std::move(one.job));
  }
  jobs_.clear();
  return jobs;
}

}  // namespace heddle::trace
