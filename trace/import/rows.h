#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "trace/import/formats.h"
#include "wire/fields.h"

namespace heddle::trace {

// A format describes the rows of its files once: where each column is, to which member of a struct
// its value goes, what stands for a missing value, and what is done about a wrong one. The reader
// here does all of it and counts it in the report.

/// The fields of a row.
using Cells = std::vector<std::string_view>;

/// The treatment of a value that breaks a rule.
struct Fault {
  enum class Then { kTakeNone, kTakeNearest, kLeaveOut };
  Then then = Then::kTakeNone;
  const Repair* repair = nullptr;  ///< nullptr: the fault is not counted
  bool if_kept = false;            ///< the fault is counted only if the row is kept
};
/// The value counts as missing.
constexpr Fault missing(const Repair& repair) { return {Fault::Then::kTakeNone, &repair}; }
/// The value counts as missing, and is counted only if the row is kept.
constexpr Fault missing_if_kept(const Repair& repair) {
  return {Fault::Then::kTakeNone, &repair, true};
}
/// The nearest value that keeps the rule is taken: a bound, a whole number, the beginning of a
/// text.
inline constexpr Fault kNearest{Fault::Then::kTakeNearest};
constexpr Fault nearest(const Repair& repair, bool if_kept = false) {
  return {Fault::Then::kTakeNearest, &repair, if_kept};
}
/// The row is left out.
constexpr Fault left_out(const Repair& repair) { return {Fault::Then::kLeaveOut, &repair}; }

/// A word that a column knows, and what is done about it. Without a fault, the value is the word.
struct Word {
  std::string_view text = {};
  std::optional<Fault> fault = std::nullopt;
};

/// Returns nullopt if the text is no finite number. "" is no number.
std::optional<double> number(std::string_view text);

/// The rules for the values of a column. Without a fault, a value that breaks a rule is missing and
/// not counted.
struct Rule {
  // Numbers, in the unit of the file.
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();  ///< of a text: its bytes
  double unit = 1, per = 1;         ///< the member gets the number * unit / per
  bool whole = false;               ///< it has no fraction
  std::optional<double> none = {};  ///< a number that stands for no value
  std::optional<double> (*read)(std::string_view text) = &number;
  std::string_view none_word = {};   ///< stands for no value, in lower case
  std::span<const Word> words = {};  ///< if not empty, any other word is `unknown`
  Fault blank = {}, wrong = {}, below = {}, above = {}, fraction = {}, unknown = {};
  bool needed = true;  ///< whether a file without the column is of another format

  constexpr Rule optional() const {
    Rule rule = *this;
    rule.needed = false;
    return rule;
  }
  /// Returns the rule with this treatment of missing values, of texts that are no numbers, and of
  /// numbers out of range.
  constexpr Rule otherwise(const Fault& fault) const {
    Rule rule = *this;
    rule.blank = rule.wrong = rule.below = rule.above = fault;
    return rule;
  }
};

inline constexpr double kPositive = std::numeric_limits<double>::denorm_min();
/// A number above 0, of which at most `most` counts. The row is kept without it.
constexpr Rule figure(double most, double unit = 1, double per = 1) {
  return {.least = kPositive,
          .most = most,
          .unit = unit,
          .per = per,
          .blank = missing_if_kept(kMissing),
          .wrong = missing_if_kept(kNoNumber),
          .below = missing_if_kept(kMissing),
          .above = kNearest};
}
/// A number that is not needed.
inline constexpr Rule kIfKnown{.needed = false};
/// A time in seconds. -1 and NaN stand for none.
inline constexpr Rule kSeconds{.least = -kMostSeconds,
                               .most = kMostSeconds,
                               .none = -1,
                               .none_word = "nan",
                               .wrong = left_out(kUnreadable),
                               .below = left_out(kUnreadable),
                               .above = left_out(kUnreadable)};
/// A number that every row has. Rows with others are unreadable.
constexpr Rule strict(double least, double most, std::optional<double> none = {}) {
  return Rule{.least = least, .most = most, .none = none}.otherwise(left_out(kUnreadable));
}
/// A submission in seconds. -1 stands for that of the row above.
inline constexpr Rule kSubmission = strict(-kMostInstant, kMostInstant, -1);
/// A text of at most 4096 bytes, such as the name of a user.
inline constexpr Rule kText{.most = 4096, .above = left_out(kUnreadable)};
/// A text of which the first 256 bytes count.
inline constexpr Rule kWord{.most = 256, .above = kNearest};
/// A text that every row has.
inline constexpr Rule kId{
    .most = 4096, .blank = left_out(kUnreadable), .above = left_out(kUnreadable)};

/// A value as a file has it.
struct Field {
  std::string_view text = {};  ///< "": there is no value
  // These members are set only for JSON.
  std::optional<double> number = {};
  std::optional<bool> flag = {};
  bool other = false;  ///< it is neither a text nor a number
};

inline constexpr std::size_t kNamed = static_cast<std::size_t>(-1);

/// A column of the rows that become a `Row`.
template <class Row>
struct Column {
  enum class Kind { kIsText, kIsNumber, kIsFlag };
  /// In a first row, or of a member of JSON: "a/b" is the member b of the member a. Several
  /// spellings are separated by '|'.
  std::string_view name;
  std::size_t place = kNamed;  ///< from 0, if the columns have no names
  Rule rule;
  Kind kind = Kind::kIsText;
  void (*set)(Row& row, const Field& value) = nullptr;
};

template <class Row, class T>
constexpr Column<Row> column_of(T Row::*) {
  using Kind = typename Column<Row>::Kind;
  return {.name = {},
          .rule = {},
          .kind = std::is_same_v<T, bool>                      ? Kind::kIsFlag
                  : std::is_assignable_v<T&, std::string_view> ? Kind::kIsText
                                                               : Kind::kIsNumber};
}

/// Describes the column whose values go to `Member`: a text, a flag or a number.
template <auto Member>
constexpr auto column(std::string_view name, std::size_t place, const Rule& rule) {
  auto column = column_of(Member);
  column.name = name;
  column.place = place;
  column.rule = rule;
  column.set = [](auto& row, const Field& value) {
    auto& to = row.*Member;
    using To = std::remove_reference_t<decltype(to)>;
    if constexpr (std::is_same_v<To, bool>)
      to = *value.flag;
    else if constexpr (std::is_assignable_v<To&, std::string_view>)
      to = value.text;
    else if constexpr (std::is_assignable_v<To&, double>)
      to = static_cast<std::conditional_t<std::is_arithmetic_v<To>, To, double>>(*value.number);
  };
  return column;
}
template <auto Member>
constexpr auto column(std::string_view name, const Rule& rule = {}) {
  return column<Member>(name, kNamed, rule);
}
template <auto Member>
constexpr auto column(std::size_t place, const Rule& rule = {}) {
  return column<Member>("", place, rule);
}

/// How a file is divided into rows and fields.
struct Layout {
  char separator = ',';          ///< ' ': any number of blanks and tabs
  char comment = '#';            ///< a line that begins so is no row; '\0': there are no such lines
  std::string_view blanks = {};  ///< a line of only these characters is no row either
  /// Numbers of fields of a row. 0: the first row names the columns, and is as long as the others.
  std::size_t fields = 0, most_fields = 0;
  bool header = false;       ///< columns are known by their places, but the first row can name them
  bool whole_lines = false;  ///< first_rows() has no last row without a line end beside others
  /// Names of columns whose texts can have separators, which nothing escapes.
  std::span<const std::string_view> free_texts = {};
  Fault few = missing(kFieldsMissing);

  std::size_t most() const { return std::max(fields, most_fields); }
};

/// The rows of a kind of file.
template <class Row>
struct Table {
  std::span<const Column<Row>> columns;
  Layout layout = {};
};

/// Divides a line into fields. Removes blanks around a field, and then quotes around it. Separators
/// between quotes do not divide.
void split(std::string_view line, Cells& cells, char separator = ',');
/// Returns the first rows in the beginning of a file, at most `most` of them. A row that the
/// beginning can have cut off is left out, unless it is the only one.
std::vector<Cells> first_rows(std::string_view head, std::size_t most, const Layout& layout = {});
/// Returns the place of a column with one of the spellings; kNamed if there is none.
std::size_t place_of(std::string_view spellings, const Cells& header);

/// Applies the rules of columns to values, and counts faults.
class Judge {
 public:
  explicit Judge(ImportReport& report) : report_(report) {}

  /// Begins a row of this file.
  void begin(const Input& input) {
    input_ = &input;
    later_.clear();
  }
  /// Begins a row of fields. Counts it, and fields that are missing or too many. Returns false if
  /// it is left out.
  bool begin(const Input& input, const Cells& cells, const Layout& layout);
  /// Counts a row that is left out, because separators in its texts make it unclear.
  void unclear(const Input& input);
  /// Notes the named columns of a first row that have none of these places.
  void unused(const Cells& header, const std::vector<std::size_t>& places);
  /// Returns whether the user wants a column to be ignored.
  bool ignores(std::string_view name, std::size_t place) {
    return report_.ignored.has(name, place);
  }
  /// Counts the faults that count only if the row is kept.
  void kept();
  /// Counts a repair in the row.
  void repaired(const Repair& repair) { report_.repaired(repair, *input_); }

  enum class Verdict { kUse, kSkip, kLeaveOut };
  /// Decides about a value. Changes it to the one that counts.
  Verdict text(const Rule& rule, Field& value);
  Verdict number(const Rule& rule, Field& value);
  Verdict fault(const Fault& fault);

 private:
  ImportReport& report_;
  const Input* input_ = nullptr;
  std::vector<const Repair*> later_;
};

/// Fills a row with the values that `field_of(index of the column)` returns. Returns false if the
/// row is left out. The first fault in the order of the columns decides.
template <class Row>
bool fill(Row& row, std::span<const Column<Row>> columns, Judge& judge, const auto& field_of) {
  using Kind = typename Column<Row>::Kind;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column<Row>& column = columns[i];
    Field value = judge.ignores(column.name, column.place) ? Field() : field_of(i);
    Judge::Verdict verdict = value.flag ? Judge::Verdict::kUse : Judge::Verdict::kSkip;
    if (column.kind == Kind::kIsText) verdict = judge.text(column.rule, value);
    if (column.kind == Kind::kIsNumber) verdict = judge.number(column.rule, value);
    if (verdict == Judge::Verdict::kLeaveOut) return false;
    if (verdict == Judge::Verdict::kUse) column.set(row, value);
  }
  return true;
}

/// Returns whether a value can be one of such a column, perhaps after a repair.
bool fits(const Rule& rule, std::string_view text, bool is_number);
/// Returns whether the numbers of a row can be those of columns at these places.
template <class Row>
bool fits_at(std::span<const Column<Row>> columns, const std::vector<std::size_t>& places,
             const Cells& cells) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].kind == Column<Row>::Kind::kIsNumber && places[i] < cells.size() &&
        !fits(columns[i].rule, cells[places[i]], true))
      return false;
  return true;
}
/// Returns whether a row can be one of a table whose columns have no names.
template <class Row>
bool fits(const Table<Row>& table, const Cells& cells) {
  if (cells.size() < table.layout.fields || cells.size() > table.layout.most()) return false;
  for (const Column<Row>& column : table.columns)
    if (!fits(column.rule, cells[column.place], column.kind == Column<Row>::Kind::kIsNumber))
      return false;
  return true;
}
/// Returns whether a row names the columns of such a table: it has words instead of numbers.
template <class Row>
bool is_header(const Table<Row>& table, const Cells& cells) {
  if (cells.size() < table.layout.fields) return false;
  for (const Column<Row>& column : table.columns)
    if (column.kind == Column<Row>::Kind::kIsNumber &&
        (cells[column.place].empty() || number(cells[column.place])))
      return false;
  return true;
}
/// Returns whether most of the first rows of a file can be rows of the table.
template <class Row>
bool looks_like(const Table<Row>& table, std::string_view head) {
  constexpr std::size_t kLooked = 20;
  std::vector<Cells> rows = first_rows(head, kLooked, table.layout);
  if (table.layout.header && !rows.empty() && is_header(table, rows.front()))
    rows.erase(rows.begin());
  return 2 * std::ranges::count_if(rows, [&](const Cells& row) { return fits(table, row); }) >
         std::ssize(rows);
}
/// Returns the first column that a file with this first row needs and does not have; "" if it has
/// all.
template <class Row>
std::string_view missing_column(const Table<Row>& table, const Cells& header) {
  for (const Column<Row>& column : table.columns)
    if (column.rule.needed && place_of(column.name, header) == kNamed) return column.name;
  return "";
}
/// Returns whether the first row of a file names all columns that the table needs.
template <class Row>
bool has_columns(const Table<Row>& table, std::string_view head) {
  const std::vector<Cells> rows = first_rows(head, 1, table.layout);
  return !rows.empty() && missing_column(table, rows.front()).empty();
}

/// Returns the places of the columns in a header that can have separators in their texts.
std::vector<std::size_t> places_of(std::span<const std::string_view> names, const Cells& header);
/// Joins fields of a row that separators in a text have divided, if it has too many of them. Of the
/// `free` places, the text is at the one where the other fields are as their columns need them.
/// Returns false if that is so at several places, or at none.
template <class Row>
bool join_text(std::span<const Column<Row>> columns, const std::vector<std::size_t>& places,
               const std::vector<std::size_t>& free, std::size_t fields, Cells& cells) {
  const std::size_t more = cells.size() - fields;
  std::optional<Cells> found;
  for (const std::size_t place : free) {
    Cells joined = cells;
    joined[place] = std::string_view(cells[place].begin(), cells[place + more].end());
    const auto next = joined.begin() + static_cast<std::ptrdiff_t>(place) + 1;
    joined.erase(next, next + static_cast<std::ptrdiff_t>(more));
    if (!fits_at(columns, places, joined)) continue;
    if (found) return false;
    found = std::move(joined);
  }
  if (!found) return false;
  cells = *std::move(found);
  return true;
}

using UseCells = std::function<void(Cells& cells)>;
using UseLine = std::function<void(std::string_view line)>;
/// Calls `row` with the fields of each line of a file that is a row, and `comment` with each
/// comment.
void each_line(Input& input, const Layout& layout, const UseCells& row, const UseLine& comment);

/// Reads all rows of a file. Calls `use(row)` or `use(row, cells)` for each that is not left out,
/// and `comment(line)` for each comment.
template <class Row>
void read_rows(Input& input, const Table<Row>& table, Judge& judge, const auto& use,
               const UseLine& comment = nullptr) {
  Layout layout = table.layout;
  std::vector<std::size_t> places, free;
  for (const Column<Row>& column : table.columns) places.push_back(column.place);
  bool begun = false;
  const auto read = [&](Cells& cells) {
    const bool first = !std::exchange(begun, true);
    if (first && layout.fields == 0) {
      for (std::size_t i = 0; i < places.size(); ++i)
        places[i] = place_of(table.columns[i].name, cells);
      layout.fields = cells.size();
      free = places_of(layout.free_texts, cells);
      judge.unused(cells, places);
      return;
    }
    if (first && layout.header && is_header(table, cells)) return;
    if (!free.empty() && cells.size() > layout.fields &&
        !join_text(table.columns, places, free, layout.fields, cells))
      return judge.unclear(input);
    if (!judge.begin(input, cells, layout)) return;
    Row row;
    const auto field_of = [&](std::size_t i) {
      return Field{.text = places[i] < cells.size() ? cells[places[i]] : std::string_view()};
    };
    if (!fill(row, table.columns, judge, field_of)) return;
    if constexpr (std::is_invocable_v<decltype(use), Row&, const Cells&>)
      use(row, cells);
    else
      use(row);
  };
  each_line(input, table.layout, read, comment);
}

/// Returns the value of a column's name in a JSON object; nullptr if there is none or null.
const wire::Json* find(const wire::Json& json, std::string_view path);
/// Returns the same as a field. If `text` is not nullptr, a number becomes text there.
Field field_of(const wire::Json& json, std::string_view path, std::string* text);
/// Returns the elements of an array at the path; none if there is no array.
const wire::Json::array_t& elements(const wire::Json& json, std::string_view path);

/// Fills a row with the members of a JSON object. REQUIRES: no rule leaves a row out.
template <class Row, std::size_t kColumns>
void read_json(const wire::Json& json, const Column<Row> (&columns)[kColumns], Judge& judge,
               Row& row) {
  std::string text;
  fill(row, std::span<const Column<Row>>(columns), judge, [&](std::size_t i) {
    const bool is_text = columns[i].kind == Column<Row>::Kind::kIsText;
    return field_of(json, columns[i].name, is_text ? &text : nullptr);
  });
}

}  // namespace heddle::trace
