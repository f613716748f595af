#pragma once

#include <functional>
#include <ostream>
#include <string>

#include "common/directory.h"
#include "common/result.h"

namespace heddle::report {

/// A file that is written beside its place, under a random name, and put there once it is whole:
/// readers see the old file or the new one. What was written so far is removed if the file is not
/// put in place.
class WholeFile {
 public:
  /// Errors name `path`.
  static Result<WholeFile> create(const std::string& path);
  WholeFile(WholeFile&& other) noexcept = default;
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile();

  const std::string& path() const { return path_; }
  int fd() const { return temporary_.file.get(); }
  /// Where to write it meanwhile, for streams. The path is that of the open file itself: nobody can
  /// put a link in its place.
  std::string beside() const { return proc_path_of(temporary_.file); }
  /// REQUIRES: it is written and closed. Syncs it first, so that a full disk is reported.
  Result<void> put_in_place();

 private:
  WholeFile(std::string path, Directory directory, Directory::Temporary temporary)
      : path_(std::move(path)),
        directory_(std::move(directory)),
        temporary_(std::move(temporary)) {}

  std::string path_;
  Directory directory_;
  Directory::Temporary temporary_;  ///< without a file once it is in place, or moved from
};

/// Makes a whole file of what `write` writes. Errors name `path`; those of `write` stay as they
/// are.
Result<void> write_whole(const std::string& path,
                         const std::function<Result<void>(std::ostream&)>& write);

}  // namespace heddle::report
