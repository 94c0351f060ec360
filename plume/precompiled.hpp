// The one precompiled header of the targets that see LibTorch: narrow headers, no <torch/torch.h> (it costs half a minute a file).
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/generated/variable_factories.h>
#include <torch/csrc/autograd/grad_mode.h>
#include <torch/csrc/autograd/variable.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>
