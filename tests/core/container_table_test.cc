#include "core/state/container_table.h"

#include <vector>

#include "tests/support/matchers.h"

namespace heddle::container_table_test {

Container with_id(std::int64_t id) {
  Container container;
  container.id = ContainerId{id};
  return container;
}

std::vector<std::int64_t> ids(const ContainerTable& table) {
  std::vector<std::int64_t> ids;
  for (const Container& container : table) ids.push_back(container.id.value);
  return ids;
}

TEST(ContainerTable, GoesOverTheLiveOnesInTheOrderOfTheirIds) {
  ContainerTable table;
  EXPECT_THAT(ids(table), IsEmpty());
  for (std::int64_t id : {3, 4, 6, 7}) table.add(with_id(id));
  EXPECT_THAT(ids(table), ElementsAre(3, 4, 6, 7));
  table.erase(ContainerId{4});
  table.erase(ContainerId{7});
  EXPECT_THAT(ids(table), ElementsAre(3, 6));
  table.erase(ContainerId{3});
  EXPECT_THAT(ids(table), ElementsAre(6));
  EXPECT_EQ(table.size(), 1U);
  table.erase(ContainerId{6});
  EXPECT_TRUE(table.empty());
  EXPECT_THAT(ids(table), IsEmpty());
}

TEST(ContainerTable, FindsOnlyWhatIsThere) {
  ContainerTable table;
  EXPECT_EQ(table.find(ContainerId{0}), nullptr);
  table.add(with_id(5));
  table.add(with_id(8));
  for (std::int64_t id : {-1, 0, 4, 6, 7, 9}) EXPECT_EQ(table.find(ContainerId{id}), nullptr) << id;
  EXPECT_EQ(table.find(ContainerId{INT64_MAX}), nullptr);
  EXPECT_EQ(table.find(ContainerId{INT64_MIN}), nullptr);
  EXPECT_EQ(table.at(ContainerId{8}).id, ContainerId{8});
  table.erase(ContainerId{5});
  table.erase(ContainerId{8});
  EXPECT_EQ(table.find(ContainerId{8}), nullptr);
}

TEST(ContainerTable, WhatItGaveStaysWhereItIs) {
  ContainerTable table;
  Container& first = table.add(with_id(0));
  for (std::int64_t id = 1; id < 2000; ++id) table.add(with_id(id));
  for (std::int64_t id = 1; id < 1500; ++id) table.erase(ContainerId{id});
  EXPECT_EQ(&table.at(ContainerId{0}), &first);
  EXPECT_EQ(table.size(), 501U);
}

}  // namespace heddle::container_table_test
