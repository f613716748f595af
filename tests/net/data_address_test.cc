#include "net/data_address.h"

#include <gtest/gtest.h>

namespace heddle::net::data_address_test {

/// The key is from the ZeroMQ manual, zmq_curve(7).
constexpr const char* kPublicKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
constexpr const char* kNumbers = "expected tcp://ADDRESS:PORT with an IPv4 address in numbers";

TEST(DataAddress, OverTcpIsAHostsAddressWithAKey) {
  const auto fault = [](const std::string& endpoint, const std::string& from) {
    return data_address_fault(endpoint, kPublicKey, from);
  };
  EXPECT_EQ(fault("tcp://10.0.0.7:5000", "10.0.0.7"), "");
  EXPECT_EQ(fault("tcp://10.1.0.7:65535", "10.0.0.7"), "") << "another network card";
  EXPECT_EQ(fault("tcp://127.0.0.1:5000", "127.0.0.1"), "");
  EXPECT_EQ(fault("tcp://169.254.3.4:5000", "169.254.3.5"), "");
  EXPECT_EQ(fault("", "10.0.0.7"), "") << "it has none";

  EXPECT_EQ(fault("ipc:///run/docker.sock", "10.0.0.7"),
            "ipc:// is for workers of the master's host; expected tcp://");
  EXPECT_EQ(fault("tcp://127.0.0.1:5000", "10.0.0.7"),
            "this is a loopback address, but the worker connects from 10.0.0.7");
  EXPECT_EQ(fault("tcp://127.9.9.9:5000", "fe80::1"),
            "this is a loopback address, but the worker connects from fe80::1");
  EXPECT_EQ(fault("tcp://169.254.169.254:80", "10.0.0.7"),
            "this is a link-local address, but the worker connects from 10.0.0.7");
  for (const char* nobodys : {"0.0.0.0", "0.1.2.3", "224.0.0.1", "239.1.1.1", "255.255.255.255"})
    EXPECT_EQ(fault(std::string("tcp://") + nobodys + ":5000", "10.0.0.7"),
              "expected the address of a host, not a reserved or multicast address");
  for (const char* none :
       {"tcp://", "tcp://10.0.0.7", "tcp://10.0.0.7:", "tcp://10.0.0.7:0", "tcp://10.0.0.7:65536",
        "tcp://10.0.0.7:5x", "tcp://*:5000", "tcp://localhost:5000", "tcp://10.0.7:5000",
        "tcp://10.0.0.7:1:2", "tcp://eth0;10.0.0.7:5000", "udp://10.0.0.7:5000", "inproc://x",
        "pgm://10.0.0.7:5000", "x"})
    EXPECT_EQ(fault(none, "10.0.0.7"), kNumbers) << none;
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
