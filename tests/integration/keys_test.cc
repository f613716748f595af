// Tests a real master on loopback TCP: which peers it admits, which it refuses, and what it logs.

#include <arpa/inet.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <filesystem>
#include <random>
#include <regex>

#include "common/fd.h"
#include "net/key_files.h"
#include "tests/net/stranger.h"
#include "tests/support/matchers.h"
#include "tests/system/process.h"
#include "wire/codec.h"

namespace heddle::keys_test {

using End = net::Stranger::End;

constexpr const char* kScenario =
    "heddle: 1\nname: keys\nemulation: {time_scale: 1, core_fraction: 0.1, memory_scale: 1/64}\n"
    "cluster: {nodes: [{name: n1, cores: 1, memory: 1GiB}, {name: n2, cores: 1, memory: 1GiB}]}\n"
    "jobs:\n  - name: j\n    phases:\n"
    "      - {name: map, kind: map, tasks: 1, request: {cores: 1, memory: 1GiB}, sleep: 1s}\n";

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Returns the beginning of a peer's greeting (RFC 37): signature, version, mechanism, as-server.
std::string greeting(const std::string& mechanism) {
  std::string text("\xff\0\0\0\0\0\0\0\x01\x7f\x03\0", 12);
  text += mechanism;
  text.resize(64, '\0');
  return text;
}

class KeysTest : public testing::Test {
 protected:
  KeysTest() {
    const auto made = net::make_keys(
        dir_,
        {{net::KeyRole::kWorker, "w1"}, {net::KeyRole::kWorker, "w2"}, {net::KeyRole::kTop, "me"}});
    EXPECT_TRUE(made) << made.error().text;
    worker_ = net::read_client_keys(dir_, net::KeyRole::kWorker, "w1")->curve;
    second_ = net::read_client_keys(dir_, net::KeyRole::kWorker, "w2")->curve;
    top_ = net::read_client_keys(dir_, net::KeyRole::kTop, "")->curve;
    std::filesystem::create_directory(scratch_ / "out");
    master_.emplace(std::vector<std::string>{HEDDLE_MASTER_PATH, scratch_.file("s.yaml", kScenario),
                                             "--out", scratch_ / "out", "--bind",
                                             "tcp://127.0.0.1:*", "--progress", "tcp://127.0.0.1:*",
                                             "--run", "r", "--keys", dir_, "--log", log_path()},
                    scratch_);
    EXPECT_TRUE(eventually([&] { return !endpoint("progress").empty(); })) << master_->errors();
  }
  ~KeysTest() override {
    master_->signal(SIGTERM);
    EXPECT_EQ(master_->wait(), 130) << master_->errors() << log();
  }

  std::string log_path() const { return scratch_ / "master.log"; }
  std::string log() const { return text_of(log_path()); }
  std::string endpoint(const std::string& domain) const {
    std::smatch found;
    const std::string text = log();
    return std::regex_search(text, found, std::regex(domain + " at (tcp://\\S+)")) ? found[1].str()
                                                                                   : "";
  }
  std::uint16_t port() const {
    const std::string control = endpoint("control");
    return static_cast<std::uint16_t>(std::stoi(control.substr(control.rfind(':') + 1)));
  }

  /// Connects to the control port with these keys, or in clear text.
  net::Stranger at_control(const std::optional<net::CurveClient>& keys) const {
    return {endpoint("control"), zmq::socket_type::dealer, keys};
  }

  static std::string hello(const std::string& node, const std::string& host = "") {
    wire::Hello hello;
    hello.run = "r";
    hello.node = node;
    hello.incarnation = node == "n2" ? 8 : 7;
    hello.pid = 1;
    hello.version = HEDDLE_VERSION;
    if (!host.empty()) hello.host = wire::HostFacts{host, {1}, real::Bytes(1 << 30)};
    return wire::encode(hello);
  }
  /// Says hello as a worker; returns the master's answer.
  static std::string answer_to(net::Stranger& worker, const std::string& node,
                               const std::string& host = "") {
    worker.send(hello(node, host));
    const Result<wire::Message> message = wire::decode(worker.receive());
    if (!message) return message.error().text;
    if (std::holds_alternative<wire::Welcome>(*message)) return "welcome";
    const auto* error = std::get_if<wire::ErrorMessage>(&*message);
    return error ? error->text : "something else";
  }

  /// Returns whether the master welcomes the peer, to which it may have sent other messages before.
  static bool welcomed(net::Stranger& worker, const std::string& node) {
    while (worker.heard()) {
    }
    worker.send(hello(node));
    for (int i = 0; i < 100; ++i) {
      const Result<wire::Message> message = wire::decode(worker.receive());
      if (!message || std::holds_alternative<wire::ErrorMessage>(*message)) return false;
      if (std::holds_alternative<wire::Welcome>(*message)) return true;
    }
    return false;
  }

  /// Sends bytes to the control port; returns whether the master then closes the connection.
  bool cut_off_after(const std::string& bytes) const {
    Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port());
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    timeval limit{10, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) < 0) return false;
    (void)::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    char answer[512];
    ssize_t n = 0;
    do n = ::recv(fd.get(), answer, sizeof answer, 0);
    while (n > 0);
    return n == 0 || errno == ECONNRESET;
  }

  Scratch scratch_;
  std::string dir_ = scratch_ / "keys";
  net::CurveClient worker_, second_, top_;
  std::optional<Process> master_;
};

TEST_F(KeysTest, WhoIsListedComesInAndNobodyElse) {
  net::Stranger worker = at_control(worker_);
  EXPECT_EQ(worker.end(), End::kIn);
  EXPECT_EQ(answer_to(worker, "n1"), "welcome");
  net::Stranger top(endpoint("progress"), zmq::socket_type::sub, top_);
  EXPECT_EQ(top.end(), End::kIn);
  EXPECT_THAT(top.receive(), HasSubstr("\"n1\""));

  const auto kept_out = [&](const net::Intruder& intruder) {
    for (const auto& [domain, type] :
         {std::pair{"control", zmq::socket_type::dealer}, {"progress", zmq::socket_type::sub}}) {
      net::Stranger stranger(endpoint(domain), type, intruder.keys, intruder.plain_user);
      if (type == zmq::socket_type::dealer) stranger.send(hello("n2"));
      const End end = stranger.end();
      EXPECT_TRUE(end == End::kCutOff || end == End::kRefused) << intruder.name << " " << domain;
      EXPECT_FALSE(stranger.heard()) << intruder.name << " " << domain;
    }
  };
  for (const net::Intruder& intruder : intruders(worker_.server, worker_.own)) kept_out(intruder);
  net::Stranger wrong_door(endpoint("progress"), zmq::socket_type::sub, worker_);
  EXPECT_EQ(wrong_door.end(), End::kRefused);
  net::Stranger other_door = at_control(top_);
  EXPECT_EQ(other_door.end(), End::kRefused);
  // The admitted worker noticed nothing, and nobody has taken the other node.
  EXPECT_EQ(answer_to(worker, "n1"), "welcome");
  EXPECT_THAT(top.receive(), HasSubstr("\"waiting\""));
}

// The connection is closed, and the observer connects again.
TEST_F(KeysTest, AnObserverOnlySubscribes) {
  net::Stranger top(endpoint("progress"), zmq::socket_type::sub, top_);
  ASSERT_EQ(top.end(), End::kIn);
  top.subscribe(std::string(200, 'x'));
  EXPECT_THAT(top.receive(), HasSubstr("\"n1\""));
  top.subscribe(std::string(10'000, 'x'));
  EXPECT_EQ(top.end(), End::kIn);
}

TEST_F(KeysTest, WhoHasAHostsNameForAKeyAloneIsThatHost) {
  net::Stranger first = at_control(worker_);
  EXPECT_EQ(answer_to(first, "n1", "w2"), "host w2 has a key of its own; w1 is a different key");
  EXPECT_EQ(answer_to(first, "n1", "w1"), "welcome");
  net::Stranger other = at_control(second_);
  EXPECT_EQ(answer_to(other, "n2", "w2"), "welcome");
}

/// A worker's socket with a routing id of its own choice.
struct Dealer {
  Dealer(const std::string& endpoint, const net::CurveClient& keys, const std::string& id) {
    socket.set(zmq::sockopt::linger, 0);
    socket.set(zmq::sockopt::rcvtimeo, 3000);
    socket.set(zmq::sockopt::routing_id, id);
    net::secure(socket, keys);
    socket.connect(endpoint);
  }
  /// Sends a message; returns the kind of the answer, "" if there is none.
  std::string answer_to(const std::string& text) {
    socket.send(zmq::buffer(text), zmq::send_flags::none);
    zmq::message_t answer;
    if (!socket.recv(answer)) return "";
    const Result<wire::Message> message = wire::decode(answer.to_string_view());
    return message ? std::string(wire::name_of(*message)) : message.error().text;
  }
  zmq::context_t context{1};
  zmq::socket_t socket{context, zmq::socket_type::dealer};
};

TEST_F(KeysTest, NobodyTakesAnothersRoutingIdOver) {
  Dealer first(endpoint("control"), worker_, "n1-7f");
  EXPECT_EQ(first.answer_to(hello("n1")), "welcome");
  Dealer other(endpoint("control"), second_, "n1-7f");
  EXPECT_EQ(other.answer_to(hello("n1")), "");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(first.answer_to(hello("n1")), "welcome") << i;
  // On a connection whose id the master has chosen, the hello is heard and refused.
  net::Stranger honest = at_control(second_);
  EXPECT_EQ(answer_to(honest, "n1"), "the worker of this incarnation has another key");
}

TEST_F(KeysTest, DataAddressesAreChecked) {
  const auto answer = [&](const std::string& data) {
    wire::Hello hello;
    hello.run = "r";
    hello.node = "n1";
    hello.incarnation = 7;
    hello.version = HEDDLE_VERSION;
    hello.data = data;
    hello.data_key = worker_.own.public_key;
    net::Stranger worker = at_control(worker_);
    worker.send(wire::encode(hello));
    const Result<wire::Message> message = wire::decode(worker.receive());
    if (!message) return message.error().text;
    const auto* error = std::get_if<wire::ErrorMessage>(&*message);
    return error ? error->text : std::string(wire::name_of(*message));
  };
  EXPECT_EQ(answer("ipc:///run/docker.sock"),
            "its data service at ipc:///run/docker.sock: ipc:// is for workers of the master's "
            "host; expected tcp://");
  EXPECT_THAT(answer("tcp://169.254.169.254:80"), HasSubstr("this is a link-local address"));
  EXPECT_THAT(answer("tcp://0.0.0.0:80"),
              HasSubstr("expected the address of a host, not a reserved or multicast address"));
  EXPECT_EQ(answer("tcp://127.0.0.1:4000"), "welcome");
}

/// Returns a field of the master's status in MiB; VmHWM is the most memory that it has used.
double memory_of(pid_t pid, const std::string& name) {
  const std::string status = text_of("/proc/" + std::to_string(pid) + "/status");
  return std::stod(status.substr(status.find(name + ":") + name.size() + 1)) / 1024;
}
/// Returns whether the process uses nearly no CPU for 300 ms.
bool is_idle(pid_t pid) {
  const long before = cpu_ticks(pid);
  sleep_for(std::chrono::milliseconds(300));
  return cpu_ticks(pid) - before <= 1;
}

TEST_F(KeysTest, AFloodIsBounded) {
  net::Stranger one = at_control(worker_);
  net::Stranger two = at_control(second_);
  ASSERT_EQ(answer_to(one, "n1"), "welcome");
  ASSERT_EQ(answer_to(two, "n2"), "welcome");
  // The run continues, and w2 begins a new incarnation again and again.
  wire::Hello again;
  again.run = "r";
  again.node = "n2";
  again.version = HEDDLE_VERSION;
  for (again.incarnation = 100; again.incarnation < 5100; ++again.incarnation)
    two.send(wire::encode(again));
  // Sends reports of the largest permitted size faster than they are read, then one that is larger.
  std::string large = R"({"m":"reports","incarnation":1,"reports":[)";
  while (large.size() < wire::kMaxToMaster - 100) large += "[[],[],[],[],[],[],[],[]],";
  large += "1]}";
  net::Stranger third = at_control(second_);
  for (int i = 0; i < 100; ++i) third.send(large);
  net::Stranger fourth = at_control(second_);
  fourth.send(std::string(14 << 20, 'x'));
  // The nodes send no heartbeats, so they are lost after a while.
  (void)eventually([&] { return is_idle(master_->pid()); }, std::chrono::seconds(3));
  EXPECT_TRUE(welcomed(one, "n1")) << "who is quiet is heard";
  EXPECT_LT(memory_of(master_->pid(), "VmHWM"), 250);
  const std::size_t lost = count(text_of(scratch_ / "out/journal.jsonl"), "\"type\":\"node_lost\"");
  EXPECT_GT(lost, 0u);
  EXPECT_LT(lost, 30u);
  EXPECT_LT(count(log(), "refused"), 20u) << log();
}

/// Stops the main thread of a process, whose other threads continue. The destructor continues it.
class MainThreadStop {
 public:
  explicit MainThreadStop(pid_t pid) : pid_(pid) {
    EXPECT_EQ(::ptrace(PTRACE_SEIZE, pid_, nullptr, nullptr), 0) << std::strerror(errno);
    EXPECT_EQ(::ptrace(PTRACE_INTERRUPT, pid_, nullptr, nullptr), 0) << std::strerror(errno);
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, __WALL), pid_);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  ~MainThreadStop() { ::ptrace(PTRACE_DETACH, pid_, nullptr, nullptr); }

 private:
  pid_t pid_;
};

/// A peer in a process of its own. It connects, sends many messages when it is told to, reads
/// nothing, and is then killed, so that its connection ends with a reset.
class Flood {
 public:
  Flood(const std::string& endpoint, const net::CurveClient& keys) {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    own_ = Fd(ends[0]);
    const Fd other(ends[1]);
    child_ = ::fork();
    if (child_ == 0) run(endpoint, keys, ends[1]);
    char admitted = 0;
    EXPECT_EQ(::read(own_.get(), &admitted, 1), 1);
    EXPECT_EQ(admitted, 'y');
  }
  void send_and_die() {
    EXPECT_EQ(::write(own_.get(), "!", 1), 1);
    int status = 0;
    EXPECT_EQ(::waitpid(child_, &status, 0), child_);
  }

 private:
  [[noreturn]] static void run(const std::string& endpoint, const net::CurveClient& keys, int end) {
    net::Stranger stranger(endpoint, zmq::socket_type::dealer, keys);
    char go = stranger.end() == End::kIn ? 'y' : 'n';
    if (::write(end, &go, 1) == 1 && ::read(end, &go, 1) == 1)
      for (int i = 0; i < 900; ++i) stranger.send(std::string(100, 'x'));
    sleep_for(std::chrono::milliseconds(300));  // libzmq sends
    const linger none{1, 0};
    for (int fd = 3; fd < 100; ++fd) ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    ::raise(SIGKILL);
    ::_exit(1);
  }
  Fd own_;
  pid_t child_ = -1;
};

// The master reads nothing for a while, as when it is busy. The messages of the flood wait in
// libzmq when their sender dies. libzmq must not abort (net/backlog_watch.h), whether by a timer in
// the meantime or when the master continues.
TEST_F(KeysTest, AFloodThatEndsAbruptlyDoesNotEndTheMaster) {
  Flood flood(endpoint("control"), second_);
  {
    const MainThreadStop stop(master_->pid());
    flood.send_and_die();
    sleep_for(std::chrono::milliseconds(1200));
  }
  net::Stranger one = at_control(worker_);
  EXPECT_EQ(answer_to(one, "n1"), "welcome");
  EXPECT_TRUE(master_->running());
}

TEST_F(KeysTest, RefusedOnesAreToldOfOncePerAddress) {
  for (int i = 0; i < 20; ++i) {
    net::Stranger stranger = at_control(net::CurveClient{*net::make_key_pair(), worker_.server});
    ASSERT_EQ(stranger.end(), End::kRefused);
    net::Stranger cleartext = at_control(std::nullopt);
    ASSERT_EQ(cleartext.end(), End::kCutOff);
  }
  ASSERT_TRUE(
      eventually([&] { return log().find("CURVE handshake failed") != std::string::npos; }));
  EXPECT_EQ(count(log(), "refused 127.0.0.1 (control): its key is not listed: "), 1u) << log();
  EXPECT_EQ(count(log(), "refused unknown peer (control): CURVE handshake failed"), 1u) << log();
  EXPECT_EQ(count(log(), "refused"), 2u) << log();
}

TEST_F(KeysTest, GarbageIsCutOffAndDoesNoHarm) {
  net::Stranger worker = at_control(worker_);
  EXPECT_EQ(answer_to(worker, "n1"), "welcome");
  std::mt19937 random(7);
  std::string noise(100'000, '\0');
  for (char& c : noise) c = static_cast<char>(random());
  noise[0] = 'x';
  EXPECT_TRUE(cut_off_after(noise));
  EXPECT_TRUE(cut_off_after("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
  EXPECT_TRUE(cut_off_after(greeting("NULL") + noise));
  EXPECT_TRUE(cut_off_after(greeting("CURVE") + noise));
  // A command of 200 bytes, as a hello has, and one of 2^62.
  EXPECT_TRUE(cut_off_after(greeting("CURVE") + "\x04\xc8\x05HELLO" + noise.substr(0, 194)));
  EXPECT_TRUE(cut_off_after(greeting("CURVE") + std::string("\x06\x40\0\0\0\0\0\0\0", 9) + noise));
  EXPECT_EQ(answer_to(worker, "n1"), "welcome");
}

TEST(Keys, NoTcpWithoutKeys) {
  Scratch scratch;
  const std::string scenario = scratch.file("s.yaml", kScenario);
  const auto master = [&](const std::string& bind, const std::string& progress) {
    const Ended end =
        end_of({HEDDLE_MASTER_PATH, scenario, "--out", scratch / "out", "--bind", bind,
                "--progress", progress, "--run", "r", "--keys", scratch / "keys"},
               scratch);
    EXPECT_EQ(end.status, 2);
    return end.errors;
  };
  const std::string ipc = "ipc://" + scratch / "x.sock";
  EXPECT_THAT(master("tcp://127.0.0.1:7000", ipc), HasSubstr("heddle keys make"));
  EXPECT_THAT(master(ipc, "tcp://127.0.0.1:7000"),
              HasSubstr("--progress tcp://127.0.0.1:7000: TCP needs keys"));
  ASSERT_TRUE(net::make_keys(scratch / "keys", {{net::KeyRole::kWorker, "w1"}}));
  std::filesystem::permissions(scratch / "keys/master.key", std::filesystem::perms(0644));
  EXPECT_THAT(master("tcp://127.0.0.1:7000", ipc), HasSubstr("chmod 600 "));
}

TEST(MasterByItself, RunsCommandsOnlyIfItIsAllowedTo) {
  Scratch scratch;
  const std::string scenario = scratch.file(
      "s.yaml",
      "heddle: 1\nname: c\nemulation: {time_scale: 1, core_fraction: 0.1, memory_scale: 1/64}\n"
      "cluster: {nodes: [{name: n1, cores: 1, memory: 1GiB}]}\njobs:\n  - name: j\n    phases:\n"
      "      - {name: own, kind: command, tasks: 1, request: {cores: 1, memory: 1GiB}, command: "
      "[/bin/true]}\n");
  std::filesystem::create_directory(scratch / "out");
  std::vector<std::string> words = {HEDDLE_MASTER_PATH,
                                    scenario,
                                    "--out",
                                    scratch / "out",
                                    "--bind",
                                    "ipc://" + scratch / "x.sock",
                                    "--run",
                                    "r"};
  expect_refused(end_of(words, scratch), 2,
                 {"phase \"own\" runs the program \"/bin/true\"; expected --allow-commands, which "
                  "allows users' programs"});
  words.emplace_back("--allow-commands");
  Process allowed(words, scratch);
  EXPECT_TRUE(eventually([&] { return std::filesystem::exists(scratch / "x.sock"); }))
      << allowed.errors();
  allowed.signal(SIGTERM);
  EXPECT_EQ(allowed.wait(), 130);
}

}  // namespace heddle::keys_test
