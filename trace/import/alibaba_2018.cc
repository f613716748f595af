#include <cctype>
#include <charconv>
#include <map>
#include <set>

#include "trace/import/alibaba_batch.h"

namespace heddle::trace {
namespace alibaba {
namespace {

constexpr Repair kSameNumber{"same_number",
                             "a task has the number of another task of its job: kept, and "
                             "dependencies mean the first"};

/// Returns the number of a task, and the numbers of the tasks that must be complete. Returns
/// nothing if the name is of no task of a graph. "R4_2_3" is task 4 after the tasks 2 and 3.
std::vector<std::int64_t> numbers_of(std::string_view name) {
  std::vector<std::int64_t> numbers;
  std::size_t at = 0;
  while (at < name.size() && std::isalpha(static_cast<unsigned char>(name[at]))) ++at;
  while (at > 0 && at < name.size()) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(name.data() + at, name.data() + name.size(), value);
    if (error != std::errc() || value < 0) break;
    numbers.push_back(value);
    at = static_cast<std::size_t>(end - name.data());
    if (at >= name.size() || name[at] != '_') break;
    ++at;
  }
  return numbers;
}

/// Removes dependencies from phases that depend on themselves through others. Returns their number.
class CycleBreaker {
 public:
  explicit CycleBreaker(std::vector<PhaseSpec>& phases)
      : phases_(phases), states_(phases.size(), State::kNew) {}

  int run() {
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (states_[i] == State::kNew) visit(i);
    return removed_;
  }

 private:
  enum class State { kNew, kOpen, kDone };

  // The recursion is at most as deep as a job has phases, 1000.
  void visit(std::size_t index) {
    states_[index] = State::kOpen;
    removed_ += static_cast<int>(std::erase_if(phases_[index].after, [&](int after) {
      const auto next = static_cast<std::size_t>(after);
      if (states_[next] == State::kNew) visit(next);
      return states_[next] == State::kOpen;
    }));
    states_[index] = State::kDone;
  }

  std::vector<PhaseSpec>& phases_;
  std::vector<State> states_;
  int removed_ = 0;
};

/// Sets the dependencies of the phases by the names of their tasks.
void link(const std::string& id, const Job& job, std::vector<PhaseSpec>& phases,
          ImportReport& report) {
  const std::string where = "job " + id.substr(0, kLongestName);
  std::map<std::int64_t, int> by_number;
  std::vector<std::vector<std::int64_t>> numbers;
  for (std::size_t i = 0; i < job.tasks.size(); ++i) {
    numbers.push_back(numbers_of(job.tasks[i].name));
    if (!numbers[i].empty() && !by_number.emplace(numbers[i].front(), static_cast<int>(i)).second)
      report.repaired(kSameNumber, where);
  }
  for (std::size_t i = 0; i < phases.size(); ++i) {
    std::set<int> after;
    for (std::size_t k = 1; k < numbers[i].size(); ++k) {
      const auto found = by_number.find(numbers[i][k]);
      if (found == by_number.end() || found->second == static_cast<int>(i))
        report.repaired(kNoDependency, where);
      else
        after.insert(found->second);
    }
    phases[i].after.assign(after.begin(), after.end());
  }
  for (int removed = CycleBreaker(phases).run(); removed > 0; --removed)
    report.repaired(kNoDependency, where);
}

constexpr auto kTasks2018 = task_columns(
    {.job = 2, .task = 0, .status = 4, .start = 5, .end = 6, .cpu = 7, .memory = 8}, 1, 100);
constexpr auto kInstances2018 = instance_columns(
    {.job = 2, .task = 1, .status = 4, .start = 5, .end = 6, .cpu = 10, .memory = 12}, 100, 100);
const Year kYear2018{
    .tasks = {kTasks2018, {.fields = 9, .header = true}},
    .instances = {kInstances2018, {.fields = 14, .header = true}},
    .link = &link,
    .machine = {Millicores(96'000), EmuBytes(384LL << 30)},
    .expected = "9 fields: task, instances, job, type, status, start time, end time, CPU, memory"};

}  // namespace
}  // namespace alibaba

const FormatCode formats::alibaba_2018{
    [](std::string_view head) { return looks_like(alibaba::kYear2018.tasks, head); },
    [](std::vector<Input>& files, const ImportOptions& options, JobCollection& jobs,
       ImportReport& report) {
      return alibaba::import(alibaba::kYear2018, files, options, jobs, report);
    }};

}  // namespace heddle::trace
