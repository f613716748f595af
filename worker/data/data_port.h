#pragma once

#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// TCP socket at which the workers of other hosts reach this worker's data service. The socket
/// listens before the service exists, because the worker tells the master its endpoint. If the
/// worker rejoins, the socket outlives the service and is used again.
struct DataPort {
  Fd socket;
  std::string endpoint;  ///< tcp://ADDRESS:PORT; the system chooses the port
};

/// Returns the IPv4 address from which this host reaches the endpoint `master`, tcp://HOST:PORT.
/// Errors: there is no such host, or no route to it.
Result<std::string> local_address_to(const std::string& master);

/// Opens a port at `address`, such as 10.0.0.7. Error: the address does not belong to this host.
Result<DataPort> open_data_port(const std::string& address);

}  // namespace heddle::worker
