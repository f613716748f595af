#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "trace/import/formats.h"

/// Functions for readers of comma-separated values.
namespace heddle::trace::csv {

/// Splits a line at its commas. Removes blanks around a field, and then quotes around it. Commas
/// between quotes do not split.
void split(std::string_view line, std::vector<std::string_view>& fields);
/// Returns nullopt if the field is no finite number. "" is no number.
std::optional<double> number(std::string_view field);
/// Returns the first rows in the beginning of a file, at most `most` of them, without lines that
/// are empty or begin with '#'. A row that the beginning can have cut off is left out, unless it is
/// the only one.
std::vector<std::vector<std::string_view>> first_rows(std::string_view head, std::size_t most);

/// How a reader gives work to tasks.
class Work {
 public:
  explicit Work(const ImportOptions& options) : options_(options) {}
  /// Sets the work of a task that takes `seconds`. `cores` and `memory` are what it uses on
  /// average, if the trace says so; use above the request is cut to the request.
  void set(TaskSpec& task, double seconds, const Resources& request, std::optional<double> cores,
           std::optional<double> memory);
  /// Gives the phase these tasks. If they are equal, the phase has no `each`.
  static void set_tasks(PhaseSpec& phase, std::vector<TaskSpec> tasks);
  /// Adds the sentences about the work.
  void state(ImportReport& report) const;

 private:
  const ImportOptions& options_;
  std::int64_t cut_ = 0, timed_ = 0;
};

/// Returns nodes "n0", "n1", … like the machines of a trace. If the options give a number of nodes,
/// uses the first machines, or repeats them. Throws BadTrace if there are too many.
std::vector<NodeSpec> nodes_of(const std::vector<Resources>& machines,
                               const ImportOptions& options);

}  // namespace heddle::trace::csv
