#include "cgroup/held_home.h"

#include <sys/stat.h>

#include <cerrno>

#include "common/file.h"

namespace heddle::cgroup {

Result<const Directory*> HeldHome::directory() const {
  if (!directory_) {
    Result<Directory> opened = Directory::open(path_.empty() ? "/" : path_);
    if (!opened) return std::move(opened).error();
    directory_ = *std::move(opened);
  }
  return &*directory_;
}

Result<Fd> HeldHome::open(const std::string& group, const std::string& file, int flags) const {
  Result<const Directory*> home = directory();
  if (!home) return std::move(home).error();
  const std::string below = group + (group.empty() || file.empty() ? "" : "/") + file;
  return (*home)->open_below(below.empty() ? "." : below, flags);
}

Result<void> HeldHome::write(const std::string& group, const std::string& file,
                             std::string_view value) const {
  Result<Fd> fd = open(group, file, O_WRONLY);
  if (!fd) return std::move(fd).error();
  return write_control(fd->get(), path_ + "/" + group + "/" + file, value);
}

Result<void> HeldHome::make(const std::string& group) const {
  const PathParts parts = parts_of(group);
  Result<Fd> parent = open(parts.directory == "." ? "" : parts.directory, "", O_PATH | O_DIRECTORY);
  if (!parent) return std::move(parent).error();
  if (::mkdirat(parent->get(), parts.name.c_str(), 0755) < 0 && errno != EEXIST)
    return system_error("make directory " + path_ + "/" + group, errno);
  return {};
}

Result<void> HeldHome::check(const std::string& group) const {
  Result<Fd> there = open(group, "", O_PATH | O_DIRECTORY);
  if (there || there.error().code == ENOENT) return {};
  return std::move(there).error();
}

}  // namespace heddle::cgroup
