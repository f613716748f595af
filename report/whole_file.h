#pragma once

#include <string>

#include "common/result.h"

namespace heddle {

/// A file that is written beside its place and put there once it is whole: who looks sees the old
/// one or the new one. What was written so far goes if it comes to nothing.
class WholeFile {
 public:
  explicit WholeFile(std::string path) : path_(std::move(path)) {}
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  const std::string& path() const { return path_; }
  /// Where to write it meanwhile.
  std::string beside() const { return path_ + ".new"; }
  /// REQUIRES: it is written and closed. Syncs it first, so that a full disk is reported.
  Result<void> put_in_place();

 private:
  std::string path_;
  bool done_ = false;
};

}  // namespace heddle
