#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/directory.h"
#include "serve/live.h"

namespace heddle::serve {

/// Identifies a result in URLs. Its text is "ROOT" or "ROOT/path". The root is the index of a
/// directory on the command line, or "live-RUN" for a run that writes its results elsewhere.
struct ResultId {
  std::string root;
  std::string below;  ///< relative path in its shortest form; "" for the root itself
};
/// Returns nullopt if a component of the path is "", "." or "..", or if the text has more than 2000
/// bytes or a control character.
std::optional<ResultId> parse_result_id(std::string_view text);

/// A directory of results that is held open. Its files are read through the descriptor, so they
/// stay those of this directory even if another directory gets its path.
class ResultPlace {
 public:
  ResultPlace(std::string id, std::string shown, Fd directory)
      : id_(std::move(id)), shown_(std::move(shown)), directory_(std::move(directory)) {}

  const std::string& id() const { return id_; }
  /// Returns the path for people: the argument of the command line and what is below it.
  const std::string& shown() const { return shown_; }
  /// Returns a path to the directory that is valid as long as this object exists.
  std::string path() const { return proc_path_of(directory_); }
  /// Returns whether the file is there. Returns an error if it is a link or not a regular file.
  Result<bool> has(const std::string& name) const;
  /// Describes the files from which pages are made: their sizes, times and inodes.
  std::string stamp() const;
  bool is_of(const LiveRun& run) const;
  /// Returns the text with the names that path() gives to files replaced by the shown ones.
  std::string for_people(std::string text) const;

 private:
  std::string id_, shown_;
  Fd directory_;
};

/// The directories that a server shows.
class ResultTree {
 public:
  /// `dirs`: the arguments of the command line.
  explicit ResultTree(std::vector<std::string> dirs);

  const std::vector<std::string>& dirs() const { return dirs_; }
  /// Opens the directory of a result. Follows no link below the directories of the command line.
  /// Error (kUsage): there is no such directory.
  Result<ResultPlace> find(const std::string& id) const;
  /// Returns the id of a path that begins with one of dirs(). Error in the caller's logic
  /// otherwise.
  std::string id_of(const std::string& path) const;
  /// Returns the id of a live run. If its results are not below a directory of dirs(), remembers
  /// where they are, so that they can be shown after the run's end too.
  std::string id_of(const LiveRun& run);
  /// Returns where the results of the root "live-RUN" are, or nullopt if this object has not
  /// remembered it.
  std::optional<std::string> elsewhere(const std::string& root) const;
  void put_elsewhere(const std::string& root, const std::string& path);

 private:
  std::vector<std::string> dirs_;
  std::vector<std::string> absolute_;  ///< plain absolute paths of dirs_, without links
  mutable std::mutex mutex_;
  std::map<std::string, std::string> elsewhere_;  ///< paths by root "live-RUN"; guarded by mutex_
};

}  // namespace heddle::serve
