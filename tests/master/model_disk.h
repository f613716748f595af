#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "master/journal.h"

namespace heddle::master {

/// An append-only file on a disk behind a cache. Synced bytes are on the disk. A power failure
/// leaves any part of what was written since. Pages reach the disk one by one and in any order. A
/// page that did not reach it reads as NUL bytes if a later one did (delayed allocation, as on ext4
/// and XFS).
class ModelDisk {
 public:
  static constexpr std::size_t kPage = 4096, kSector = 512;

  std::string bytes;       ///< as a process sees them
  std::size_t synced = 0;  ///< number of bytes that are on the disk for good
  bool fails = false;      ///< the power fails at the next sync, before that has done anything

  /// Cuts the file, as a master does that continues it.
  void cut(std::size_t size) {
    bytes.resize(size);
    synced = std::min(synced, size);
  }

  /// Replaces the contents by what a power failure may leave.
  void power_fails(std::mt19937_64& random) {
    fails = false;
    std::string left = bytes.substr(0, synced);
    for (std::size_t page = synced / kPage; page * kPage < bytes.size(); ++page) {
      const std::size_t begin = std::max(page * kPage, synced);
      const std::size_t end = std::min((page + 1) * kPage, bytes.size());
      switch (random() % 4) {
        case 0:  // never written
          break;
        case 1: {  // torn: only its first sectors were written
          const std::size_t sectors = (begin / kSector + 1 + random() % 8) * kSector;
          put(begin, std::min(end, sectors), left);
          break;
        }
        default:
          put(begin, end, left);
      }
    }
    // The file's length is separate metadata, which may be written with the last page or not.
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

/// A LineFile on a ModelDisk, which must outlive it.
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
