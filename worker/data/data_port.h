#pragma once

#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// TCP socket at which other hosts' workers reach this one's data service. The socket listens
/// before there is a service, so that the master can be told the endpoint, and outlives the service
/// if the worker rejoins.
struct DataPort {
  Fd socket;
  std::string endpoint;  ///< tcp://ADDRESS:PORT, the port chosen by the system
};

/// Returns this host's address on the way to `master`, tcp://HOST:PORT (IPv4). Errors: there is no
/// such host, or no route to it.
Result<std::string> local_address_to(const std::string& master);

/// Opens a port at `address`, such as 10.0.0.7. Error: this is no address of this host.
Result<DataPort> open_data_port(const std::string& address);

}  // namespace heddle::worker
