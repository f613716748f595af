#include "master/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/peer_name.h"

namespace heddle::master::admission_test {

const net::AllowList kAllowList = allow_list_of({{net::KeyRole::kWorker, "alpha", "key a"},
                                                 {net::KeyRole::kWorker, "w", "key w"},
                                                 {net::KeyRole::kTop, "ann", "key t"}});

std::string against(const std::string& key, const std::string& node, const std::string& host) {
  wire::Hello hello;
  hello.node = node;
  if (!host.empty()) hello.host = wire::HostFacts{host, {1}, real::Bytes(1)};
  return objection(kAllowList, key, hello);
}

TEST(Admission, WorkersAndTopsHaveDoorsOfTheirOwn) {
  EXPECT_EQ(kAllowList, (net::AllowList{{"control", {{"key a", "alpha"}, {"key w", "w"}}},
                                        {"progress", {{"key t", "ann"}}}}));
  EXPECT_EQ(allow_list_of({}), (net::AllowList{{"control", {}}, {"progress", {}}}));
}

TEST(Admission, WhoIsNamedLikeAHostOrANodeAloneIsThat) {
  EXPECT_EQ(against("w", "n1", "beta"), "");
  EXPECT_EQ(against("w", "", ""), "");
  EXPECT_EQ(against("alpha", "alpha", "alpha"), "");
  EXPECT_EQ(against("w", "n1", "alpha"), "host alpha has a key of its own; w is a different key");
  EXPECT_EQ(against("w", "alpha", ""), "node alpha has a key of its own; w is a different key");
  EXPECT_EQ(against("alpha", "n1", "beta"), "");
  EXPECT_EQ(against("w", "ann", "ann"), "");  // the key of a top does not reserve a host's name
}

TEST(PeerName, NobodyPassesForTheHolderOfAnotherKey) {
  EXPECT_EQ(net::key_of_peer(net::peer_name("w1", "n1-7f")), "w1");
  EXPECT_EQ(net::routing_id_of(net::peer_name("w1", "n1-7f")), "n1-7f");
  EXPECT_EQ(net::key_of_peer(net::peer_name("w2", "w1/n1-7f")), "w2");
  EXPECT_EQ(net::routing_id_of(net::peer_name("w2", "w1/n1-7f")), "w1/n1-7f");
  EXPECT_EQ(net::key_of_peer(net::peer_name("", "w1/n1-7f")), "");
  EXPECT_EQ(net::routing_id_of(net::peer_name("", "w1/n1-7f")), "w1/n1-7f");
}

}  // namespace heddle::master::admission_test
