#pragma once

#include <functional>
#include <string>
#include <utility>

#include "common/result.h"

namespace heddle::host {

/// A new directory below the directory for temporary files. The destructor removes it.
class ScratchDirectory {
 public:
  /// `note` is called with the path before the directory is made, so that it can be recorded. Ends
  /// with the error of `note`.
  static Result<ScratchDirectory> create(
      const std::function<Result<void>(const std::string&)>& note = {});
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace heddle::host
