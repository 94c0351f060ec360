// Which feature sets are in memory, and when they are read.
#include "workers/loaded_sets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <mutex>

#include "storage/error.hpp"
#include "tests/bytes_read.hpp"
#include "tests/temporary_folder.hpp"

namespace workers {

struct LoadedSet {
  std::string id;
};

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SetOnDisk on_disk(const std::string& id) {
  return {"there is no such file", id, storage::RowKind::features, "identity of " + id};
}

/// What reads sets that are on no disk: the n-th one is that of ids()[n].
class Reader {
 public:
  std::vector<std::string> ids() const {
    const std::lock_guard lock(mutex_);
    return ids_;
  }
  ReadSet read() {
    return [this](const SetOnDisk& wanted) {
      if (wanted.id == blocking) {
        began.set_value();
        goes_on.get_future().wait();
      }
      const std::lock_guard lock(mutex_);
      ids_.push_back(wanted.id);
      if (wanted.id == damaged) throw storage::Error(wanted.id + " is damaged");
      return std::make_shared<LoadedSet>(LoadedSet{wanted.id});
    };
  }
  std::string damaged;
  std::string blocking;  ///< sets `began` and is read once goes_on is set; once
  std::promise<void> began, goes_on;

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> ids_;
};

class FeatureSetsInMemory : public testing::Test {
 protected:
  void use(const std::vector<std::string>& ids) {
    for (const auto& id : ids) EXPECT_EQ(sets.get(on_disk(id))->id, id);
  }
  void prepare(const std::string& train, const std::string& test) {
    sets.prepare({on_disk(train), on_disk(test)}, InAdvance::into_memory);
  }

  /// Reading `train` has begun and goes on when reader.goes_on is set.
  void prepare_and_stop_in(const std::string& train, const std::string& test) {
    reader.blocking = train;
    prepare(train, test);
    reader.began.get_future().wait();
  }

  Reader reader;
  LoadedSets sets{reader.read(), [] { return std::nullopt; }};
};

TEST_F(FeatureSetsInMemory, AreReadOnceWhileTrainingsOnTwoPairsTakeTurns) {
  use({"a-train", "a-test", "b-train", "b-test", "a-train", "a-test", "b-train", "b-test"});
  EXPECT_THAT(reader.ids(), ElementsAre("a-train", "a-test", "b-train", "b-test"));
}

TEST_F(FeatureSetsInMemory, AreAllThatWereUsedOrReadInAdvance) {
  use({"a-train", "a-test"});
  prepare("b-train", "b-test");
  sets.finish_reading();
  std::vector<std::string> ids;
  sets.for_each([&](LoadedSet& set) { ids.push_back(set.id); });
  EXPECT_THAT(ids, ElementsAre("a-test", "a-train", "b-train", "b-test"));
}

TEST_F(FeatureSetsInMemory, GoWhenTwoOthersWereUsedSince) {
  use({"a-train", "a-test", "b-train", "b-test", "a-train", "a-test", "c-train", "c-test", "a-train", "a-test"});
  EXPECT_EQ(reader.ids().size(), 6U);
  use({"b-train"});
  EXPECT_EQ(reader.ids().size(), 7U);
}

TEST_F(FeatureSetsInMemory, AreNotReadAgainWhereTheyWereReadInAdvance) {
  use({"a-train", "a-test"});
  prepare("b-train", "b-test");
  use({"b-train", "b-test"});
  EXPECT_THAT(reader.ids(), ElementsAre("a-train", "a-test", "b-train", "b-test"));
}

TEST_F(FeatureSetsInMemory, AreReadInAdvanceWithoutThoseThatAreThere) {
  use({"a-train", "shared-test"});
  prepare("b-train", "shared-test");
  sets.finish_reading();
  EXPECT_THAT(reader.ids(), ElementsAre("a-train", "shared-test", "b-train"));
  prepare("b-train", "shared-test");
  sets.finish_reading();
  EXPECT_EQ(reader.ids().size(), 3U);
}

TEST_F(FeatureSetsInMemory, InUseStayWhileOthersAreReadInAdvance) {
  use({"old-train", "old-test"});
  const auto train = sets.get(on_disk("a-train")), test = sets.get(on_disk("a-test"));
  prepare("b-train", "b-test");
  sets.finish_reading();
  use({"a-train", "a-test", "b-train", "b-test"});
  EXPECT_EQ(reader.ids().size(), 6U);
  use({"old-train"});
  EXPECT_EQ(reader.ids().size(), 7U) << "it made room";
}

TEST_F(FeatureSetsInMemory, ThatNobodyAskedForAfterAllMakeRoomFirst) {
  use({"a-train", "a-test"});
  prepare("b-train", "b-test");
  sets.finish_reading();
  use({"c-train", "c-test"});
  EXPECT_EQ(reader.ids().size(), 6U);
  use({"a-train", "a-test"});
  EXPECT_EQ(reader.ids().size(), 6U);
}

TEST_F(FeatureSetsInMemory, AreWaitedForWhereTheyAreBeingRead) {
  prepare_and_stop_in("b-train", "b-test");
  auto wanted = std::async(std::launch::async, [this] { use({"b-train", "b-test"}); });
  reader.goes_on.set_value();
  wanted.get();
  EXPECT_THAT(reader.ids(), ElementsAre("b-train", "b-test"));
}

TEST_F(FeatureSetsInMemory, AreReadInAdvanceOfOneTrainingAtATime) {
  prepare_and_stop_in("b-train", "b-test");
  prepare("c-train", "c-test");
  reader.goes_on.set_value();
  sets.finish_reading();
  EXPECT_THAT(reader.ids(), ElementsAre("b-train", "b-test"));
}

TEST_F(FeatureSetsInMemory, ThatAreThereAreNotWaitedForWhileOthersAreRead) {
  use({"a-train", "a-test"});
  prepare_and_stop_in("b-train", "b-test");
  use({"a-train", "a-test"});
  EXPECT_EQ(reader.ids().size(), 2U);
  reader.goes_on.set_value();
}

TEST_F(FeatureSetsInMemory, ThatAreDamagedAreReportedToWhoeverNeedsThem) {
  use({"a-train", "a-test"});
  reader.damaged = "b-train";
  prepare("b-train", "b-test");
  sets.finish_reading();
  EXPECT_THAT(reader.ids(), ElementsAre("a-train", "a-test", "b-train")) << "the other half is of no use";
  use({"a-train", "a-test"});
  EXPECT_THROW(sets.get(on_disk("b-train")), storage::Error);
  reader.damaged.clear();
  use({"b-train", "b-test"});
}

TEST_F(FeatureSetsInMemory, AreReadOnceWhereTheyAreTrainedAndTestedOnAlike) {
  prepare("same", "same");
  use({"same", "same"});
  EXPECT_THAT(reader.ids(), ElementsAre("same"));
}

TEST_F(FeatureSetsInMemory, AreWaitedForWithSignsOfLifeByAPauseWhichEndsTheirReading) {
  prepare_and_stop_in("b-train", "b-test");
  int signs = 0;
  const LoadedSets::Pause pause(sets, [&] {
    if (signs++ == 1) reader.goes_on.set_value();
  });
  EXPECT_GE(signs, 2);
  EXPECT_THAT(reader.ids(), ElementsAre("b-train")) << "the other one would only be waited for";
  use({"b-train"});
}

TEST_F(FeatureSetsInMemory, AreNotReadInAdvanceDuringAPause) {
  {
    const LoadedSets::Pause pause(sets, [] {});
    prepare("b-train", "b-test");
    sets.finish_reading();
    EXPECT_THAT(reader.ids(), IsEmpty());
  }
  prepare("b-train", "b-test");
  sets.finish_reading();
  EXPECT_EQ(reader.ids().size(), 2U);
}

TEST_F(FeatureSetsInMemory, AreReadInAdvanceAgainWhenWaitingForAPauseWasGivenUp) {
  struct GivenUp {};
  prepare_and_stop_in("b-train", "b-test");
  const auto begin_a_pause = [&] { const LoadedSets::Pause pause(sets, [] { throw GivenUp(); }); };
  EXPECT_THROW(begin_a_pause(), GivenUp);
  reader.goes_on.set_value();
  sets.finish_reading();
  prepare("c-train", "c-test");
  sets.finish_reading();
  EXPECT_THAT(reader.ids(), ElementsAre("b-train", "c-train", "c-test"));
}

/// A file that takes minutes to read: a terabyte of holes.
TEST_F(FeatureSetsInMemory, ThatAreReadFromTheDiskAloneKeepNobodyWaiting) {
  const tests::TemporaryFolder folder;
  const SetOnDisk endless{folder / "endless", "endless", {}, ""};
  tests::write_text(endless.file, "x");
  std::filesystem::resize_file(endless.file, std::uintmax_t{1} << 40);
  sets.prepare({endless}, InAdvance::from_disk);
  {
    const LoadedSets::Pause pause(sets, [] { FAIL() << "a pause waited"; });
  }
  use({"another"});
}

TEST_F(FeatureSetsInMemory, AreReadFromTheDiskAloneWhereNoMoreIsAskedFor) {
  const tests::TemporaryFolder folder;
  const SetOnDisk train{folder / "train", "train", {}, ""}, test{folder / "test", "test", {}, ""};
  tests::write_text(train.file, std::string(1'000'000, 'x'));
  tests::write_text(test.file, std::string(300'000, 'x'));
  const auto before = tests::bytes_read();
  sets.prepare({train, test}, InAdvance::from_disk);
  sets.finish_reading();
  EXPECT_GE(tests::bytes_read() - before, 1'300'000);
  EXPECT_THAT(reader.ids(), IsEmpty());
  sets.get(train);
  EXPECT_THAT(reader.ids(), ElementsAre("train"));
}

TEST_F(FeatureSetsInMemory, StayWhereOthersAreReadFromTheDiskAlone) {
  use({"a-train", "a-test", "b-train", "b-test"});
  sets.prepare({on_disk("c-train"), on_disk("c-test")}, InAdvance::from_disk);
  use({"b-train", "b-test", "a-train", "a-test"});
  EXPECT_EQ(reader.ids().size(), 4U);
}

TEST(FeatureSetsInLittleMemory, AreReadInAdvanceOnlyWhereTheyFit) {
  const tests::TemporaryFolder folder;
  tests::write_text(folder / "train", std::string(1000, 'x'));
  tests::write_text(folder / "test", std::string(300, 'x'));
  const auto read_in_advance = [&](std::int64_t free) {
    Reader reader;
    LoadedSets sets(reader.read(), [free] { return free; });
    sets.prepare({{folder / "train", "train", {}, ""}, {folder / "test", "test", {}, ""}}, InAdvance::into_memory);
    sets.finish_reading();
    return reader.ids();
  };
  EXPECT_THAT(read_in_advance(2555), IsEmpty());  // 1000 + 300, and the larger one twice, are 0.9 of 2555.6
  EXPECT_THAT(read_in_advance(2556), ElementsAre("train", "test"));
}

TEST(FeatureSetsInLittleMemory, AreNotReadInAdvanceWhereTheirSizeIsNotKnown) {
  Reader reader;
  LoadedSets sets(reader.read(), [] { return std::int64_t{1} << 40; });
  sets.prepare({on_disk("train"), on_disk("test")}, InAdvance::into_memory);
  sets.finish_reading();
  EXPECT_THAT(reader.ids(), IsEmpty());
  EXPECT_EQ(sets.get(on_disk("train"))->id, "train");
}

}  // namespace
}  // namespace workers
