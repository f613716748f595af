#include "common/result.h"

#include <sys/resource.h>

#include <cerrno>
#include <cstring>

namespace heddle {

namespace {

/// Returns what strerror() says, and whose limit a file has reached.
std::string text_of(int code) {
  std::string text = std::strerror(code);
  rlimit limit{};
  if (code == EFBIG && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    text += ": limit of this process (ulimit -f)";
  return text;
}

}  // namespace

Error system_error(const std::string& what, int code) {
  bool machine = code == EACCES || code == EPERM || code == EROFS || code == ENOSYS ||
                 code == ENODEV || code == EOPNOTSUPP || code == EADDRINUSE;
  return {machine ? Error::Kind::kMachine : Error::Kind::kAborted, what + ": " + text_of(code),
          code};
}

}  // namespace heddle
