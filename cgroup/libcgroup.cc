#include "cgroup/libcgroup.h"

#include <fcntl.h>
#include <libcgroup.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "common/fd.h"

namespace heddle::cgroup::library {
namespace {

struct FreeGroup {
  void operator()(struct ::cgroup* group) const { ::cgroup_free(&group); }
};
using Group = std::unique_ptr<struct ::cgroup, FreeGroup>;

void discard(void*, int, const char*, va_list) {}

/// Returns the errno of a failure, or 0 if it is not known. libcgroup reports "Cgroup is not
/// mounted" even if the reason is that it could not open the files with the mounts. Therefore this
/// function tries to open a few files at the same time, as libcgroup does.
int errno_behind(int status) {
  if (status == ECGOTHER) return ::cgroup_get_last_errno();
  std::array<Fd, 4> files;
  for (Fd& file : files) {
    file = Fd(::open("/proc/mounts", O_RDONLY | O_CLOEXEC));
    if (!file) return errno;
  }
  return 0;
}

/// Fills libcgroup's tables at the first call in a process. If a call fails, the next call tries
/// again.
Result<void> initialise() {
  static bool initialised = false;
  if (initialised) return {};
  ::cgroup_set_logger(discard, CGROUP_LOG_ERROR, nullptr);
  const int status = ::cgroup_init();
  initialised = status == 0;
  if (initialised) return {};
  if (const int code = errno_behind(status); code != 0) {
    Error why = system_error("libcgroup: look for the mounted controllers", code);
    why.kind = Error::Kind::kMachine;
    return why;
  }
  return machine_error(std::string("libcgroup: ") + ::cgroup_strerror(status));
}

Result<Group> name_group(const std::string& controller, const std::string& path) {
  HEDDLE_TRY(initialise());
  Group group(::cgroup_new_cgroup(path.c_str()));
  if (!group || !::cgroup_add_controller(group.get(), controller.c_str()))
    return aborted_error("libcgroup: no memory for group " + path);
  return group;
}

std::string parent_of(const std::string& directory) {
  return directory.substr(0, directory.rfind('/'));
}

Error refused(const std::string& what, const std::string& directory, int status) {
  int code = errno_behind(status);
  if (code == 0 && ::access(parent_of(directory).c_str(), W_OK) < 0) code = errno;
  if (code != 0) return system_error(what + " " + directory, code);
  return aborted_error(what + " " + directory + ": libcgroup: " + ::cgroup_strerror(status));
}

}  // namespace

Result<void> find(const std::string& controller, const std::string& mount) {
  HEDDLE_TRY(initialise());
  char* point = nullptr;
  if (int status = ::cgroup_get_subsys_mount_point(controller.c_str(), &point); status != 0)
    return machine_error("libcgroup finds no controller " + controller + ": " +
                         ::cgroup_strerror(status));
  std::unique_ptr<char, decltype(&std::free)> owned(point, std::free);
  if (mount == point) return {};
  return machine_error("controller " + controller + " is mounted at " + mount +
                       ", but libcgroup takes it to be at " + point);
}

Result<void> make(const std::string& controller, const std::string& mount,
                  const std::string& path) {
  std::string directory = mount + path;
  if (::access(parent_of(directory).c_str(), F_OK) < 0)
    return system_error("make group " + directory, errno);
  Result<Group> group = name_group(controller, path);
  if (!group) return std::move(group).error();
  if (int status = ::cgroup_create_cgroup(group->get(), 1); status != 0)
    return refused("make group", directory, status);
  return {};
}

Result<void> remove(const std::string& controller, const std::string& mount,
                    const std::string& path) {
  std::string directory = mount + path;
  if (::access(directory.c_str(), F_OK) < 0) return {};
  Result<Group> group = name_group(controller, path);
  if (!group) return std::move(group).error();
  if (int status = ::cgroup_delete_cgroup_ext(group->get(), CGFLAG_DELETE_EMPTY_ONLY); status != 0)
    return refused("remove group", directory, status);
  if (::access(directory.c_str(), F_OK) == 0)
    return system_error("remove group " + directory, EBUSY);
  return {};
}

}  // namespace heddle::cgroup::library
