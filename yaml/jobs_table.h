#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/scenario/job_spec.h"
#include "yaml/conditions.h"

namespace heddle {

// Jobs as a table, for scenarios of many jobs. The table follows the end of the YAML document
// ("..."), as comma-separated values. Its first line names the columns
// (docs/reference/scenario.md). A row is a group of equal tasks. A row without a job continues the
// job of the row above, and a row without a phase continues its phase.

/// Largest number of jobs in a table.
inline constexpr std::int64_t kMaxTableJobs = 1'000'000;

/// Divides the text of a scenario at the end of its document. Returns the document and the table
/// that follows; "": there is none.
std::pair<std::string_view, std::string_view> divided(std::string_view scenario);
/// Returns whether a table can hold the job: its phases are maps, reduces and an application master
/// whose tasks have no random work, no pauses and no preferred nodes.
bool fits_table(const JobSpec& job);
/// Returns the table. `counted`: the resources that the cluster counts. REQUIRES: fits_table() for
/// each job.
std::string write_jobs_table(std::span<const JobSpec> jobs, const CountNames& counted);

struct TableColumns;

/// Reads a table job by job.
class JobsTable {
 public:
  /// Takes a fault: the line in the table, counted from 1, and a sentence.
  using Fault = std::function<void(std::int64_t line, const std::string& fault)>;
  JobsTable(std::string_view text, const CountNames& counted, Fault fault);

  /// Reads the next job. Returns false after the last one, or if the columns are wrong. Faulty rows
  /// are reported and left out.
  bool next(JobSpec& job);
  /// Returns the line at which the last job begins.
  std::int64_t line() const { return job_line_; }
  /// Returns the last job's conditions on other jobs.
  const std::vector<WrittenCondition>& conditions() const { return after_; }

 private:
  const TableColumns& columns() const { return *all_columns_; }
  bool read_columns();
  /// Reads the cells of the next row. Returns false after the last row.
  bool read_row();
  std::string_view cell(int column) const { return cells_[static_cast<std::size_t>(column)]; }
  void fault(int column, const std::string& expected);
  bool read_job(JobSpec& job);
  void begin_phase(JobSpec& job);
  void read_tasks(JobSpec& job);

  std::string_view text_;  ///< what is left
  Fault fault_;
  std::shared_ptr<const TableColumns> all_columns_;
  std::vector<int> columns_;             ///< of each cell of a row
  std::vector<std::string_view> cells_;  ///< by column; "" for columns that the table has not
  std::vector<WrittenCondition> after_;
  std::int64_t line_ = 0, job_line_ = 0;
  bool row_ready_ = false;  ///< cells_ has a row that is not used yet
  bool faulty_ = false;     ///< the job that is being read
};

}  // namespace heddle
