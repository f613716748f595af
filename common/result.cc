#include "common/result.h"

#include <cerrno>
#include <cstring>

namespace heddle {

Error system_error(const std::string& what, int code) {
  bool machine = code == EACCES || code == EPERM || code == EROFS || code == ENOSYS ||
                 code == ENODEV || code == EOPNOTSUPP || code == EADDRINUSE;
  return {machine ? Error::Kind::kMachine : Error::Kind::kAborted,
          what + ": " + std::strerror(code), code};
}

}  // namespace heddle
