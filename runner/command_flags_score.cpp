// Flags of `score`.
#include "runner/command_flags.hpp"

namespace runner {

void add_scoring_command(CLI::App& app, Flags& flags) {
  auto* score = app.add_subcommand("score", "How normal a saved detector finds images that it has never seen");
  score->add_option("MODEL", flags.model, "Detector that a training with \"save\" has written (.safetensors)")
      ->required();
  score
      ->add_option("PATH", flags.paths,
                   "Images (JPEG, PNG) and folders of them, with all below; for a detector of own features .npy "
                   "matrices [n, L]")
      ->required();
  score->add_option("--out", flags.report, "File of the scores, as CSV (default: standard output)");
  score->add_option("--sheet", flags.sheet, "Write a page with the images too, the least normal first: FILE.html");
  score->add_option("--threads", flags.threads, "Threads (default: all CPUs)")->check(CLI::Range(1, 1024));
  add_weights_flags(*score, flags);
  score->footer(
      "\nExample:\n  plume-bench score runs/mine/models/KEY-best.safetensors new-images --out scores.csv --sheet "
      "scores.html\n\n"
      "Writes path,score,threshold,verdict, the least normal first. A score is a logit; above the threshold, which is "
      "printed in the same unit, the verdict is normal, else anomaly. Images are taken whole: where the training "
      "cropped them to boxes (SPARK), crop them before. What cannot be read is named, gets the verdict unreadable and "
      "does not end it. docs/score.md says more. Exit status: 0 everything has a score, 3 something could not be read, "
      "1 nothing could or the model is damaged, 2 wrong usage or other weights than the model's.");
}

}  // namespace runner
