#include "net/key_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "common/file.h"

namespace heddle::net::key_files_test {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

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
  KeyFiles() {
    std::string made = (fs::temp_directory_path() / "heddle-keys-XXXXXX").string();
    root_ = ::mkdtemp(made.data());
    dir_ = root_ + "/config/keys";
  }
  ~KeyFiles() override { fs::remove_all(root_); }

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

  std::string root_, dir_;
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
  const auto error = [](const std::string& endpoint, bool keys) {
    const auto checked = check_endpoint("--bind", endpoint, keys);
    return checked ? "" : checked.error().text;
  };
  EXPECT_EQ(error("ipc:///run/x.sock", false), "");
  EXPECT_EQ(error("tcp://127.0.0.1:7000", true), "");
  EXPECT_EQ(error("tcp://*:*", true), "");
  EXPECT_EQ(error("tcp://[::1]:65535", true), "");
  EXPECT_EQ(error("tcp://127.0.0.1:7000", false),
            "--bind tcp://127.0.0.1:7000: TCP needs keys, on loopback too: make them with `heddle "
            "keys make`, then give --keys DIR");
  for (const char* wrong : {"tcp://host", "tcp://host:", "tcp://:1", "tcp://host:0",
                            "tcp://host:65536", "tcp://host:1x"})
    EXPECT_EQ(error(wrong, true), std::string("--bind ") + wrong + ": expected tcp://HOST:PORT");
  for (const char* wrong : {"", "ipc://", "udp://host:1", "host:1", "inproc://zeromq.zap.01"})
    EXPECT_EQ(error(wrong, true),
              std::string("--bind ") + wrong + ": expected ipc://PATH or tcp://HOST:PORT");
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
  const auto error = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto key = key_file_from(text, "w1.key");
    return key ? "" : key.error().text;
  };
  EXPECT_EQ(error("role worker", "roel worker"),
            "w1.key:2: \"roel\"; expected role or name or public or secret or master; did you "
            "mean \"role\"?");
  EXPECT_EQ(error("role worker", "role wroker"),
            "w1.key:2: role \"wroker\"; expected master or worker or top; did you mean "
            "\"worker\"?");
  EXPECT_THAT(error("name w1", "name ../w1"), HasSubstr("w1.key:3: expected a name"));
  EXPECT_EQ(error("name w1", "name w1 w2"), "w1.key:3: expected `name` and one value");
  EXPECT_EQ(error("name w1", "name w1\nname w1"), "w1.key:4: `name` occurs twice");
  EXPECT_EQ(error("name w1\n", ""), "w1.key: expected a line `name …`; is the file whole?");
  EXPECT_THAT(error(kClient.public_key, "Yne"), HasSubstr("w1.key:4: expected a key: 40"));
  EXPECT_EQ(error(kClient.secret_key, kServer.secret_key),
            "w1.key: the secret key and the public key are not a pair");
  EXPECT_THAT(error("master", "#master"), HasSubstr("expected a line `master …`"));
}

TEST(KeyText, WrongListsSayWhereAndWhat) {
  const auto error = [](const std::string& text) {
    const auto admitted = admitted_from("# comment\n" + text, "admitted");
    return admitted ? "" : admitted.error().text;
  };
  const std::string line = "worker w1 " + kClient.public_key + "\n";
  EXPECT_EQ(error(line), "");
  EXPECT_EQ(error("worker w1\n"), "admitted:2: expected `ROLE NAME PUBLIC-KEY`");
  EXPECT_THAT(error("master m " + kClient.public_key), HasSubstr("admitted:2: role \"master\""));
  EXPECT_EQ(error(line + "worker w1 " + kServer.public_key),
            "admitted:3: the name \"w1\" occurs twice");
  EXPECT_EQ(error(line + "worker w2 " + kClient.public_key),
            "admitted:3: this key is already listed under another name");
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
