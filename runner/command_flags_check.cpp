// Flags of the commands that look at what a run would use.
#include "runner/command_flags.hpp"

namespace runner {
namespace {

void add_check_data(CLI::App& check, Flags& flags) {
  auto* data = check.add_subcommand("data", "What a data set is, whether it is whole, and what a model sees of it");
  data->add_option("ID", flags.dataset, "Data set: cifar10, or the id that a sweep gives to yours");
  data->add_option("--sweep", flags.sweep, "Sweep file whose entry of that id holds: kind, split, normal sets, skip");
  data->add_option("--kind", flags.kind, "Kind of a data set that no sweep declares yet, e.g. image-folder");
  add_data_flags(*data, flags);
  add_site_file(*data, flags);
  data->add_option("--threads", flags.threads, "Threads of the scan (default: all CPUs)")->check(CLI::Range(1, 1024));
  data->add_option("--sheet", flags.sheet, "File of the contact sheet (default: check-ID.html)");
  data->add_flag("--no-sheet", flags.no_sheet, "Write no contact sheet");
  data->footer(
      "\nExample:\n  plume-bench check data cifar10 --data cifar10=/data/cifar-10-batches-bin\n"
      "  plume-bench check data mine --kind image-folder --data mine=/data/mine --sheet mine.html\n\n"
      "Lines that begin with \"Note:\" stop no run. Exit status: 0 the data set can be run on, 1 something in it is "
      "damaged, 2 wrong usage or no such data set.");
}

}  // namespace

void add_checking_commands(CLI::App& app, Flags& flags) {
  auto* check = app.add_subcommand("check", "Check what a run would use: weights ID, data ID");
  check->require_subcommand(1);
  check->footer(
      "\nExample:\n  plume-bench check weights resnet50\n  plume-bench check data cifar10 --data "
      "cifar10=/data/cifar-10-batches-bin");
  add_check_data(*check, flags);
  auto* weights = check->add_subcommand("weights", "Whether a weight file is the paper's, is whole, and runs");
  weights->add_option("ID", flags.backbone, "Backbone whose weights are checked, e.g. resnet50");
  add_weights_flags(*weights, flags);
  weights->add_option("--threads", flags.threads, "Threads of the forward pass (default: all CPUs)")
      ->check(CLI::Range(1, 1024));
  weights->add_flag("--list", flags.list_tensors, "Print every tensor of the file: name, dtype, shape");
  weights->footer(
      "\nExample:\n  plume-bench check weights resnet50 --weights resnet50=/models/resnet50-0676ba61.pth\n\n"
      "Exit status: 0 the backbone runs on them, 1 they are damaged or another network's, 2 wrong usage or no such "
      "file.");
}

}  // namespace runner
