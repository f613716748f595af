#include "host/huge_pages.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.h"

namespace heddle::host::huge_pages_test {

/// A directory as /sys/bus/virtio/devices.
class HugePages : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& id, const std::string& features) {
    std::filesystem::create_directory(devices_ + "/" + name);
    std::ofstream(devices_ + "/" + name + "/device") << id << "\n";
    std::ofstream(devices_ + "/" + name + "/features") << features << "\n";
  }

  tests::TemporaryDirectory scratch_;
  const std::string& devices_ = scratch_.path();
};

// Feature bits of a balloon: include/uapi/linux/virtio_balloon.h. Ids: virtio_ids.h.
TEST_F(HugePages, PayOnAMachineWithoutVirtioDevices) {
  EXPECT_TRUE(huge_pages_pay(devices_));
  EXPECT_TRUE(huge_pages_pay(devices_ + "/none"));
}

TEST_F(HugePages, DoNotPayIfABalloonReportsFreePages) {
  add("virtio0", "0x0002", "00100010011001");
  add("virtio1", "0x0005", "01100101000000");
  EXPECT_FALSE(huge_pages_pay(devices_));
}

TEST_F(HugePages, PayIfABalloonDoesNotReport) {
  add("virtio0", "0x0005", "11100001000000");
  EXPECT_TRUE(huge_pages_pay(devices_));
}

TEST_F(HugePages, PayIfOnlyOtherDevicesHaveTheBit) {
  add("virtio0", "0x0001", "11000101101110");
  add("virtio1", "0x0005", "0110");
  EXPECT_TRUE(huge_pages_pay(devices_));
}

}  // namespace heddle::host::huge_pages_test
