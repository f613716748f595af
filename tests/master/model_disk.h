#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "master/journal.h"

namespace heddle::master {

/// Models an append-only file on a disk with a cache. Synced bytes are on the disk. Later bytes
/// reach the disk page by page and in any order, and a power failure can happen at any time. If a
/// page has not reached the disk but a later page has, the earlier page reads as NUL bytes. This is
/// delayed allocation, as on ext4 and XFS.
class ModelDisk {
 public:
  static constexpr std::size_t kPage = 4096, kSector = 512;

  std::string bytes;       ///< contents of the file as a process sees them
  std::size_t synced = 0;  ///< number of bytes that a power failure cannot remove
  bool fails = false;      ///< the power fails at the next sync, before the sync has any effect

  /// Cuts the file, as a master does before it continues a journal.
  void cut(std::size_t size) {
    bytes.resize(size);
    synced = std::min(synced, size);
  }

  /// Replaces the contents by contents that are possible after a power failure.
  void power_fails(std::mt19937_64& random) {
    fails = false;
    std::string left = bytes.substr(0, synced);
    for (std::size_t page = synced / kPage; page * kPage < bytes.size(); ++page) {
      const std::size_t begin = std::max(page * kPage, synced);
      const std::size_t end = std::min((page + 1) * kPage, bytes.size());
      switch (random() % 4) {
        case 0:  // never written
          break;
        case 1: {  // only the first sectors of the page were written
          const std::size_t sectors = (begin / kSector + 1 + random() % 8) * kSector;
          put(begin, std::min(end, sectors), left);
          break;
        }
        default:
          put(begin, end, left);
      }
    }
    // The file's length is separate metadata. It is not always written together with the last page.
    if (!left.empty() && left.size() > synced && random() % 4 == 0)
      left.resize(synced + random() % (left.size() - synced));
    bytes = std::move(left);
  }

 private:
  void put(std::size_t begin, std::size_t end, std::string& left) const {
    if (left.size() < begin) left.resize(begin, '\0');
    left.replace(begin, std::string::npos, bytes, begin, end - begin);
  }
};

/// A LineFile on a ModelDisk. The disk must outlive the file.
class ModelFile : public LineFile {
 public:
  explicit ModelFile(ModelDisk* disk) : disk_(*disk) {}
  Result<void> append(std::string_view lines) override {
    disk_.bytes += lines;
    return {};
  }
  Result<void> sync() override {
    if (disk_.fails) return aborted_error("the power failed");
    disk_.synced = disk_.bytes.size();
    return {};
  }

 private:
  ModelDisk& disk_;
};

}  // namespace heddle::master
