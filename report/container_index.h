#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "common/directory.h"
#include "common/result.h"
#include "common/zstd.h"
#include "report/history.h"
#include "report/indexed_container.h"

namespace heddle::report {

/// Name of the index in a directory of results. It is compressed (common/zstd.h).

/// Writes the index of a run, container by container. The file is put in its place at the end, so
/// that readers never see a part of it.
class IndexWriter {
 public:
  /// Begins the index of a result directory. Errors name the directory.
  static Result<IndexWriter> create(const std::string& dir);
  IndexWriter(IndexWriter&&) = default;
  IndexWriter& operator=(IndexWriter&&) = delete;
  /// Removes the unfinished file.
  ~IndexWriter();

  /// Adds these rows, in any order. After an error, does nothing.
  void add(std::span<const AttemptRow> rows);
  /// Adds everything else that belongs to the index and puts the file in its place. `rows`: all
  /// other rows of the run; its attempts are ignored. REQUIRES: the journal is complete.
  Result<void> finish(const RunRows& rows, EmuTime end, bool cut);

 private:
  IndexWriter(Directory dir, Directory::Temporary file)
      : dir_(std::move(dir)), file_(std::move(file)) {}
  void write(std::string_view compressed);
  void flush();

  Directory dir_;
  Directory::Temporary file_;
  std::unique_ptr<ZstdWriter> compress_ = std::make_unique<ZstdWriter>();
  std::string buffer_;  ///< not compressed yet
  std::int64_t count_ = 0;
  wire::Json suspended_ = wire::Json::array();
  wire::Json kept_ = wire::Json::array();
  Result<void> written_;
  bool finished_ = false;
};

/// Writes the index of a run whose history was read. Replaces an existing index.
Result<void> write_index(const RunHistory& history, const std::string& dir);

/// Reads the history of a run from its index and summary, without its journal. The history has no
/// decisions and no reasons, its attempts are indexed, and its states are thinned. Returns nullopt
/// if there is no index, or if the index does not belong to the journal. Errors (kAborted): the
/// index or the summary is damaged.
Result<std::optional<RunHistory>> read_indexed_history(const std::string& dir, Scenario scenario);

}  // namespace heddle::report
