#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "master/journal.h"

namespace heddle::master {

/// An append-only file on a disk behind a cache: what was synced is on the disk; of what was
/// written since, a power failure leaves any part. Pages reach the disk one by one and in any
/// order; one that did not reads as NUL bytes if a later one did (delayed allocation, as ext4 and
/// XFS have it).
class ModelDisk {
 public:
  static constexpr std::size_t kPage = 4096, kSector = 512;

  std::string bytes;       ///< as a process sees them
  std::size_t synced = 0;  ///< so many of them are on the disk for good
  bool fails = false;      ///< the power fails at the next sync, before it has done anything

  /// Cuts the file, as the one who continues it does.
  void cut(std::size_t size) {
    bytes.resize(size);
    synced = std::min(synced, size);
  }

  /// What is there after a power failure.
  void power_fails(std::mt19937_64& random) {
    fails = false;
    std::string left = bytes.substr(0, synced);
    for (std::size_t page = synced / kPage; page * kPage < bytes.size(); ++page) {
      const std::size_t begin = std::max(page * kPage, synced);
      const std::size_t end = std::min((page + 1) * kPage, bytes.size());
      switch (random() % 4) {
        case 0:  // never written
          break;
        case 1: {  // torn: only its first sectors were
          const std::size_t sectors = (begin / kSector + 1 + random() % 8) * kSector;
          put(begin, std::min(end, sectors), left);
          break;
        }
        default:
          put(begin, end, left);
      }
    }
    // The length is metadata of its own, which may have been written with the last page or not.
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
