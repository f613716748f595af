#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/scenario/job_spec.h"
#include "yaml/field.h"

namespace heddle {

/// A condition on other jobs, as scenarios have it.
struct WrittenCondition {
  std::string job;  ///< the name of a job, or of an entry with a count
  AfterWhen when = AfterWhen::kOk;
  EmuTime delay;
};

/// Reads a list of conditions, and calls `take` with each and its place. Reports what is wrong.
void read_conditions(const Field& field,
                     const std::function<void(WrittenCondition, const Field&)>& take);
/// Returns the conditions as a list on one line, such as [prep, {job: main, when: any}].
std::string conditions_text(const JobSpec& job, const std::vector<JobSpec>& jobs);

/// Returns the conditions as a cell of a table of jobs, such as prep;main:any:60.
std::string conditions_cell(const JobSpec& job, std::span<const JobSpec> jobs);
/// The form of such a cell, for errors.
inline constexpr const char* kConditionsForm =
    "names of jobs, separated by ;, each alone or as name:ok, notok, any or start:seconds";
/// Reads such a cell. Returns nullopt if it is wrong.
std::optional<std::vector<WrittenCondition>> parse_conditions(std::string_view cell);

/// Collects the conditions of jobs while their scenario is being read. The jobs that they name can
/// come later.
class Conditions {
 public:
  /// Reports what is wrong with a condition.
  using Wrong = std::function<void(const std::string& text)>;

  /// Says that the entry with a count of this name is the jobs from index `first` on, before `end`.
  void name(const std::string& entry, std::size_t first, std::size_t end);
  /// Adds a condition of these jobs.
  void add(std::size_t first, std::size_t end, WrittenCondition condition, Wrong wrong);
  /// Sets JobSpec::after of all jobs. Reports unknown names and cycles.
  void resolve(std::vector<JobSpec>& jobs) const;

 private:
  struct Range {
    std::size_t first, end;
  };
  struct Pending {
    Range jobs;
    WrittenCondition condition;
    Wrong wrong;
  };
  /// Returns the names of the jobs and of the entries with a count, in order.
  std::vector<std::string> names_of(const std::vector<JobSpec>& jobs) const;
  void report_cycle(const std::vector<JobSpec>& jobs) const;

  std::unordered_map<std::string, Range> entries_;
  std::vector<Pending> pending_;
};

}  // namespace heddle
