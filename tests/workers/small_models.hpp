// Facts of small detectors for the tests of model files. Knows no LibTorch.
#pragma once

#include "workers/model_file.hpp"

namespace tests {

/// plume, D = 6, on 8 features of another program.
inline workers::ModelFacts facts_of_features() {
  workers::ModelFacts facts;
  facts.job.dataset = "mine";
  facts.job.normal_class = "good";
  facts.job.backbone = "features";
  facts.job.training.dimension = 6;
  facts.job.training.epochs = 3;
  facts.job.training.learning_rate = 0.01;
  facts.job = sweeps::normalised(facts.job);
  facts.which = "best";
  facts.epoch = 2;
  facts.auroc = 0.1;
  facts.threshold = 0.30000001192092896;
  facts.features_identity = R"({"backbone":"features","content":"c0ffee","format":1,"length":8,"split":"train"})";
  facts.row_length = 8;
  facts.classes = {"bad", "good", "it's \"so,so\""};
  facts.normal_classes = {"good"};
  facts.contents = "classifier";
  return facts;
}

/// plad, on a set of two normal classes.
inline workers::ModelFacts facts_of_images() {
  workers::ModelFacts facts;
  facts.job.dataset = "synthetic";
  facts.job.normal_class = "both";
  facts.job.members = {"disk", "ring"};
  facts.job.method = sweeps::Method::plad;
  facts.job.training.epochs = 1;
  facts.job.training.learning_rate = 0.001;
  facts.job = sweeps::normalised(facts.job);
  facts.which = "last";
  facts.features_identity = R"({"backbone":"raw32","content":"c0ffee","format":1,"size":32,"split":"train"})";
  facts.row_length = 3072;
  facts.classes = {"disk", "ring", "bar"};
  facts.normal_classes = {"disk", "ring"};
  facts.mean = {0.5, 0.25, 0.1};
  facts.std_dev = {0.2, 0.3, 0};
  facts.contents = "all";
  return facts;
}

}  // namespace tests
