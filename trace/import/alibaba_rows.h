#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "trace/import/alibaba_batch.h"
#include "trace/import/collection.h"

namespace heddle::trace::alibaba {

using Row = std::vector<std::string_view>;

/// Reads the rows of batch_task.csv and batch_instance.csv, and keeps the jobs that the options
/// choose.
class BatchRows {
 public:
  BatchRows(const Format& format, const ImportOptions& options, JobCollection& jobs,
            ImportReport& report);

  /// Reads the tasks in the first file and the instances in the others.
  void read(std::vector<Input>& files);
  /// Returns the jobs in the order of their first rows.
  std::vector<const Jobs::value_type*> in_order() const;
  /// Returns the size of a machine, of which memory in the trace is a share.
  const Resources& machine() const { return machine_; }
  std::int64_t rows_without_cpu() const { return without_cpu_; }
  std::int64_t rows_without_memory() const { return without_memory_; }

 private:
  void read_rows(Input& input, const Layout& layout, void (BatchRows::*read_row)(const Row&));
  std::optional<double> figure(const Row& row, std::size_t index);
  std::optional<std::pair<double, double>> times_of(const Row& row, const Layout& layout);
  std::optional<int> instances_of(const Row& row);
  void read_task(const Row& row);
  Resources request_of(const Row& row);
  void add(std::string_view name, EmuTime start, Task task);
  void pass(std::string_view name, EmuTime submit);
  void keep_first(std::size_t count, bool lazy);
  void settle();
  void read_instance(const Row& row);
  std::optional<double> use(const Row& row, std::size_t index);

  const Format& format_;
  const ImportOptions& options_;
  JobCollection& collection_;
  ImportReport& report_;
  ImportOptions probe_options_;
  ImportReport probe_report_;
  JobCollection probe_;  ///< says early whether a job can be chosen
  Resources machine_;
  Input* input_ = nullptr;
  Jobs jobs_;
  std::unordered_set<std::size_t> passed_;  ///< hashes of the ids of jobs that are not kept
  std::unordered_set<std::size_t> seen_;    ///< hashes of the rows of instances
  std::int64_t next_ = 0;
  std::size_t held_ = 0, instances_ = 0;
  std::int64_t without_cpu_ = 0, without_memory_ = 0;
};

}  // namespace heddle::trace::alibaba
