#include "master/door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "master/peer_name.h"

namespace heddle {
namespace {

const Guests kGuests = guests_of({{KeyRole::kWorker, "alpha", "key a"},
                                  {KeyRole::kWorker, "w", "key w"},
                                  {KeyRole::kTop, "ann", "key t"}});

std::string against(const std::string& key, const std::string& node, const std::string& host) {
  wire::Hello hello;
  hello.node = node;
  if (!host.empty()) hello.host = wire::HostFacts{host, {1}, real::Bytes(1)};
  return objection(kGuests, key, hello);
}

TEST(Door, WorkersAndTopsHaveDoorsOfTheirOwn) {
  EXPECT_EQ(kGuests, (Guests{{"control", {{"key a", "alpha"}, {"key w", "w"}}},
                             {"progress", {{"key t", "ann"}}}}));
  EXPECT_EQ(guests_of({}), (Guests{{"control", {}}, {"progress", {}}}));
}

TEST(Door, WhoIsNamedLikeAHostOrANodeAloneIsThat) {
  EXPECT_EQ(against("w", "n1", "beta"), "");
  EXPECT_EQ(against("w", "", ""), "");
  EXPECT_EQ(against("alpha", "alpha", "alpha"), "");
  EXPECT_EQ(against("w", "n1", "alpha"), "host alpha has a key of its own, w is another");
  EXPECT_EQ(against("w", "alpha", ""), "node alpha has a key of its own, w is another");
  EXPECT_EQ(against("alpha", "n1", "beta"), "");
  EXPECT_EQ(against("w", "ann", "ann"), "");  // a top's key is none of a host
}

TEST(PeerName, NobodyPassesForTheHolderOfAnotherKey) {
  EXPECT_EQ(key_of_peer(peer_name("w1", "n1-7f")), "w1");
  EXPECT_EQ(routing_id_of(peer_name("w1", "n1-7f")), "n1-7f");
  EXPECT_EQ(key_of_peer(peer_name("w2", "w1/n1-7f")), "w2");
  EXPECT_EQ(routing_id_of(peer_name("w2", "w1/n1-7f")), "w1/n1-7f");
  EXPECT_EQ(key_of_peer(peer_name("", "w1/n1-7f")), "");
  EXPECT_EQ(routing_id_of(peer_name("", "w1/n1-7f")), "w1/n1-7f");
}

}  // namespace
}  // namespace heddle
