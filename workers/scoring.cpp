// Files to rows, rows to scores, piece by piece.
#include "workers/scoring.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "plume/input_rows.hpp"
#include "plume/model.hpp"
#include "plume/threshold.hpp"
#include "plume/training.hpp"
#include "storage/digest.hpp"
#include "storage/error.hpp"
#include "storage/foreign_arrays.hpp"
#include "storage/printable.hpp"
#include "sweeps/backbones.hpp"
#include "sweeps/published_weights.hpp"
#include "workers/feature_parts.hpp"
#include "workers/raw_images.hpp"
#include "workers/read_ahead.hpp"
#include "workers/row_maker.hpp"
#include "workers/saved_model.hpp"
#include "workers/score_inputs.hpp"

namespace workers {
namespace {

constexpr std::size_t kShownFault = 1024;

std::array<double, 3> three(const std::vector<double>& values) {
  return {values.at(0), values.at(1), values.at(2)};
}

/// A row that was read, or why not.
struct Attempted {
  ReadRow row;
  std::string fault;
};

class Scoring {
 public:
  Scoring(const ScoreTask& task, const std::function<void(const std::string&)>& on_fault)
      : task_(task), on_fault_(on_fault) {
    auto saved = read_model(task.model);
    scored_.facts = std::move(saved.facts);
    model_ = std::move(*saved.model);
    model_.vae.reset();  // makes pseudo-anomalies, scores nothing
    scored_.source = row_source_of(scored_.facts.features_identity, task.model);
    if (const auto& sigmoid = scored_.facts.threshold) {
      scored_.threshold = plume::highest_rejected_logit(static_cast<float>(*sigmoid));
    }
  }

  Scored run() {
    scored_.source.backbone == sweeps::kOwnFeatures ? score_matrices() : score_images();
    return std::move(scored_);
  }

 private:
  [[noreturn]] static void refuse(const std::string& what) { throw storage::UsageError(what); }
  std::string weights() const;
  FeatureRecipe recipe() const;
  void score_images();
  void score_matrices();
  void score_matrix(const std::string& path, const storage::Matrix& matrix);
  void add_fault(std::string path, const std::string& fault);
  void score_piece(storage::Rows& rows, std::vector<std::string>& paths);

  const ScoreTask& task_;
  const std::function<void(const std::string&)>& on_fault_;
  plume::Model model_;
  Scored scored_;
};

/// The file whose hash is in the model, or random:SEED, which needs none.
std::string Scoring::weights() const {
  const auto& [backbone, wanted] = std::pair(scored_.source.backbone, scored_.source.weights);
  if (!sweeps::has_weights(backbone) || sweeps::random_weights_seed(wanted)) return wanted;
  auto file = task_.find_weights(backbone);
  const auto found =
      sweeps::random_weights_seed(file) ? file : storage::hex(storage::sha256_of_file(std::filesystem::path(file)));
  if (found == wanted) return file;
  refuse(
      fmt::format("{}: these are not the weights of {} that {} was trained on: their SHA-256 begins with {}, not "
                  "with {}; give those with --weights {}=FILE",
                  file, backbone, task_.model, sweeps::short_name_of_weights(found),
                  sweeps::short_name_of_weights(wanted), backbone));
}

FeatureRecipe Scoring::recipe() const {
  FeatureRecipe recipe;
  recipe.backbone = scored_.source.backbone;
  recipe.weights = weights();
  recipe.mean = scored_.source.mean;
  recipe.std_dev = scored_.source.std_dev;
  recipe.identity = scored_.facts.features_identity;
  recipe.row_length = scored_.facts.row_length;
  return recipe;
}

void Scoring::add_fault(std::string path, const std::string& fault) {
  on_fault_(storage::printable_line(fault, kShownFault));
  scored_.rows.push_back({std::move(path), 0, false, fault});
}

/// Rows of at most plume::kEvaluationRows files, which it takes away.
void Scoring::score_piece(storage::Rows& rows, std::vector<std::string>& paths) {
  if (paths.empty()) return;
  const auto n = static_cast<std::int64_t>(paths.size());
  const auto input = [&] {
    if (auto* bytes = std::get_if<std::vector<std::uint8_t>>(&rows)) {
      const auto sizes = {n, storage::kImageChannels, storage::kImageSide, storage::kImageSide};
      return plume::InputRows::images(at::from_blob(bytes->data(), sizes, at::kByte),
                                      {three(scored_.facts.mean), three(scored_.facts.std_dev)});
    }
    auto& numbers = std::get<std::vector<float>>(rows);
    return plume::InputRows::features(at::from_blob(numbers.data(), {n, scored_.facts.row_length}, at::kFloat),
                                      scored_.facts.job.training.dimension);
  }();
  const auto scores = plume::scores_of(model_, input, [] {});
  for (std::size_t i = 0; i < paths.size(); ++i) {
    if (!std::isfinite(scores[i])) {
      const auto fault = paths[i] + ": its score is no finite number: its features are too large";
      add_fault(std::move(paths[i]), fault);
      continue;
    }
    const bool is_normal =
        scored_.facts.threshold && plume::is_accepted(static_cast<float>(*scored_.facts.threshold), scores[i]);
    scored_.rows.push_back({std::move(paths[i]), scores[i], is_normal});
  }
  paths.clear();
  std::visit([](auto& all) { all.clear(); }, rows);
}

void Scoring::score_images() {
  for (const auto& path : task_.paths) {
    if (!path.ends_with(".npy")) continue;
    refuse(fmt::format("{}: {} scores images (of {}), no matrices; give image files, or folders of them", path,
                       task_.model, scored_.facts.job.dataset));
  }
  auto inputs = images_in(task_.paths);
  scored_.passed_over = inputs.passed_over;
  const ListedImages images(inputs.files, scored_.source.first_square);
  const bool raw = scored_.source.backbone == sweeps::kRawImages;
  const auto wanted = recipe();
  RowMaker maker;
  const RowSteps steps = maker.steps_of(wanted, images);
  const auto read = [&](std::int64_t i) -> Attempted {
    try {
      auto image = images.read({}, i);
      if (!raw) return {std::move(image), ""};
      std::vector<std::uint8_t> bytes;
      append_raw_image(image, scored_.source.first_square, bytes);
      return {std::move(bytes), ""};
    } catch (const storage::Error& error) {
      return {{}, error.what()};
    }
  };
  storage::Rows rows;
  if (raw) rows = std::vector<std::uint8_t>{};
  std::vector<ReadRow> batch;
  std::vector<std::string> paths;
  ReadAhead<Attempted> ahead(images.size({}), read, [](const Attempted& one) { return bytes_of(one.row); },
                             {.threads = task_.threads});
  for (auto& file : inputs.files) {
    auto attempted = ahead.take();
    if (!attempted.fault.empty()) {
      add_fault(std::move(file), attempted.fault);
      continue;
    }
    batch.push_back(std::move(attempted.row));
    paths.push_back(std::move(file));
    if (static_cast<std::int64_t>(batch.size()) < kExtractBatch) continue;
    steps.append(batch, rows);
    batch.clear();
    if (static_cast<std::int64_t>(paths.size()) == plume::kEvaluationRows) score_piece(rows, paths);
  }
  if (!batch.empty()) steps.append(batch, rows);
  score_piece(rows, paths);
}

void Scoring::score_matrix(const std::string& path, const storage::Matrix& matrix) {
  const auto length = static_cast<std::size_t>(matrix.row_length());
  for (std::int64_t first = 0; first < matrix.row_count(); first += plume::kEvaluationRows) {
    const auto count = std::min(plume::kEvaluationRows, matrix.row_count() - first);
    const auto numbers = matrix.read(first, count);
    std::vector<float> finite;
    std::vector<std::string> paths;
    for (std::int64_t i = 0; i < count; ++i) {
      const auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * length);
      const auto end = begin + static_cast<std::ptrdiff_t>(length);
      auto row = fmt::format("{}#{}", path, first + i);
      if (std::all_of(begin, end, [](float v) { return std::isfinite(v); })) {
        finite.insert(finite.end(), begin, end);
        paths.push_back(std::move(row));
      } else {
        const auto fault = row + ": has a feature that is not finite";
        add_fault(std::move(row), fault);
      }
    }
    storage::Rows rows = std::move(finite);
    score_piece(rows, paths);
  }
}

void Scoring::score_matrices() {
  const auto L = scored_.facts.row_length;
  std::vector<std::unique_ptr<storage::Matrix>> matrices;
  for (const auto& path : task_.paths) {  // all of them are looked at before any is scored
    if (!path.ends_with(".npy")) {
      refuse(
          fmt::format("{}: {} scores features that another program computed; give .npy matrices [n, {}], no images "
                      "and no folders",
                      path, task_.model, L));
    }
    if (!std::filesystem::exists(path)) refuse(path + ": is not there; give .npy matrices");
    matrices.push_back(storage::open_npy_matrix(path));
    if (matrices.back()->row_length() == L) continue;
    refuse(fmt::format("{}: has rows of {} features, {} was trained on rows of {}; give features of the same kind",
                       path, matrices.back()->row_length(), task_.model, L));
  }
  for (std::size_t i = 0; i < matrices.size(); ++i) score_matrix(task_.paths[i], *matrices[i]);
}

}  // namespace

Scored score_files(const ScoreTask& task, const std::function<void(const std::string& line)>& on_fault) {
  return Scoring(task, on_fault).run();
}

}  // namespace workers
