#include <map>
#include <sstream>

#include "common/ustar.h"
#include "report/archive/archive_file.h"
#include "report/archive/archive_manifest.h"
#include "report/archive/reproduction.h"
#include "tests/fuzz/targets.h"

namespace heddle::fuzz {
namespace {

using Files = std::map<std::string, std::string>;

/// Gives every header the checksum of its bytes, as an attacker does.
std::string with_checksums(std::string_view input) {
  constexpr std::size_t kMagic = 257, kSum = 148, kDigits = 8;
  std::string tar(input);
  for (std::size_t at = 0; at + kUstarBlock <= tar.size(); at += kUstarBlock) {
    if (tar.compare(at + kMagic, 5, "ustar") != 0) continue;
    tar.replace(at + kSum, kDigits, kDigits, ' ');
    unsigned sum = 0;
    for (std::size_t i = 0; i < kUstarBlock; ++i) sum += static_cast<unsigned char>(tar[at + i]);
    for (std::size_t i = 6; i > 0; --i, sum /= 8)
      tar[at + kSum + i - 1] = static_cast<char>('0' + sum % 8);
  }
  return tar;
}

Result<Files> files_of(const std::string& tar, const report::ArchiveLimits& limits) {
  std::istringstream in(tar);
  Files files;
  std::string* last = nullptr;
  const report::ArchiveSink sink{[&](const std::string& name, bool) -> Result<void> {
                                   last = &files[name];
                                   return {};
                                 },
                                 [&](std::string_view bytes) -> Result<void> {
                                   *last += bytes;
                                   return {};
                                 }};
  const Result<void> read = report::read_tar(in, limits, sink);
  require(files.size() <= limits.files, "an archive has at most as many files as the limit");
  for (const auto& [name, text] : files) {
    require(report::problem_of_name(name).empty(), "names lead nowhere");
    require(std::ssize(text) <= limits.file_bytes, "a file is at most as long as the limit");
  }
  if (!read) return read.error();
  return files;
}

bool tar_archive(std::string_view input) {
  report::ArchiveLimits limits;
  limits.files = 20;
  limits.file_bytes = 1 << 16;
  limits.all_bytes = 1 << 18;
  const Result<Files> files = files_of(with_checksums(input), limits);
  if (!files) return false;
  std::string again;
  for (const auto& [name, text] : *files) {
    if (!fits_ustar(name)) return true;
    again += ustar_header({name, std::ssize(text), 0}) + text + ustar_padding(std::ssize(text));
  }
  const Result<Files> read = files_of(again + std::string(2 * kUstarBlock, '\0'), limits);
  require(read && *read == *files, "an archive is the same after writing");
  return true;
}

bool json_file(std::string_view input) {
  const wire::Json json = wire::parse_json(input);
  const auto batch = report::figures_of_batch(json), run = report::figures_of_run(json);
  for (const auto* figures : {&batch, &run}) {
    if (!*figures) continue;
    require(report::judge_simulated(**figures, **figures).verdict == report::Reproduced::kEqual,
            "figures are equal to themselves");
    (void)report::judge_real(**figures, **figures, {}, false);
  }
  (void)report::difference_of_simulations(json, wire::Json::object());
  const Result<report::ArchiveManifest> manifest = report::parse_archive_manifest(input);
  if (manifest) {
    const Result<report::ArchiveManifest> again =
        report::parse_archive_manifest(report::to_text(*manifest));
    require(again && *again == *manifest, "a manifest is the same after writing");
  }
  return batch || run || manifest;
}

}  // namespace

bool archive(std::string_view input) {
  return input.starts_with('{') ? json_file(input) : tar_archive(input);
}

}  // namespace heddle::fuzz
