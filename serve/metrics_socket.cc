#include "serve/metrics_socket.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>

#include "common/number.h"

namespace heddle::serve {
namespace {

const std::string kOption = "--metrics-socket ";

Result<gid_t> group_of(const std::string& group) {
  if (const auto number = read_number<gid_t>(group)) return *number;
  const struct group* known = ::getgrnam(group.c_str());
  if (!known)
    return usage_error("--metrics-group " + group + ": there is no such group on this machine");
  return known->gr_gid;
}

/// Returns the address of a file in a directory that is open. Its length does not depend on the
/// directory's path.
Result<sockaddr_un> address_of(const Directory& directory, const std::string& name) {
  const std::string path = "/proc/self/fd/" + std::to_string(directory.fd()) + "/" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    return usage_error(kOption + name + ": the name of the socket is too long");
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// Removes a socket of this user on which nobody listens.
Result<void> remove_stale(const Directory& directory, const std::string& name,
                          const sockaddr_un& address, const std::string& path) {
  struct stat info {};
  if (::fstatat(directory.fd(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0) {
    if (errno == ENOENT) return {};
    return system_error(kOption + path, errno);
  }
  if (!S_ISSOCK(info.st_mode) || info.st_uid != ::geteuid())
    return usage_error(kOption + path +
                       ": exists and is not a socket of yours; expected a new path");
  const Fd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (::connect(probe.get(), generic(address), sizeof address) == 0 || errno != ECONNREFUSED)
    return usage_error(kOption + path + ": another process listens there; expected another path");
  if (::unlinkat(directory.fd(), name.c_str(), 0) < 0) return system_error(kOption + path, errno);
  return {};
}

}  // namespace

Result<MetricsSocket> MetricsSocket::listen(const std::string& path, const std::string& group) {
  const PathParts parts = parts_of(path);
  Result<Directory> directory = Directory::open(parts.directory);
  if (!directory) return usage_error(kOption + path + ": " + directory.error().text);
  const Result<sockaddr_un> address = address_of(*directory, parts.name);
  if (!address) return address.error();
  std::optional<gid_t> owner;
  if (!group.empty()) {
    const Result<gid_t> known = group_of(group);
    if (!known) return known.error();
    owner = *known;
  }
  HEDDLE_TRY(remove_stale(*directory, parts.name, *address, path));
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The file gets the mode of the socket, so at no time can others connect.
  if (!socket || ::fchmod(socket.get(), 0600) < 0 ||
      ::bind(socket.get(), generic(*address), sizeof *address) < 0)
    return system_error(kOption + path, errno);
  struct stat info {};
  if (::fstatat(directory->fd(), parts.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) < 0)
    return system_error(kOption + path, errno);
  MetricsSocket made(*std::move(directory), parts.name, std::move(socket), info.st_ino);
  if (owner && (::fchownat(made.directory_.fd(), parts.name.c_str(), static_cast<uid_t>(-1), *owner,
                           AT_SYMLINK_NOFOLLOW) < 0 ||
                ::fchmodat(made.directory_.fd(), parts.name.c_str(), 0660, 0) < 0)) {
    const Error error = system_error("--metrics-group " + group, errno);
    made.remove();
    return error;
  }
  if (::listen(made.fd(), SOMAXCONN) < 0) return system_error(kOption + path, errno);
  return made;
}

void MetricsSocket::remove() const {
  struct stat info {};
  if (::fstatat(directory_.fd(), name_.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      info.st_ino == inode_)
    ::unlinkat(directory_.fd(), name_.c_str(), 0);
}

}  // namespace heddle::serve
