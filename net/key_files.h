#pragma once

#include <string>
#include <utility>
#include <vector>

#include "net/key_text.h"

namespace heddle::net {

// A key directory has mode 0700. It contains small text files of mode 0600 (docs/how-to/keys.md):
//   master.key  the master's pair
//   admitted    the admitted peers: lines `ROLE NAME PUBLIC-KEY`
//   NAME.key    the pair of a worker or of a `heddle top`, and the master's public key; the
//               program's host needs no other file
// If users other than its owner have access to a key directory, every program refuses to read it.

/// Keys that a master needs.
struct MasterKeys {
  CurveServer curve;
  std::vector<Admitted> admitted;
};
/// Keys that a worker or a `heddle top` needs.
struct ClientKeys {
  std::string name;  ///< name by which the master knows the key
  CurveClient curve;
};

/// Returns $XDG_CONFIG_HOME/heddle/keys if that variable is an absolute path. Otherwise returns
/// ~/.config/heddle/keys, or "" if there is no home directory. Pure.
std::string key_directory(const std::string& config_home, const std::string& home);
/// Returns the key directory for the environment of this process.
std::string default_key_directory();

/// Reads the keys of a master. Errors (kUsage):
/// - The directory or a file does not exist. The text says how to make keys.
/// - Other users have access to it. The text gives the chmod command.
/// - A file has wrong contents.
Result<MasterKeys> read_master_keys(const std::string& dir);
/// Reads the keys of a worker or a `heddle top`. If `name` is "", takes the only key of that role.
/// REQUIRES: the role is not kMaster.
Result<ClientKeys> read_client_keys(const std::string& dir, KeyRole role, const std::string& name);
/// Reads all pairs in the directory. The master's pair comes first, and the others are sorted by
/// name.
Result<std::vector<KeyFile>> read_key_files(const std::string& dir);
Result<std::vector<Admitted>> read_admitted(const std::string& dir);

/// Makes the directory and the master's pair if they are missing. Makes a pair for each (role,
/// name), and adds it to the admitted peers. Overwrites nothing: if a name already has a pair,
/// returns an error before it makes anything. Returns the pairs that it has made.
Result<std::vector<KeyFile>> make_keys(const std::string& dir,
                                       const std::vector<std::pair<KeyRole, std::string>>& names);
/// Removes the pair of that name and its line in `admitted`. Succeeds if at least one of them
/// exists.
Result<void> remove_key(const std::string& dir, const std::string& name);

}  // namespace heddle::net
