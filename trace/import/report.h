#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/import/input.h"
#include "wire/fields.h"

namespace heddle::trace {

/// A kind of repair: what was wrong with a trace, and what was done about it.
struct Repair {
  std::string_view key;   ///< in JSON, such as "out_of_order"
  std::string_view text;  ///< such as "submitted before the row above: sorted"
};

// Repairs that several formats need. A reader can define more.
inline constexpr Repair kOutOfOrder{"out_of_order", "submitted before an earlier row: sorted"};
inline constexpr Repair kMissing{"missing", "a value is -1 or blank: the default was taken"};
inline constexpr Repair kNoSubmission{"no_submission",
                                      "has no submission time: that of the row above was taken"};
inline constexpr Repair kNoFirstSubmission{
    "no_first_submission", "has no submission time, and no row above has one: left out"};
inline constexpr Repair kZeroTime{"zero_run_time", "a run time of 0: kept as the shortest time"};
inline constexpr Repair kEndsBefore{"ends_before_start", "ends before it starts: left out"};
inline constexpr Repair kNeverRan{"never_ran", "has no run time: left out"};
inline constexpr Repair kNoTask{"no_task", "has no task or no work: left out"};
inline constexpr Repair kUnknownStatus{"unknown_status", "an unknown status: kept"};
inline constexpr Repair kSameId{"same_id", "has the id of an earlier job: kept"};
inline constexpr Repair kDuplicate{"duplicate", "occurs twice: the first was kept"};
inline constexpr Repair kTooLarge{"too_large", "requests more than the cluster has: left out"};
inline constexpr Repair kCut{"cut", "requests more than a machine has: cut to the machine"};
inline constexpr Repair kNoSuchNode{"no_such_node",
                                    "asks for labels that no node has: may use every node"};
inline constexpr Repair kFieldsMissing{"fields_missing",
                                       "a row has too few fields: taken as missing"};
inline constexpr Repair kFieldsMore{"fields_more", "a row has too many fields: ignored"};
inline constexpr Repair kSeparators{
    "separators", "separators in a text leave open where its fields begin: left out"};
inline constexpr Repair kNoNumber{"no_number", "a field is no number: taken as missing"};
inline constexpr Repair kFraction{"fraction", "a fraction where a whole number belongs: rounded"};
inline constexpr Repair kHeader{"header", "a header disagrees with the rows: the rows count"};
inline constexpr Repair kUnreadable{"unreadable", "a row can't be read: left out"};
inline constexpr Repair kNoDependency{"no_dependency",
                                      "depends on what is not there, or on itself: ignored"};

/// Returns the number with its noun, such as "1 job" or "2 jobs".
std::string counted(std::int64_t count, const std::string& noun);

/// The fields that a user wants to be ignored (--ignore-field): names of columns, or numbers from 1
/// of columns without names.
class IgnoredFields {
 public:
  void set(const std::vector<std::string>& fields) {
    for (const std::string& field : fields) found_.emplace(field, false);
  }
  /// Returns whether a column is ignored. `spellings`: its names, separated by '|'; "": it has the
  /// `place`, from 0.
  bool has(std::string_view spellings, std::size_t place) {
    return !found_.empty() && look_up(spellings, place);
  }
  /// Returns the first field that no column had, with the nearest one; "" if there is none.
  std::string unknown() const;

 private:
  bool look_up(std::string_view spellings, std::size_t place);
  std::map<std::string, bool, std::less<>> found_;  ///< whether a column has it
  std::set<std::string, std::less<>> known_;        ///< all columns
};

/// Collects what an import has read, made and repaired.
class ImportReport {
 public:
  /// Number of places that are kept of each kind of repair.
  static constexpr std::size_t kFirst = 5;
  /// Number of renamed texts in text(). json() has all.
  static constexpr std::size_t kNamesTold = 10;

  std::int64_t rows = 0;    ///< rows or objects that were read, without comments
  std::int64_t jobs = 0;    ///< jobs of the scenario
  std::int64_t tasks = 0;   ///< their tasks
  std::int64_t chosen = 0;  ///< jobs that were chosen, before `--jobs`
  std::int64_t found = 0;   ///< jobs in the trace that can be used
  IgnoredFields ignored;

  /// Counts a repair. `in` is the file and the line that are being read.
  void repaired(const Repair& repair, const Input& in) {
    Kind& kind = kinds_[repair.key];
    kind.text = repair.text;
    ++kind.count;
    if (kind.first.size() < kFirst) kind.first.push_back(in.where());
  }
  /// Counts a repair at a place that is known by another name, such as "job 17".
  void repaired(const Repair& repair, const std::string& where);
  /// Adds a sentence about a choice that was made.
  void state(std::string sentence) { statements_.push_back(std::move(sentence)); }
  /// Adds the sentence "COUNT NOUNs TEXT" if the count is not 0.
  void state(std::int64_t count, const std::string& noun, const std::string& text) {
    if (count > 0) state(counted(count, noun) + " " + text);
  }
  /// Notes a field that the trace names and that the import does not use.
  void unused(const std::string& field);
  /// Notes that a text of the trace became another name.
  void rename(const std::string& text, const std::string& name) { renamed_[text] = name; }

  /// Returns how often the trace was repaired; 0 for a trace without faults.
  std::int64_t repairs() const;
  std::int64_t count(const Repair& repair) const;
  /// Returns {rows, found, chosen, jobs, tasks, repairs: {KEY: {count, text, first: [PLACE]}},
  /// statements: [SENTENCE], unused: [FIELD], renamed: {TEXT: NAME}}.
  wire::Json json() const;
  /// Returns the same for people, in lines.
  std::string text() const;

 private:
  struct Kind {
    std::int64_t count = 0;
    std::string_view text;
    std::vector<std::string> first;
  };
  std::map<std::string_view, Kind> kinds_;
  std::vector<std::string> statements_, unused_;
  std::map<std::string, std::string> renamed_;
};

}  // namespace heddle::trace
