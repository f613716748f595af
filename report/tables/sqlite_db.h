#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/result.h"
#include "core/model/resources.h"
#include "wire/fields.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::report {

/// What a database could not do: thrown by the classes below, caught at the border of what uses
/// them, never beyond.
struct DatabaseFailure {
  Error error;
};

/// An open SQLite database.
class Database {
 public:
  /// An empty new one in memory, for write(): SQLite opens files by their paths alone, which
  /// somebody else may change meanwhile. `path`: where it is to be, for errors. Nothing can be
  /// taken back: after a failure the database is of no use.
  static Database in_memory(const std::string& path);
  /// For reading.
  static Database open(const std::string& path);
  Database(Database&& other) noexcept;
  ~Database();

  /// Statements without values.
  void run(const std::string& sql);
  /// Writes all of it as a file of SQLite's.
  Result<void> write(int fd) const;
  sqlite3* handle() const { return db_; }
  /// `code`: what SQLite said; the error names the file.
  [[noreturn]] void fail(int code) const;

 private:
  Database(std::string path, const std::string& file, int flags);
  std::string path_;
  sqlite3* db_ = nullptr;
};

/// One statement, run with other values again and again.
class Statement {
 public:
  Statement(const Database& db, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  void run(const Values&... values) {
    int at = 0;
    (bind(++at, values), ...);
    (void)next();
    reset();
  }

  /// The next row of what it selects, or false.
  bool next();
  int columns() const;
  std::string_view name(int column) const;
  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_real(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Until the next row.
  std::string_view text(int column) const;

 private:
  void bind(int at, std::nullptr_t);
  void bind(int at, std::int64_t value);
  void bind(int at, int value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, bool value) { bind(at, static_cast<std::int64_t>(value)); }
  void bind(int at, double value);
  void bind(int at, std::string_view value);
  void bind(int at, const std::string& value) { bind(at, std::string_view(value)); }
  void bind(int at, const char* value) { bind(at, std::string_view(value)); }
  /// Seconds, cores, bytes.
  void bind(int at, EmuTime value) { bind(at, to_seconds(value)); }
  void bind(int at, Millicores value) { bind(at, static_cast<double>(value.count()) / 1e3); }
  void bind(int at, EmuBytes value) { bind(at, value.count()); }
  /// Texts and numbers as such, lists and objects as JSON.
  void bind(int at, const wire::Json& value);
  template <class Value>
  void bind(int at, const std::optional<Value>& value) {
    value ? bind(at, *value) : bind(at, nullptr);
  }
  void reset();

  const Database& db_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace heddle::report
