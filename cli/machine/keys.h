#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

struct KeysOptions {
  std::string dir;                   ///< "": default_key_directory
  std::vector<std::string> workers;  ///< make: names of workers' keys
  std::vector<std::string> tops;     ///< make: names of keys for `heddle top`
  std::string name;                  ///< remove: name of the key
};

/// `heddle keys make`: makes the requested key pairs. By default, these are one pair for all
/// workers and one pair for `heddle top`. Also makes the master's pair if it is missing. Never
/// overwrites a key.
Result<int> keys_make_command(const KeysOptions& options);
/// `heddle keys list`: prints names, roles, admission and public keys.
Result<int> keys_list_command(const KeysOptions& options);
/// `heddle keys remove NAME`: ends the key's admission and removes its pair.
Result<int> keys_remove_command(const KeysOptions& options);

}  // namespace heddle::cli
