#pragma once

#include <sys/types.h>

#include <string>

#include "common/directory.h"
#include "common/fd.h"
#include "common/result.h"

namespace heddle::serve {

/// A Unix socket that listens at a path. Nobody else can take the place of the server there, if
/// only this user can write to the directory.
class MetricsSocket {
 public:
  /// Opens the socket. Only this user can connect, and with `group` (a name or number; "": none)
  /// its members. Follows no link at the end of the path, and on the way only those that
  /// Directory::open follows. Replaces a socket of this user on which nobody listens. Errors
  /// (kUsage): the group is unknown, the path is too long, something else has the path, or another
  /// process listens there.
  static Result<MetricsSocket> listen(const std::string& path, const std::string& group);

  int fd() const { return socket_.get(); }
  /// Removes the socket, if the path still leads to it.
  void remove() const;

 private:
  MetricsSocket(Directory directory, std::string name, Fd socket, ino_t inode)
      : directory_(std::move(directory)),
        name_(std::move(name)),
        socket_(std::move(socket)),
        inode_(inode) {}

  Directory directory_;
  std::string name_;
  Fd socket_;
  ino_t inode_;
};

}  // namespace heddle::serve
