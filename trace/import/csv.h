#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
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

/// Finds the fields of a row by the names of the columns in the header.
class Columns {
 public:
  explicit Columns(const std::vector<std::string_view>& header) {
    for (std::size_t i = 0; i < header.size(); ++i) places_.emplace(header[i], i);
  }
  bool has(std::string_view name) const { return places_.contains(name); }
  /// Returns "" if the row has no such field.
  std::string_view of(const std::vector<std::string_view>& row, std::string_view name) const {
    const auto place = places_.find(name);
    return place == places_.end() || place->second >= row.size() ? std::string_view()
                                                                 : row[place->second];
  }
  std::size_t size() const { return places_.size(); }

 private:
  std::map<std::string, std::size_t, std::less<>> places_;
};

/// Reads the rows of a file whose first row names its columns.
class Table {
 public:
  Table(Input& input, ImportReport& report);
  /// Returns the columns. `input` is still at its beginning until next() is called.
  const Columns& columns() const { return columns_; }
  /// Reads the next row. Counts it, and fields that are missing or too many.
  bool next();
  std::string_view of(std::string_view column) const { return columns_.of(row_, column); }
  /// Returns the number in a column, which is at most `most`. Counts a repair and returns nullopt
  /// if it is not more than 0.
  std::optional<double> figure(std::string_view column, double most);
  /// Returns the time in a column, in seconds. Returns nullopt if it is blank or -1. `readable`
  /// becomes false if the text is no time of at most kMostSeconds.
  std::optional<double> time(std::string_view column, bool& readable) const;

 private:
  Input& input_;
  ImportReport& report_;
  Columns columns_;
  std::vector<std::string_view> row_;
  bool begun_ = false;
};

/// Returns the first row of a file; empty if there is none. REQUIRES: nothing was read.
std::vector<std::string_view> header_of(Input& input);

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
