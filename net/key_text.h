#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/curve.h"

namespace heddle::net {

enum class KeyRole {
  kMaster,
  kWorker,
  kTop,  ///< may hear the progress of runs, nothing else
};
/// "master", "worker", "top".
const char* name_of(KeyRole role);

/// One pair, as a file holds it: lines `WORD VALUE`, those that begin with # are comments.
struct KeyFile {
  KeyRole role = KeyRole::kWorker;
  std::string name;  ///< "master" for the master's
  KeyPair own;
  std::string master;  ///< public key; "" in the master's own
  friend bool operator==(const KeyFile&, const KeyFile&) = default;
};
std::string to_text(const KeyFile& key);
/// Errors (kUsage) name `path`, the line, and what was expected.
Result<KeyFile> key_file_from(std::string_view text, const std::string& path);

/// One whom the master lets in.
struct Admitted {
  KeyRole role = KeyRole::kWorker;
  std::string name;
  std::string public_key;
  friend bool operator==(const Admitted&, const Admitted&) = default;
};
/// Lines `ROLE NAME PUBLIC-KEY`.
std::string to_text(const std::vector<Admitted>& admitted);
/// Names and keys are each there once.
Result<std::vector<Admitted>> admitted_from(std::string_view text, const std::string& path);

}  // namespace heddle::net
