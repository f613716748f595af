#pragma once

#include <string>
#include <utility>
#include <vector>

#include "net/key_text.h"

namespace heddle::net {

// A key directory has mode 0700 and holds one small text file per pair, all of mode 0600
// (docs/how-to/keys.md):
//   master.key  the master's pair
//   admitted    the admitted peers: lines `ROLE NAME PUBLIC-KEY`
//   NAME.key    the pair of a worker or of a `heddle top`, and the master's public key: all that
//               its host needs
// Every program that reads a key directory refuses it if others than its owner have access.

/// Keys that a master needs.
struct MasterKeys {
  CurveServer curve;
  std::vector<Admitted> admitted;
};
/// Keys that a worker or a `heddle top` needs.
struct ClientKeys {
  std::string name;  ///< name of the key, by which the master knows it
  CurveClient curve;
};

/// Returns $XDG_CONFIG_HOME/heddle/keys, else ~/.config/heddle/keys; "" if there is neither. Pure.
std::string key_directory(const std::string& config_home, const std::string& home);
/// Returns the same for this process.
std::string default_key_directory();

/// Reads the keys of a master. Errors (kUsage): no such directory or file, with how keys are made;
/// open to others, with the chmod to do; wrong text.
Result<MasterKeys> read_master_keys(const std::string& dir);
/// Reads the keys of a worker or a `heddle top`. `name` "": the only key of that role. REQUIRES:
/// the role is not the master's.
Result<ClientKeys> read_client_keys(const std::string& dir, KeyRole role, const std::string& name);
/// Reads all pairs in the directory, by name, the master's first.
Result<std::vector<KeyFile>> read_key_files(const std::string& dir);
Result<std::vector<Admitted>> read_admitted(const std::string& dir);

/// Makes the directory and the master's pair if they are missing, and for each (role, name) a pair
/// that is admitted. Overwrites nothing: a name that is taken is an error before anything is made.
/// Returns what was made.
Result<std::vector<KeyFile>> make_keys(const std::string& dir,
                                       const std::vector<std::pair<KeyRole, std::string>>& names);
/// Removes the pair of that name and its admission, or whichever of them is there.
Result<void> remove_key(const std::string& dir, const std::string& name);

}  // namespace heddle::net
