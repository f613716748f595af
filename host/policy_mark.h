#pragma once

#include <sys/types.h>

#include <string>

namespace heddle::host {

/// Name of the socket in the directory of a policy's program.
inline constexpr const char* kPolicySocket = "policy.sock";

/// Returns the variable with which the program of a policy gets its endpoint. The endpoint has a
/// random part, and every process that the program starts inherits the variable, unless it clears
/// its environment. The variable thus shows which processes belong to the program, even if they
/// have left its session and their parents have ended.
std::string policy_variable(const std::string& endpoint);

/// Kills the processes of user `uid` whose environment has the variable, until there are none.
/// Returns false if some are left. A process of another user does not count, even if it has the
/// variable.
bool kill_processes_with(const std::string& variable, uid_t uid);

}  // namespace heddle::host
