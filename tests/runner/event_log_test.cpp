// What a run's log holds of an event.
#include "runner/event_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.hpp"

namespace runner {
namespace {

TEST(EventLog, KeepsAnEventOnOneLineWhateverIsInIt) {
  const tests::TemporaryFolder folder;
  EventLog log(folder / "run.log");
  log.info("worker 1: begins");
  log.warning("worker 1: \x1b[31mred\n2026-11-29T12:00:00Z info worker 2: made up\xe2\x80\xa8");
  log.error("worker 1: gone");
  const std::string time = "20[0-9-]+T[0-9:]+Z ";
  EXPECT_THAT(tests::read_text(folder / "run.log"),
              testing::MatchesRegex(time + "info worker 1: begins\n" + time +
                                    "warning worker 1: .\\[31mred.2026-11-29T12:00:00Z info worker 2: made up.\n" +
                                    time + "error worker 1: gone\n"));
}

}  // namespace
}  // namespace runner
