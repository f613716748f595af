#include "net/data_address.h"

#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace heddle::net::data_address_test {

/// The key is from the ZeroMQ manual, zmq_curve(7).
constexpr const char* kPublicKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";

TEST(DataAddress, OverTcpIsAHostsAddressWithAKey) {
  tests::expect_messages("net/messages.yaml", "addresses", [](const auto& row) {
    return data_address_fault(row[0], kPublicKey, row[1]);
  });
}

TEST(DataAddress, OverTcpTakesAKey) {
  for (const char* key : {"", "key", "                                        "})
    EXPECT_EQ(data_address_fault("tcp://10.0.0.7:5000", key, "10.0.0.7"),
              "its public key is missing");
}

TEST(DataAddress, OnOneHostIsAPath) {
  EXPECT_EQ(data_address_fault("ipc:///run/heddle/1/data-7", "", ""), "");
  EXPECT_EQ(data_address_fault("tcp://127.0.0.1:5000", kPublicKey, ""), "");
  for (const std::string& none :
       {std::string("ipc://"), std::string("ipc://data"), std::string("ipc://@abstract"),
        std::string("ipc:///a\nb"), "ipc:///" + std::string(107, 'x')})
    EXPECT_EQ(data_address_fault(none, "", ""), "expected ipc:// and an absolute path") << none;
}

TEST(DataAddress, InAnEndpoint) {
  EXPECT_EQ(address_in("tcp://10.0.0.7:5000"), "10.0.0.7");
  EXPECT_EQ(address_in("tcp://"), "");
  EXPECT_EQ(address_in("tcp:"), "");
  EXPECT_EQ(address_in("ipc:///a"), "");
  EXPECT_EQ(address_in(""), "");
}

}  // namespace heddle::net::data_address_test
