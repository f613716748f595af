#pragma once

#include <string>
#include <vector>

#include "common/result.h"

namespace heddle::cli {

struct KeysOptions {
  std::string dir;                   ///< "": default_key_directory
  std::vector<std::string> workers;  ///< make: names of their keys
  std::vector<std::string> tops;     ///< make: of those that may watch
  std::string name;                  ///< remove
};

/// `heddle keys make`: makes the pairs that are asked for, by default one for all workers and one
/// for `heddle top`, and the master's if there is none. Overwrites nothing.
Result<int> keys_make_command(const KeysOptions& options);
/// `heddle keys list`: names, roles, who is admitted, public keys.
Result<int> keys_list_command(const KeysOptions& options);
/// `heddle keys remove NAME`: it is admitted no more, and its pair is removed.
Result<int> keys_remove_command(const KeysOptions& options);

}  // namespace heddle::cli
