#include "net/key_files.h"

#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "common/file.h"
#include "tests/support/matchers.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_directory.h"

namespace heddle::net::key_files_test {

namespace fs = std::filesystem;

// The key pairs are from the documentation of RFC 26 and of libzmq.
const KeyPair kServer = {"rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7",
                         "JTKVSB%%)wK0E.X)V>+}o?pNmC{O&4W4b!Ni{Lh6"};
const KeyPair kClient = {"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
                         "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"};

mode_t mode_of(const std::string& path) {
  struct stat info {};
  ::stat(path.c_str(), &info);
  return info.st_mode & 0777;
}

class KeyFiles : public testing::Test {
 protected:
  void make(const std::vector<std::string>& workers) {
    std::vector<std::pair<KeyRole, std::string>> names;
    for (const std::string& name : workers) names.emplace_back(KeyRole::kWorker, name);
    const auto made = make_keys(dir_, names);
    ASSERT_TRUE(made) << made.error().text;
  }
  std::string worker_error(const std::string& name = "") const {
    const auto keys = read_client_keys(dir_, KeyRole::kWorker, name);
    return keys ? "" : keys.error().text;
  }
  void write(const std::string& file, const std::string& text) const {
    std::ofstream(dir_ + "/" + file) << text;
    ::chmod((dir_ + "/" + file).c_str(), 0600);
  }

  tests::TemporaryDirectory root_;
  const std::string dir_ = root_ / "config/keys";
};

TEST(Curve, PairsAreMadeAndRecognised) {
  const auto pair = make_key_pair();
  ASSERT_TRUE(pair);
  EXPECT_THAT(pair->public_key, SizeIs(40));
  EXPECT_EQ(public_key_of(pair->secret_key), pair->public_key);
  EXPECT_NE(make_key_pair()->secret_key, pair->secret_key);
  EXPECT_EQ(public_key_of(kServer.secret_key), kServer.public_key);
  EXPECT_EQ(public_key_of("short"), std::nullopt);
  EXPECT_TRUE(valid_key(kClient.public_key));
  EXPECT_FALSE(valid_key(kClient.public_key.substr(1)));
  EXPECT_FALSE(valid_key(std::string(40, '\\')));
}

TEST(Curve, EndpointsWithoutKeysAreRefused) {
  tests::expect_messages("net/messages.yaml", "endpoints", [](const auto& row) {
    const auto checked = check_endpoint("--bind", row[1], row[0] == "yes");
    return checked ? "" : checked.error().text;
  });
}

TEST(Curve, WhereKeysAre) {
  EXPECT_EQ(key_directory("/etc/x", "/home/me"), "/etc/x/heddle/keys");
  EXPECT_EQ(key_directory("", "/home/me"), "/home/me/.config/heddle/keys");
  EXPECT_EQ(key_directory("relative", "/home/me"), "/home/me/.config/heddle/keys");
  EXPECT_EQ(key_directory("", ""), "");
}

TEST(KeyText, FilesRoundTrip) {
  const KeyFile worker{KeyRole::kWorker, "w1", kClient, kServer.public_key};
  const KeyFile master{KeyRole::kMaster, "master", kServer, ""};
  EXPECT_EQ(*key_file_from(to_text(worker), "w1.key"), worker);
  EXPECT_EQ(*key_file_from(to_text(master), "master.key"), master);
  const std::vector<Admitted> admitted = {{KeyRole::kWorker, "w1", kClient.public_key},
                                          {KeyRole::kTop, "me", kServer.public_key}};
  EXPECT_EQ(*admitted_from(to_text(admitted), "admitted"), admitted);
}

TEST(KeyText, WrongFilesSayWhereAndWhat) {
  const std::string good = to_text(KeyFile{KeyRole::kWorker, "w1", kClient, kServer.public_key});
  tests::expect_messages("net/messages.yaml", "key-files", [&](const auto& row) {
    std::string text = good;
    const auto key =
        key_file_from(text.replace(text.find(row[0]), row[0].size(), row[1]), "w1.key");
    return key ? "" : key.error().text;
  });
}

TEST(KeyText, WrongListsSayWhereAndWhat) {
  tests::expect_messages_of("net/messages.yaml", "lists", [](const std::string& lines) {
    const auto admitted = admitted_from("# comment\n" + lines, "admitted");
    return admitted ? "" : admitted.error().text;
  });
}

TEST_F(KeyFiles, AreMadeForTheirOwnerAndReadBack) {
  make({"w1", "w2"});
  EXPECT_EQ(mode_of(dir_), 0700);
  for (const char* file : {"/master.key", "/admitted", "/w1.key", "/w2.key"})
    EXPECT_EQ(mode_of(dir_ + file), 0600) << file;
  const auto master = read_master_keys(dir_);
  ASSERT_TRUE(master) << master.error().text;
  const auto w1 = read_client_keys(dir_, KeyRole::kWorker, "w1");
  ASSERT_TRUE(w1) << w1.error().text;
  EXPECT_EQ(w1->name, "w1");
  EXPECT_EQ(w1->curve.server, master->curve.own.public_key);
  ASSERT_THAT(master->admitted, SizeIs(2));
  EXPECT_EQ(master->admitted[0], (Admitted{KeyRole::kWorker, "w1", w1->curve.own.public_key}));
  const auto all = read_key_files(dir_);
  ASSERT_TRUE(all);
  ASSERT_THAT(*all, SizeIs(3));
  EXPECT_EQ((*all)[0].name, "master");
}

TEST_F(KeyFiles, NothingIsOverwritten) {
  make({"w1"});
  const std::string before = *read_file(dir_ + "/w1.key");
  const auto again = make_keys(dir_, {{KeyRole::kWorker, "w2"}, {KeyRole::kTop, "w1"}});
  ASSERT_FALSE(again);
  EXPECT_THAT(again.error().text,
              AllOf(HasSubstr("\"w1\" exists already"), HasSubstr("heddle keys remove w1")));
  EXPECT_EQ(*read_file(dir_ + "/w1.key"), before);
  EXPECT_FALSE(fs::exists(dir_ + "/w2.key"));
  const std::string master = *read_file(dir_ + "/master.key");
  make({"w2"});
  EXPECT_EQ(*read_file(dir_ + "/master.key"), master);
  for (const char* name : {"master", "../x", ""})
    EXPECT_THAT(make_keys(dir_, {{KeyRole::kWorker, name}}).error().text,
                HasSubstr("expected a name"));
}

TEST_F(KeyFiles, AreNotMadeBehindALinkOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a link away";
  constexpr uid_t kOther = 54'321;
  fs::create_directory(root_ / "victim");
  ::chmod((root_ / "victim").c_str(), 0700);
  fs::create_directory_symlink(root_ / "victim", root_ / "keys");
  ASSERT_EQ(::lchown((root_ / "keys").c_str(), kOther, kOther), 0);
  for (const char* dir : {"keys", "keys/", "keys/below"})
    EXPECT_FALSE(make_keys(root_ / dir, {{KeyRole::kWorker, "w1"}})) << dir;
  EXPECT_TRUE(fs::is_empty(root_ / "victim"));
  // An own link is followed.
  ASSERT_EQ(::lchown((root_ / "keys").c_str(), 0, 0), 0);
  EXPECT_TRUE(make_keys(root_ / "keys/", {{KeyRole::kWorker, "w1"}}));
}

TEST_F(KeyFiles, OpenToOthersTheyAreRefusedWithWhatToDo) {
  make({"w1"});
  ::chmod((dir_ + "/w1.key").c_str(), 0640);
  EXPECT_EQ(worker_error(),
            dir_ + "/w1.key: accessible to others (mode 0640); run chmod 600 " + dir_ + "/w1.key");
  ::chmod((dir_ + "/w1.key").c_str(), 0400);
  EXPECT_EQ(worker_error(), "");
  ::chmod(dir_.c_str(), 0755);
  EXPECT_EQ(worker_error(), dir_ + ": accessible to others (mode 0755); run chmod 700 " + dir_);
  EXPECT_THAT(read_key_files(dir_).error().text, HasSubstr("chmod 700"));
  EXPECT_THAT(make_keys(dir_, {}).error().text, HasSubstr("chmod 700"));
  EXPECT_THAT(remove_key(dir_, "w1").error().text, HasSubstr("chmod 700"));
  ::chmod(dir_.c_str(), 0700);
  ::chmod((dir_ + "/admitted").c_str(), 0660);
  EXPECT_THAT(read_master_keys(dir_).error().text, HasSubstr("chmod 600 " + dir_ + "/admitted"));
}

TEST_F(KeyFiles, OfAnotherUserTheyAreRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  constexpr uid_t kNobody = 65534, kOther = 54'321;
  make({"w1"});
  for (const std::string& path : {root_.path(), root_ / "config", dir_, dir_ + "/master.key"})
    ASSERT_EQ(::chown(path.c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(::chown((dir_ + "/w1.key").c_str(), kOther, kOther), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)
      ::_exit(1);
    const bool named =
        worker_error().starts_with(dir_ + "/w1.key: belongs to user 54321; expected you");
    ::_exit(named ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(KeyFiles, MissingOnesSayHowTheyAreMade) {
  EXPECT_THAT(worker_error(), AllOf(HasSubstr(dir_ + ": does not exist"),
                                    HasSubstr("heddle keys make"), HasSubstr("--keys DIR")));
  make({});
  EXPECT_THAT(worker_error(), HasSubstr("contains no worker's key"));
  make({"w1", "w2"});
  EXPECT_EQ(worker_error(), dir_ + ": has several keys: w1, w2; choose one with --key NAME");
  EXPECT_EQ(worker_error("w12"),
            dir_ + ": no key \"w12\"; did you mean \"w1\"? (there: master, w1, w2)");
  EXPECT_THAT(read_client_keys(dir_, KeyRole::kTop, "w1").error().text,
              HasSubstr("is a worker's key; expected a top's key"));
  fs::remove(dir_ + "/master.key");
  EXPECT_THAT(read_master_keys(dir_).error().text, HasSubstr("master.key: does not exist"));
  fs::rename(dir_ + "/w1.key", dir_ + "/w3.key");
  EXPECT_THAT(worker_error("w3"), HasSubstr("holds the key \"w1\"; expected \"w3\""));
  write("w4.key", "");
  EXPECT_THAT(worker_error("w4"), HasSubstr("w4.key: expected a line `role …`"));
}

TEST_F(KeyFiles, RemovedOnesAreAdmittedNoMore) {
  make({"w1", "w2"});
  fs::remove(dir_ + "/w2.key");  // moved to its host
  ASSERT_TRUE(remove_key(dir_, "w1"));
  ASSERT_TRUE(remove_key(dir_, "w2"));
  EXPECT_FALSE(fs::exists(dir_ + "/w1.key"));
  EXPECT_THAT(*read_admitted(dir_), SizeIs(0));
  EXPECT_THAT(remove_key(dir_, "w1").error().text, HasSubstr("no key \"w1\" (there: master)"));
  EXPECT_THAT(remove_key(dir_, "master").error().text,
              HasSubstr("expected the name of a worker's"));
  make({"w1"});
}

}  // namespace heddle::net::key_files_test
