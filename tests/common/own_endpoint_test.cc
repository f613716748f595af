#include "common/own_endpoint.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(OwnEndpoint, IsAPathOrAnAddressOfThisMachine) {
  for (const char* own : {"ipc:///run/policy", "ipc://@name", "tcp://127.0.0.1:5599",
                          "tcp://127.9.8.7:1", "tcp://localhost:65535", "tcp://[::1]:5599"})
    EXPECT_TRUE(is_own_endpoint(own)) << own;
}

// "127.anything.test" is a name that can be any machine. What follows ";" is where ZeroMQ connects.
TEST(OwnEndpoint, IsNoOtherMachine) {
  for (const char* other : {"",
                            "mine",
                            "ipc://",
                            "tcp://",
                            "tcp://127.0.0.1",
                            "tcp://127.0.0.1:",
                            "tcp://127.0.0.1:0",
                            "tcp://127.0.0.1:65536",
                            "tcp://127.0.0.1:5599x",
                            "tcp://127.anything.test:5599",
                            "tcp://127.0.0.1.test:5599",
                            "tcp://127.0.0:5599",
                            "tcp://127.0.0.1;192.0.2.1:5599",
                            "tcp://localhost.test:5599",
                            "tcp://[::1].test:5599",
                            "tcp://192.0.2.1:5599",
                            "tcp://0.0.0.0:5599",
                            "tcp://*:5599",
                            "inproc://policy",
                            "pgm://127.0.0.1:5599"})
    EXPECT_FALSE(is_own_endpoint(other)) << other;
}

}  // namespace
}  // namespace heddle
