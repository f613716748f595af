#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::trace::slurm {

// The values of Slurm's text output. -1 stands for a word that means no value.

inline constexpr double kNoValue = -1;
inline constexpr double kMebibyte = 1 << 20;

/// Reads a time as seconds since 1970: "2026-01-05T10:00:00", taken as UTC because it has no zone,
/// or the whole seconds themselves. "Unknown" and "None" are no value.
std::optional<double> read_instant(std::string_view text);
/// Reads "[DAYS-]HH:MM:SS" or "MM:SS", with or without a fraction, as seconds. "UNLIMITED",
/// "Partition_Limit" and "INVALID" are no value.
std::optional<double> read_length(std::string_view text);
/// Reads a number, which can have a letter for a power of 1024: "2K". The words of read_length()
/// are no value.
std::optional<double> read_count(std::string_view text);
/// Reads bytes: "1582.50K". A number without a letter is bytes.
std::optional<double> read_bytes(std::string_view text);

/// An amount of memory that a job requests.
struct Memory {
  enum class Per { kJob, kNode, kCpu };
  double bytes = 0;
  Per per = Per::kJob;
};
/// Reads "31.25G", "4000Mn" (per node) or "4Gc" (per CPU). A number without a letter is MiB.
std::optional<Memory> read_memory(std::string_view text);

/// Trackable resources (TRES).
struct Tres {
  std::optional<double> cpus, nodes, bytes, gpus;
  std::string models;  ///< of GPUs, if the text names them; '|' separates several
};
/// Reads "cpu=8,gres/gpu=2,gres/gpu:a100=2,mem=31.25G,node=2". Amounts that can't be read are
/// missing. GPUs without a model include those with a model.
Tres read_tres(std::string_view text);

/// Devices of a node.
struct Gres {
  double gpus = 0;
  std::string model;  ///< "": unknown, or several
};
/// Reads "gpu:a100:2(S:0-1),nic:1". Resources other than GPUs are ignored. Returns nullopt if a
/// number of GPUs can't be read.
std::optional<Gres> read_gres(std::string_view text);

/// Returns the names of a list such as "a,cn[01-03,7],r[1-2]n[1-4]", at most `most` of them.
/// Returns nullopt if the list can't be read or is longer.
std::optional<std::vector<std::string>> read_hosts(std::string_view text, std::size_t most);

}  // namespace heddle::trace::slurm
