#include "common/sudo_caller.h"

#include <unistd.h>

#include <cstdlib>

#include "common/number.h"

namespace heddle {
namespace {

/// Returns the id in the text. Returns nullopt for -1, because for the kernel, -1 means "do not
/// change the owner".
std::optional<unsigned> id_in(const char* text) {
  if (text == nullptr) return std::nullopt;
  const auto id = read_number<unsigned>(text);
  return id == static_cast<unsigned>(-1) ? std::nullopt : id;
}

}  // namespace

std::optional<SudoCaller> sudo_caller(uid_t own_uid, const char* uid, const char* gid) {
  const std::optional<unsigned> user = id_in(uid), group = id_in(gid);
  if (own_uid != 0 || !user || !group || *user == 0) return std::nullopt;
  return SudoCaller{*user, *group};
}

std::optional<SudoCaller> sudo_caller() {
  return sudo_caller(::geteuid(), std::getenv("SUDO_UID"), std::getenv("SUDO_GID"));
}

}  // namespace heddle
