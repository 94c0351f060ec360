// A sweep of six jobs, two classes by three seeds, that is dealt into shares.
#pragma once

namespace runner {

inline constexpr const char* kSweepOfSix =
    R"({"version":1,"name":"small","blocks":[{"dataset":"cifar10","classes":["cat","dog"],
  "backbone":"efficientnet-lite0","train_rows":1000,"dimension":384,"epochs":2,"lr":0.0005,"seeds":3}],
  "tables":[{"id":"small","rows":[{"name":"PLUME","where":{}}]}]})";

}  // namespace runner
