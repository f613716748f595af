#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/result.h"
#include "core/model/resources.h"
#include "wire/fields.h"

struct sqlite3;
struct sqlite3_stmt;

namespace heddle::report {

/// An error of the database. The classes below throw it, and the functions that use them catch it.
struct DatabaseFailure {
  Error error;
};

/// An open SQLite database.
class Database {
 public:
  /// Creates an empty database in memory, which write() writes to a file. The database is not
  /// created as a file because SQLite opens files only by path, and other programs can change what
  /// is at a path. `path` is the final place of the file, for errors. Nothing can be rolled back:
  /// after a failure, the database cannot be used.
  static Database in_memory(const std::string& path);
  /// Opens a file for reading.
  static Database open(const std::string& path);
  Database(Database&& other) noexcept;
  ~Database();

  /// Runs statements without values.
  void run(const std::string& sql);
  /// Writes the whole database as an SQLite file.
  Result<void> write(int fd) const;
  sqlite3* handle() const { return db_; }
  /// Throws DatabaseFailure. `code` is SQLite's result code. The error names the file.
  [[noreturn]] void fail(int code) const;

 private:
  Database(std::string path, const std::string& file, int flags);
  std::string path_;
  sqlite3* db_ = nullptr;
};

/// A prepared statement that can be run repeatedly with different values.
class Statement {
 public:
  Statement(const Database& db, const std::string& sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  void run(const Values&... values) {
    int at = 0;
    (bind_next(at, values), ...);
    (void)next();
    reset();
  }

  /// Moves to the next row of the result. Returns false if there is no next row.
  bool next();
  int columns() const;
  std::string_view name(int column) const;
  bool is_null(int column) const;
  bool is_integer(int column) const;
  bool is_real(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  /// Returns a text that is valid until the next row.
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
  /// Bind times as seconds, cores as a number, and memory as bytes.
  void bind(int at, EmuTime value) { bind(at, to_seconds(value)); }
  void bind(int at, Millicores value) { bind(at, static_cast<double>(value.count()) / 1e3); }
  void bind(int at, EmuBytes value) { bind(at, value.count()); }
  void bind(int at, Thousandths value) { bind(at, static_cast<double>(value.count()) / 1e3); }
  template <class Value>
  void bind_next(int& at, const Value& value) {
    bind(++at, value);
  }
  void bind_next(int& at, const std::vector<Thousandths>& values) {
    for (const Thousandths value : values) bind(++at, value);
  }
  /// Binds a text or number unchanged, and a list or object as JSON.
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
