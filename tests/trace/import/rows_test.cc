#include "trace/import/rows.h"

#include "tests/support/matchers.h"

namespace heddle::trace::rows_test {

Cells split_at(std::string_view line, char separator = ',') {
  Cells cells;
  split(line, cells, separator);
  return cells;
}

TEST(Rows, LinesAreSplit) {
  EXPECT_THAT(split_at(" a ,\"b,c\",, d"), ElementsAre("a", "b,c", "", "d"));
  EXPECT_THAT(split_at(""), ElementsAre(""));
  EXPECT_THAT(split_at("\ta  \"b c\"\t", ' '), ElementsAre("a", "\"b", "c\""));
  EXPECT_THAT(split_at("a|\"|| b ", '|'), ElementsAre("a", "\"", "", "b"));
  EXPECT_FALSE(number("nan"));
  EXPECT_FALSE(number("1e999"));
  EXPECT_FALSE(number("1x"));
}

struct Row {
  std::string id;
  std::optional<double> cores, kibibytes;
  int count = 7;
  bool killed = false;
};
constexpr Column<Row> kColumns[] = {
    column<&Row::id>("id|key", {.most = 3, .blank = left_out(kNoTask), .above = kNearest}),
    column<&Row::cores>("milli", figure(8000, 1, 1000)),
    column<&Row::kibibytes>("mib", {.unit = 1024, .none = -1, .wrong = left_out(kUnreadable)}),
    column<&Row::count>("count", {.whole = true,
                                  .none_word = "unknown",
                                  .wrong = missing(kNoNumber),
                                  .fraction = nearest(kFraction),
                                  .needed = false})};
constexpr Table<Row> kRows{kColumns};

/// Reads rows, and counts what a row tells only if it is kept. Rows with the id "not" are not kept.
struct Read {
  std::vector<Row> rows;
  ImportReport report;

  explicit Read(std::string text) {
    Input input("t", std::move(text));
    Judge judge(report);
    read_rows(input, kRows, judge, [&](Row& row) {
      if (row.id == "not") return;
      judge.kept();
      rows.push_back(std::move(row));
    });
  }
};

TEST(Rows, ColumnsAreFoundByAnyOfTheirNames) {
  const Read read("# c\nmib,key,milli\n\n2,a,1500\n");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_EQ(read.rows[0].id, "a");
  EXPECT_EQ(read.rows[0].cores, 1.5);
  EXPECT_EQ(read.rows[0].kibibytes, 2048);
  EXPECT_EQ(read.rows[0].count, 7);
  EXPECT_EQ(read.report.rows, 1);
  EXPECT_EQ(read.report.repairs(), 0);
}

TEST(Rows, WrongValuesAreRepairedAsDescribed) {
  const Read read(
      "id,milli,mib,count\n"
      "abcde,9000,-1,2.4\n"  // cut, bounded, none, rounded
      "b,0,1,x\n"            // too small, no number
      "c,,,UNKNOWN,more\n"   // three blanks, a field too many
      ",1,1,1\n"             // no id
      "d,1,x,1\n"            // unreadable
      "not,x,1\n");          // of a row that is not kept
  ASSERT_EQ(read.rows.size(), 3U);
  EXPECT_EQ(read.rows[0].id, "abc");
  EXPECT_EQ(read.rows[0].cores, 8);
  EXPECT_EQ(read.rows[0].kibibytes, std::nullopt);
  EXPECT_EQ(read.rows[0].count, 2);
  EXPECT_EQ(read.rows[1].cores, std::nullopt);
  EXPECT_EQ(read.rows[1].count, 7);
  EXPECT_EQ(read.report.rows, 6);
  EXPECT_EQ(read.report.count(kFraction), 1);
  EXPECT_EQ(read.report.count(kMissing), 2) << "of b and c";
  EXPECT_EQ(read.report.count(kNoNumber), 1) << "of b";
  EXPECT_EQ(read.report.count(kFieldsMore), 1);
  EXPECT_EQ(read.report.count(kFieldsMissing), 1);
  EXPECT_EQ(read.report.count(kNoTask), 1);
  EXPECT_EQ(read.report.count(kUnreadable), 1);
}

TEST(Rows, FieldsThatAreNotUsedAreInTheReport) {
  const Read read("id,more,milli,,mib,other\na,1,2,3,4,5\n");
  EXPECT_THAT(read.report.text(),
              HasSubstr("\nfields of the file that were not used: more, other\n"));
  EXPECT_EQ(read.report.json()["unused"], wire::Json::parse(R"(["more", "other"])"));
  const Read all("id,milli,mib\na,1,2\n");
  EXPECT_THAT(all.report.text(), Not(HasSubstr("not used")));
}

struct Texts {
  std::string first, second;
  std::optional<double> one, two;
};
constexpr Column<Texts> kTextColumns[] = {
    column<&Texts::first>("a"), column<&Texts::one>("1", {.wrong = left_out(kUnreadable)}),
    column<&Texts::second>("b"), column<&Texts::two>("2", {.wrong = left_out(kUnreadable)})};
constexpr std::string_view kFreeTexts[] = {"a", "b", "c"};

TEST(Rows, SeparatorsInTextsAreFoundByTheOtherFields) {
  ImportReport report;
  Judge judge(report);
  Input input("t",
              "a|1|b|2\n"
              "x|1|y|2\n"
              "x|z|1|y|2\n"
              "x|1|y|z|z|2\n"
              "x|1|5|6|2\n"      // "x|1" and "5|6" are possible
              "x|z|1|y|z|2\n");  // both texts have a separator
  std::vector<std::string> texts;
  const Layout layout{.separator = '|', .free_texts = kFreeTexts};
  read_rows(input, Table<Texts>{kTextColumns, layout}, judge,
            [&](const Texts& row) { texts.push_back(row.first + "," + row.second); });
  EXPECT_THAT(texts, ElementsAre("x,y", "x|z,y", "x,y|z|z"));
  EXPECT_EQ(report.count(kSeparators), 2);
  EXPECT_EQ(report.rows, 5);
}

TEST(Rows, AFileHasTheColumnsThatItNeeds) {
  EXPECT_TRUE(has_columns(kRows, "mib,id,milli\n1,2"));
  EXPECT_EQ(missing_column(kRows, {"key", "count", "mib"}), "milli");
  EXPECT_FALSE(has_columns(kRows, ""));
}

constexpr Column<Row> kMembers[] = {column<&Row::id>("a/id|id"), column<&Row::cores>("a/cores"),
                                    column<&Row::killed>("killed")};

TEST(Rows, MembersOfJsonAreColumns) {
  ImportReport report;
  Judge judge(report);
  judge.begin(Input("t", ""));
  const auto read = [&](const char* text) {
    Row row;
    read_json(wire::parse_json(text), kMembers, judge, row);
    return row;
  };
  const Row nested = read(R"({"a": {"id": 5, "cores": "1.5"}, "id": "b", "killed": true})");
  EXPECT_EQ(nested.id, "5");
  EXPECT_EQ(nested.cores, 1.5);
  EXPECT_TRUE(nested.killed);
  const Row flat = read(R"({"a": {"id": null, "cores": []}, "id": "b", "killed": 1})");
  EXPECT_EQ(flat.id, "b");
  EXPECT_EQ(flat.cores, std::nullopt);
  EXPECT_FALSE(flat.killed);
}

}  // namespace heddle::trace::rows_test
