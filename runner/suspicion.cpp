// What failures have in common: errors and the places that they came from.
#include "runner/suspicion.hpp"

#include <algorithm>
#include <iterator>

namespace runner {

std::string error_signature(workers::Cause cause, const std::string& message) {
  std::string signature = std::string(workers::name_of(cause)) + ": ";
  std::copy_if(message.begin(), message.end(), std::back_inserter(signature),
               [](char c) { return c < '0' || c > '9'; });
  return signature;
}

void ErrorOrigins::report(const std::string& signature, WorkerId worker, const std::string& host) {
  const auto [known, is_new] = origins_.try_emplace(signature, Origin{worker, host});
  if (is_new) return;
  Origin& origin = known->second;
  origin.several_workers = origin.several_workers || origin.worker != worker;
  origin.several_hosts = origin.several_hosts || origin.host != host;
}

bool ErrorOrigins::seen_elsewhere(const std::string& signature, WorkerId worker, const std::string& host) const {
  const auto known = origins_.find(signature);
  if (known == origins_.end()) return false;
  const Origin& origin = known->second;
  if (hosts_.size() > 1) return origin.several_hosts || origin.host != host;
  return origin.several_workers || origin.worker != worker;
}

bool Streak::add(Failure failure, const ErrorOrigins& origins, WorkerId worker, const std::string& host,
                 std::size_t most) {
  const auto excused = [&](const Failure& one) { return origins.seen_elsewhere(one.signature, worker, host); };
  std::erase_if(failures_, excused);
  if (excused(failure)) return false;
  failures_.push_back(std::move(failure));
  if (failures_.size() > most) failures_.erase(failures_.begin());
  return true;
}

bool FirstErrors::one_failed(const std::string& signature) {
  if (!open_) return false;
  if (failed_ == 0) signature_ = signature;
  if (signature != signature_) {
    open_ = false;
    return false;
  }
  return ++failed_ == stop_after_;
}

}  // namespace runner
