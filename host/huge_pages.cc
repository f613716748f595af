#include "host/huge_pages.h"

#include <filesystem>
#include <system_error>

#include "common/file.h"

namespace heddle::host {
namespace {

/// include/uapi/linux/virtio_ids.h (VIRTIO_ID_BALLOON), as sysfs prints it
constexpr const char* kBalloon = "0x0005";
/// include/uapi/linux/virtio_balloon.h (VIRTIO_BALLOON_F_REPORTING); sysfs prints bit 0 first
constexpr std::size_t kReporting = 5;

bool reports_free_pages(const std::string& device) {
  const Result<std::string> id = read_file(device + "/device");
  if (!id || !id->starts_with(kBalloon)) return false;
  const Result<std::string> features = read_file(device + "/features");
  return features && features->size() > kReporting && (*features)[kReporting] == '1';
}

}  // namespace

bool huge_pages_pay(const std::string& devices) {
  std::error_code error;
  for (std::filesystem::directory_iterator it(devices, error), end; !error && it != end;
       it.increment(error))
    if (reports_free_pages(it->path())) return false;
  return true;
}

}  // namespace heddle::host
