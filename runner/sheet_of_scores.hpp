// Which of the scored images a contact sheet shows, and as what.
#pragma once

#include <string>

#include "workers/contact_sheet.hpp"
#include "workers/scoring.hpp"

namespace runner {

/// The first 200 images of `scored`, which are sorted already, by verdict: as the model sees them, with score and
/// verdict. They are read again from their files; throws storage::Error naming one that is no longer what it was.
workers::ContactSheet sheet_of(const workers::Scored& scored, const std::string& model);

}  // namespace runner
