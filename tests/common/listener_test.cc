#include "common/listener.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>

#include "common/fd.h"
#include "tests/support/temporary_directory.h"

namespace heddle {
namespace {

using tests::TemporaryDirectory;

TEST(Listener, IsFoundUntilItsSocketIsClosed) {
  const TemporaryDirectory scratch;
  const std::string path = scratch / "a.sock", endpoint = "ipc://" + path;
  EXPECT_FALSE(is_listened_on(endpoint));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  {
    const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(socket.get(), 1), 0);
    EXPECT_TRUE(is_listened_on(endpoint));
  }
  EXPECT_TRUE(std::filesystem::exists(path));
  EXPECT_FALSE(is_listened_on(endpoint));
}

TEST(Listener, HasAPathThatASocketCanHave) {
  EXPECT_FALSE(is_listened_on("tcp://127.0.0.1:9"));
  EXPECT_FALSE(is_listened_on("ipc:///tmp/" + std::string(200, 'a')));
}

}  // namespace
}  // namespace heddle
