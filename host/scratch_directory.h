#pragma once

#include <string>
#include <utility>

#include "common/result.h"

namespace heddle::host {

/// A new directory below the directory for temporary files. The destructor removes it.
class ScratchDirectory {
 public:
  static Result<ScratchDirectory> create();
  ScratchDirectory(ScratchDirectory&& other) noexcept : path_(std::exchange(other.path_, "")) {}
  ScratchDirectory& operator=(ScratchDirectory&&) = delete;
  ~ScratchDirectory();
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit ScratchDirectory(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace heddle::host
