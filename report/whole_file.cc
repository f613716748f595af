#include "report/whole_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "common/fd.h"

namespace heddle {

WholeFile::~WholeFile() {
  if (!done_) ::unlink(beside().c_str());
}

Result<void> WholeFile::put_in_place() {
  Fd fd(::open(beside().c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return system_error("open " + beside(), errno);
  if (::fsync(fd.get()) != 0) return system_error("write " + beside(), errno);
  if (std::rename(beside().c_str(), path_.c_str()) != 0)
    return system_error("write " + path_, errno);
  done_ = true;
  return {};
}

}  // namespace heddle
