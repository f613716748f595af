#include "host/task_user.h"

#include <pwd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

#include "common/number.h"
#include "host/own_user.h"

namespace heddle::host {
namespace {

constexpr gid_t kNoGroup = 65534;
constexpr std::size_t kMostEntry = 1 << 20;

/// Returns the id in the text, or nullopt if the text is no id. -1 is no id, because it tells the
/// kernel to leave the id unchanged.
std::optional<uid_t> id_of(const std::string& text) {
  const auto id = read_number<uid_t>(text);
  return id == static_cast<uid_t>(-1) ? std::nullopt : id;
}

/// Returns the entry that `look` finds, or nullopt if there is none.
template <class Look>
Result<std::optional<TaskUser>> entry(const std::string& who, const Look& look) {
  std::vector<char> buffer(4096);
  for (;;) {
    passwd record{};
    passwd* found = nullptr;
    int error = look(&record, buffer.data(), buffer.size(), &found);
    if (error == ERANGE && buffer.size() < kMostEntry) {
      buffer.resize(buffer.size() * 2);
      continue;
    }
    if (error != 0 && error != ENOENT && error != ESRCH)
      return system_error("look up user " + who, error);
    if (found == nullptr) return std::optional<TaskUser>();
    std::string home = record.pw_dir != nullptr && *record.pw_dir != '\0' ? record.pw_dir : "/";
    return std::optional<TaskUser>(TaskUser{record.pw_uid, record.pw_gid, home});
  }
}

Result<TaskUser> by_number(uid_t uid) {
  auto found = entry(std::to_string(uid), [&](auto... rest) { return ::getpwuid_r(uid, rest...); });
  if (!found) return std::move(found).error();
  if (*found) return **found;
  const UserRange own;
  if (uid >= own.first && uid <= own.last) return TaskUser{uid, uid, kOwnHome, true};
  return TaskUser{uid, kNoGroup, "/"};
}

Result<TaskUser> by_name(const std::string& name) {
  if (std::optional<uid_t> uid = id_of(name)) return by_number(*uid);
  auto found = entry(name, [&](auto... rest) { return ::getpwnam_r(name.c_str(), rest...); });
  if (!found) return std::move(found).error();
  if (!*found)
    return usage_error("no user is called \"" + name + "\"; expected auto, a name or a number");
  return **found;
}

/// Returns the default user. For root, that is the user who called sudo, or nullopt without sudo.
/// Otherwise it is the user of this process.
std::optional<uid_t> default_user(const TaskUserQuestion& question) {
  if (question.own_uid != 0) return question.own_uid;
  std::optional<uid_t> caller = id_of(question.sudo_uid);
  return caller && *caller != 0 ? caller : std::nullopt;
}

}  // namespace

Result<std::optional<TaskUser>> find_task_user(const TaskUserQuestion& question) {
  const bool named = question.name && *question.name != kAutoUser;
  const std::optional<uid_t> meant = named ? std::nullopt : default_user(question);
  if (!named && !meant) return std::optional<TaskUser>();
  Result<TaskUser> user = named ? by_name(*question.name) : by_number(*meant);
  if (!user) return std::move(user).error().in("--task-user");
  if (user->uid == 0 && !question.allow_root)
    return usage_error(
        "--task-user: commands would run as root; give another user, or --allow-root-commands");
  if (question.own_uid != 0 && user->uid != question.own_uid)
    return usage_error("--task-user " + *question.name +
                       ": only root can run commands as another user");
  return std::optional<TaskUser>(*std::move(user));
}

TaskUserQuestion task_user_question(std::optional<std::string> name, bool allow_root) {
  const char* sudo = std::getenv("SUDO_UID");
  return {std::move(name), allow_root, ::geteuid(), sudo != nullptr ? sudo : ""};
}

}  // namespace heddle::host
