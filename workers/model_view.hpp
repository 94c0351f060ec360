// What a backbone gets of an image, as a picture that a person can look at.
#pragma once

#include "datasets/dataset.hpp"
#include "workers/split_scan.hpp"

namespace workers {

struct ModelView {
  datasets::Image picture;  ///< the input, with the normalisation undone and rounded to bytes
  double least = 0;         ///< smallest and largest value of the input itself
  double most = 0;
};

/// `image` (after the data set's crop) by the steps of an extraction: the data set's first square, normalisation,
/// resize to `square` x `square`. An image that is that large already comes back as it is.
ModelView view_of_model(const datasets::Image& image, int first_square, const ChannelStatistics& statistics,
                        int square);

}  // namespace workers
