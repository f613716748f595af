// Tests a stand-alone worker, which was not started for a run and whose master may be on another
// host.

#include <arpa/inet.h>
#include <sys/socket.h>

#include "tests/support/matchers.h"
#include "worker/data/data_port.h"
#include "worker/link.h"

namespace heddle::worker::far_master_test {

real::Time at(double seconds) {
  return real::Time(real::Duration(static_cast<std::int64_t>(seconds * 1e9)));
}

wire::Welcome welcome(const std::string& run, const std::string& node) {
  wire::Welcome welcome;
  welcome.incarnation = 11;
  welcome.run = run;
  welcome.spec.name = node;
  welcome.scale.time = 1;
  welcome.heartbeat = emu_seconds(1);
  welcome.node_timeout = emu_seconds(60);
  return welcome;
}

class FarMaster : public ::testing::Test {
 protected:
  static Link::Identity unnamed() {
    Link::Identity identity{"", "", 4711, "tcp://10.0.0.2:5000", "key"};
    identity.clock = "boot";
    identity.host = wire::HostFacts{"h1", {2}, real::Bytes(1 << 30)};
    identity.join_patience = std::chrono::seconds(60);
    return identity;
  }
  std::string give_up(double seconds) {
    for (const LinkEvent& event : link_.tick(at(seconds)))
      if (const auto* given = std::get_if<GiveUp>(&event)) return given->why;
    return "";
  }
  Link link_{unnamed(), 11, at(0)};
};

TEST_F(FarMaster, TakesRunAndNodeThatItIsTold) {
  const wire::Hello first = link_.hello(at(0));
  EXPECT_EQ(first.run + first.node, "");
  EXPECT_EQ(first.host->name, "h1");
  EXPECT_EQ(first.clock, "boot");
  EXPECT_EQ(first.version, HEDDLE_VERSION);
  link_.on_message(welcome("r1", "n2"), at(0));
  EXPECT_TRUE(link_.joined());
  EXPECT_EQ(link_.run(), "r1");
  EXPECT_EQ(link_.hello(at(1)).node, "n2");  // keeps the node for a rejoin
}

TEST_F(FarMaster, AnotherRunThanWeAreOfIsNone) {
  Link::Identity identity = unnamed();
  identity.run = "r1";
  Link link(identity, 11, at(0));
  const std::vector<LinkEvent> events = link.on_message(welcome("r2", "n2"), at(0));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<GiveUp>(events[0]).why,
            "the master expects node n2 of run r2, but this worker is for any node of run r1");
}

TEST_F(FarMaster, EchoesTheMastersTime) {
  wire::Welcome hail = welcome("r1", "n2");
  hail.master_ns = 500;
  link_.on_message(hail, at(1));
  const wire::Heartbeat beat = link_.heartbeat(at(2));
  ASSERT_TRUE(beat.echo);
  EXPECT_EQ(beat.echo->master_ns, 500);
  EXPECT_EQ(beat.echo->received_ns, 1'000'000'000);
  link_.on_message(wire::HeartbeatReply{11, 1, 0, {}, 700}, at(2.5));
  EXPECT_EQ(link_.heartbeat(at(3)).echo->received_ns, 2'500'000'000);
}

TEST_F(FarMaster, WaitsAsLongAsItWasTold) {
  EXPECT_EQ(give_up(59.9), "");
  EXPECT_EQ(give_up(60), "no master answers");
}

TEST_F(FarMaster, AsksAgainForAWhileIfThereIsNoNodeForIt) {
  const wire::ErrorMessage full{"every node has a worker already; there is no node for host h1",
                                false};
  EXPECT_EQ(link_.on_message(full, at(1)).size(), 1U);
  link_.hello_sent(true, at(1));
  EXPECT_TRUE(link_.hello_due(at(2)));
  EXPECT_THAT(link_.on_message(full, at(2)), IsEmpty());  // reported once
  EXPECT_EQ(give_up(5.9), "");
  EXPECT_EQ(give_up(6),
            "the master refused this worker: every node has a worker already; there is no node for "
            "host h1");
}

TEST_F(FarMaster, RefusedForGoodItEndsAtOnce) {
  const std::vector<LinkEvent> events =
      link_.on_message(wire::ErrorMessage{"this master serves run r1, not run r2", true}, at(1));
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(std::get<GiveUp>(events[0]).why,
            "the master refused this worker: this master serves run r1, not run r2");
}

TEST(DataPort, ListensAtAnAddressOfThisHost) {
  Result<std::string> address = local_address_to("tcp://127.0.0.1:7");
  ASSERT_TRUE(address) << address.error().text;
  EXPECT_EQ(*address, "127.0.0.1");
  Result<DataPort> port = open_data_port(*address);
  ASSERT_TRUE(port) << port.error().text;
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  there.sin_port = htons(
      static_cast<std::uint16_t>(std::stoi(port->endpoint.substr(port->endpoint.rfind(':') + 1))));
  const Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&there), sizeof there), 0);
}

TEST(DataPort, SaysWhatIsWrong) {
  EXPECT_EQ(open_data_port("somewhere").error().text,
            "--data-address somewhere: expected one of this host's addresses, such as 10.0.0.7");
  EXPECT_EQ(open_data_port("0.0.0.0").error().kind, Error::Kind::kUsage);
  EXPECT_THAT(open_data_port("192.0.2.1").error().text,
              HasSubstr("--data-address 192.0.2.1: Cannot assign"));  // no host has it: RFC 5737
  EXPECT_EQ(open_data_port("192.0.2.1").error().kind, Error::Kind::kMachine);
  EXPECT_THAT(local_address_to("tcp://no.such.host.invalid:7").error().text,
              HasSubstr("--connect tcp://no.such.host.invalid:7: "));
}

}  // namespace heddle::worker::far_master_test
