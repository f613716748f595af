#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/curve.h"

namespace heddle::net {

enum class KeyRole {
  kMaster,
  kWorker,
  kTop,  ///< can only receive the progress of runs
};
/// Returns "master", "worker" or "top".
const char* name_of(KeyRole role);

/// A pair and its facts, as a key file contains them. A file has lines `WORD VALUE`, and comments
/// in lines that begin with #.
struct KeyFile {
  KeyRole role = KeyRole::kWorker;
  std::string name;  ///< "master" for the master's pair
  KeyPair own;
  std::string master;  ///< the master's public key; "" in the master's file
  friend bool operator==(const KeyFile&, const KeyFile&) = default;
};
std::string to_text(const KeyFile& key);
/// Parses a key file. Errors (kUsage) name `path`, the line, and what was expected.
Result<KeyFile> key_file_from(std::string_view text, const std::string& path);

/// A peer that the master admits.
struct Admitted {
  KeyRole role = KeyRole::kWorker;
  std::string name;
  std::string public_key;
  friend bool operator==(const Admitted&, const Admitted&) = default;
};
/// Returns the text of the file `admitted`: a line `ROLE NAME PUBLIC-KEY` for each peer.
std::string to_text(const std::vector<Admitted>& admitted);
/// Parses the text of the file `admitted`. Error (kUsage): a name or a key occurs twice, or a line
/// is wrong.
Result<std::vector<Admitted>> admitted_from(std::string_view text, const std::string& path);

}  // namespace heddle::net
