#include "common/zap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kKey = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";
const Guests kGuests = {{"control", {{kKey, "w1"}, {"second", "w2"}}},
                        {"progress", {{"third", "me"}}}};

ZapRequest request(const std::string& domain, const std::string& key) {
  return {"1.0", domain, "10.0.0.5", "CURVE", key};
}

TEST(Zap, TheListedComeInWhereTheyAreListed) {
  EXPECT_EQ(decide(request("control", kKey), kGuests).name, "w1");
  EXPECT_EQ(decide(request("control", "second"), kGuests).name, "w2");
  EXPECT_EQ(decide(request("progress", "third"), kGuests).name, "me");
  EXPECT_THAT(decide(request("control", kKey), kGuests).why, IsEmpty());
}

TEST(Zap, OthersDoNot) {
  EXPECT_EQ(decide(request("control", "fourth"), kGuests).why, "its key is not listed: fourth");
  EXPECT_EQ(decide(request("progress", kKey), kGuests).why,
            "its key, w1's, is for control, not for progress");
  EXPECT_EQ(decide(request("", kKey), kGuests).why, "its key, w1's, is for control, not for ");
  EXPECT_THAT(decide(request("control", ""), kGuests).why, HasSubstr("not CURVE"));
  EXPECT_THAT(decide(request("control", kKey), {}).why, HasSubstr("not listed"));
}

TEST(Zap, OnlyByCurve) {
  for (const char* mechanism : {"NULL", "PLAIN", "GSSAPI", ""}) {
    ZapRequest other = request("control", kKey);
    other.mechanism = mechanism;
    EXPECT_THAT(decide(other, kGuests).why, HasSubstr("not CURVE"));
    EXPECT_THAT(decide(other, kGuests).name, IsEmpty());
  }
  ZapRequest other = request("control", kKey);
  other.version = "2.0";
  EXPECT_THAT(decide(other, kGuests).why, HasSubstr("\"2.0\""));
}

}  // namespace
}  // namespace heddle
