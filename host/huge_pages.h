#pragma once

#include <string>

namespace heddle::host {

/// Returns whether tasks should fill their memory with huge pages. They fill faster than small
/// pages, unless this is a virtual machine that hands free memory back to its host (free page
/// reporting of virtio_balloon). Only free blocks of at least the size of a huge page are handed
/// back (mm/page_reporting.c), so most huge pages would have to come from the host again, which
/// takes 20 times as long. `devices` is the directory with the virtio devices.
bool huge_pages_pay(const std::string& devices = "/sys/bus/virtio/devices");

}  // namespace heddle::host
