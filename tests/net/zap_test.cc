#include "net/zap.h"

#include "tests/support/matchers.h"

namespace heddle::net::zap_test {

const std::string kKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
const AllowList kAllowList = {{"control", {{kKey, "w1"}, {"second", "w2"}}},
                              {"progress", {{"third", "me"}}}};

ZapRequest request(const std::string& domain, const std::string& key) {
  return {"1.0", domain, "10.0.0.5", "CURVE", key};
}

TEST(Zap, TheListedComeInWhereTheyAreListed) {
  EXPECT_EQ(decide(request("control", kKey), kAllowList).name, "w1");
  EXPECT_EQ(decide(request("control", "second"), kAllowList).name, "w2");
  EXPECT_EQ(decide(request("progress", "third"), kAllowList).name, "me");
  EXPECT_THAT(decide(request("control", kKey), kAllowList).why, IsEmpty());
}

TEST(Zap, OthersDoNot) {
  EXPECT_EQ(decide(request("control", "fourth"), kAllowList).why, "its key is not listed: fourth");
  EXPECT_EQ(decide(request("progress", kKey), kAllowList).why,
            "its key (w1) is for control, not for progress");
  EXPECT_EQ(decide(request("", kKey), kAllowList).why, "its key (w1) is for control, not for ");
  EXPECT_THAT(decide(request("control", ""), kAllowList).why, HasSubstr("not CURVE"));
  EXPECT_THAT(decide(request("control", kKey), {}).why, HasSubstr("not listed"));
}

TEST(Zap, OnlyByCurve) {
  for (const char* mechanism : {"NULL", "PLAIN", "GSSAPI", ""}) {
    ZapRequest other = request("control", kKey);
    other.mechanism = mechanism;
    EXPECT_THAT(decide(other, kAllowList).why, HasSubstr("not CURVE"));
    EXPECT_THAT(decide(other, kAllowList).name, IsEmpty());
  }
  ZapRequest other = request("control", kKey);
  other.version = "2.0";
  EXPECT_THAT(decide(other, kAllowList).why, HasSubstr("\"2.0\""));
}

}  // namespace heddle::net::zap_test
