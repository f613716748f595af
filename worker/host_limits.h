#pragma once

#include "core/resolve.h"
#include "wire/messages.h"

namespace heddle::worker {

// Checks of a master's messages against the worker's own host, whoever the master is. `host`: the
// most that the worker can ever use (host_capacity). An error (kMachine) names what is needed and
// what the host has. Pure.

/// Checks the node of a Welcome. Its containers together never use more than the node.
Result<void> check_node(const wire::Welcome& welcome, const HostResources& host);

/// Checks the request of a container.
Result<void> check_launch(const wire::Welcome& welcome, const wire::LaunchCommand& launch,
                          const HostResources& host);

/// Checks an external load. The OOM killer never picks its program, so its memory must be available
/// at present. `available`: that memory, with what the present load holds.
Result<void> check_load(const wire::Welcome& welcome, const Resources& load,
                        const HostResources& host, real::Bytes available);

}  // namespace heddle::worker
