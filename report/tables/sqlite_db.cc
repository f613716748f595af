#include "report/tables/sqlite_db.h"

#include <sqlite3.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "common/file.h"

namespace heddle::report {
namespace {

/// A new database has no readers yet, so it needs no journal and no locking.
constexpr const char* kForOnePass =
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; "
    "PRAGMA foreign_keys = OFF;";

/// SQLite has no unsigned integers.
bool too_large(const wire::Json& value) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
}

}  // namespace

Database Database::in_memory(const std::string& path) {
  Database db(path, ":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  db.run(kForOnePass);
  return db;
}

Database Database::open(const std::string& path) { return {path, path, SQLITE_OPEN_READONLY}; }

Result<void> Database::write(int fd) const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> bytes(
      sqlite3_serialize(db_, "main", &size, 0), sqlite3_free);
  if (!bytes) return aborted_error("write " + path_ + ": no memory for the database");
  return write_all(fd, {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)},
                   path_);
}

Database::Database(std::string path, const std::string& file, int flags) : path_(std::move(path)) {
  const int code = sqlite3_open_v2(file.c_str(), &db_, flags, nullptr);
  if (code == SQLITE_OK) return;
  const int number = db_ != nullptr ? sqlite3_system_errno(db_) : 0;
  sqlite3_close(db_);
  throw DatabaseFailure{number != 0 ? system_error("open " + path_, number)
                                    : aborted_error("open " + path_ + ": " + sqlite3_errstr(code))};
}

Database::Database(Database&& other) noexcept
    : path_(std::move(other.path_)), db_(std::exchange(other.db_, nullptr)) {}

Database::~Database() { sqlite3_close(db_); }

void Database::run(const std::string& sql) {
  if (const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK)
    fail(code);
}

void Database::fail(int code) const {
  if ((code & 0xff) == SQLITE_FULL) throw DatabaseFailure{system_error("write " + path_, ENOSPC)};
  if (const int number = sqlite3_system_errno(db_); (code & 0xff) == SQLITE_IOERR && number != 0)
    throw DatabaseFailure{system_error("write " + path_, number)};
  throw DatabaseFailure{aborted_error(path_ + ": " + sqlite3_errmsg(db_))};
}

Statement::Statement(const Database& db, const std::string& sql) : db_(db) {
  const int code = sqlite3_prepare_v2(db.handle(), sql.c_str(), static_cast<int>(sql.size()),
                                      &statement_, nullptr);
  if (code != SQLITE_OK) db.fail(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

bool Statement::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) db_.fail(code);
  return false;
}

void Statement::reset() { sqlite3_reset(statement_); }

int Statement::columns() const { return sqlite3_column_count(statement_); }
std::string_view Statement::name(int column) const {
  return sqlite3_column_name(statement_, column);
}
bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
bool Statement::is_integer(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_INTEGER;
}
bool Statement::is_real(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_FLOAT;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string_view Statement::text(int column) const {
  const void* text = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  if (text == nullptr) return {};
  return {static_cast<const char*>(text), static_cast<std::size_t>(size)};
}

void Statement::bind(int at, std::nullptr_t) { sqlite3_bind_null(statement_, at); }
void Statement::bind(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
void Statement::bind(int at, double value) { sqlite3_bind_double(statement_, at, value); }
void Statement::bind(int at, std::string_view value) {
  sqlite3_bind_text(statement_, at, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
}

void Statement::bind(int at, const wire::Json& value) {
  if (value.is_null()) return bind(at, nullptr);
  if (value.is_boolean()) return bind(at, value.get<bool>());
  if (value.is_number_float()) return bind(at, value.get<double>());
  if (value.is_number_integer() && !too_large(value)) return bind(at, value.get<std::int64_t>());
  if (value.is_string()) return bind(at, value.get_ref<const std::string&>());
  bind(at, std::string_view(value.dump(-1, ' ', false, wire::Json::error_handler_t::replace)));
}

}  // namespace heddle::report
