#pragma once

#include <string>

#include "common/fd.h"
#include "common/result.h"

namespace heddle::worker {

/// Where other hosts' workers reach this one's data service: a TCP socket that listens before there
/// is one, so that the master can be told where, and that outlives it, should the worker rejoin.
struct DataPort {
  Fd socket;
  std::string endpoint;  ///< tcp://ADDRESS:PORT, the port chosen by the system
};

/// The address by which this host speaks to `master`, tcp://HOST:PORT (IPv4). Errors: no such host,
/// no way there.
Result<std::string> local_address_to(const std::string& master);

/// Errors: `address`, a number like 10.0.0.7, is none of this host's.
Result<DataPort> open_data_port(const std::string& address);

}  // namespace heddle::worker
