// Tests who can connect to the socket of the metrics, and what it replaces.

#include "serve/metrics_socket.h"

#include <grp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/matchers.h"
#include "tests/support/temporary_directory.h"

namespace heddle::serve {

namespace fs = std::filesystem;

class MetricsSocketTest : public ::testing::Test {
 protected:
  /// Returns the error text, or "" if the socket could be opened. It is left as by a killed server.
  std::string error(const std::string& group = "") const {
    const Result<MetricsSocket> made = MetricsSocket::listen(path_, group);
    return made ? "" : made.error().text;
  }
  struct stat info() const {
    struct stat found {};
    EXPECT_EQ(::lstat(path_.c_str(), &found), 0);
    return found;
  }
  bool connects() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    const Fd client(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    return ::connect(client.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }

  tests::TemporaryDirectory place_;
  std::string path_ = place_ / "metrics";
};

TEST_F(MetricsSocketTest, IsItsOwnersAndGoesWithTheServer) {
  const Result<MetricsSocket> made = MetricsSocket::listen(path_, "");
  ASSERT_TRUE(made) << made.error().text;
  EXPECT_EQ(info().st_mode, static_cast<mode_t>(S_IFSOCK | 0600));
  EXPECT_TRUE(connects());
  EXPECT_EQ(error(),
            "--metrics-socket " + path_ + ": another process listens there; expected another path");
  EXPECT_TRUE(connects());
  made->remove();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(MetricsSocketTest, AMemberOfTheGroupCanConnect) {
  const gid_t group = ::getegid();
  EXPECT_EQ(error(std::to_string(group)), "");
  EXPECT_EQ(info().st_mode, static_cast<mode_t>(S_IFSOCK | 0660));
  EXPECT_EQ(info().st_gid, group);
  EXPECT_EQ(error("no-such-group"),
            "--metrics-group no-such-group: there is no such group on this machine");
}

TEST_F(MetricsSocketTest, ReplacesWhatAKilledServerLeftAndNothingElse) {
  EXPECT_EQ(error(), "");
  EXPECT_FALSE(connects()) << "nobody listens any more";
  EXPECT_EQ(error(), "") << "the socket of the first is replaced";
  const std::string refused =
      "--metrics-socket " + path_ + ": exists and is not a socket of yours; expected a new path";
  fs::remove(path_);
  std::ofstream(path_) << "mine";
  EXPECT_EQ(error(), refused);
  EXPECT_EQ(fs::file_size(path_), 4U);
  fs::remove(path_);
  fs::create_symlink(place_ / "elsewhere", path_);
  EXPECT_EQ(error(), refused);
  EXPECT_FALSE(fs::exists(place_ / "elsewhere"));
  if (::geteuid() != 0) return;
  fs::remove(path_);
  EXPECT_EQ(error(), "");
  ASSERT_EQ(::lchown(path_.c_str(), 65534, 65534), 0);
  EXPECT_EQ(error(), refused) << "the socket of another user";
}

TEST_F(MetricsSocketTest, DoesNotRemoveWhatIsAtItsPathNow) {
  const Result<MetricsSocket> made = MetricsSocket::listen(path_, "");
  ASSERT_TRUE(made);
  fs::rename(path_, place_ / "moved");
  std::ofstream(path_) << "mine";
  made->remove();
  EXPECT_TRUE(fs::exists(path_));
}

}  // namespace heddle::serve
