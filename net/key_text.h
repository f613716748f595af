#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/curve.h"

namespace heddle::net {

enum class KeyRole {
  kMaster,
  kWorker,
  kTop,  ///< may only receive the progress of runs
};
/// Returns "master", "worker" or "top".
const char* name_of(KeyRole role);

/// A pair as a file holds it: lines `WORD VALUE`; lines that begin with # are comments.
struct KeyFile {
  KeyRole role = KeyRole::kWorker;
  std::string name;  ///< "master" for the master's
  KeyPair own;
  std::string master;  ///< public key; "" in the master's own
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
/// Returns lines `ROLE NAME PUBLIC-KEY`.
std::string to_text(const std::vector<Admitted>& admitted);
/// Parses such lines. Error (kUsage): a name or a key occurs twice, or a line is wrong.
Result<std::vector<Admitted>> admitted_from(std::string_view text, const std::string& path);

}  // namespace heddle::net
