#!/usr/bin/env bash
# Compiles what trains on a GPU without one, and against a LibTorch without CUDA: kernels by nvcc for each kind of GPU that is named, the host's
# side by the C++ compiler with all warnings as errors. Nothing is linked and nothing runs.
#   compile_check.sh NVCC TORCH_DIR CXX FOLDER
set -euo pipefail
nvcc=$1 torch=$2 cxx=$3 folder=$4
root=$(cd "$(dirname "$0")/../.." && pwd)
architectures=(80 90 100)  # A100; H100, H200; B200
if [ ! -x "$nvcc" ]; then
  echo "no nvcc ($nvcc): nothing of plume/cuda can be compiled; ./run-tests installs one, or put CUDA's bin folder into PATH and configure again" >&2
  exit 1
fi
rm -rf "$folder"
mkdir -p "$folder/stub/c10/cuda/impl"
# LibTorch's build writes this header where it has CUDA; the wheel without has all the others.
echo '#pragma once' > "$folder/stub/c10/cuda/impl/cuda_cmake_macros.h"
stub=(-isystem "$folder/stub")
[ ! -e "$torch/include/c10/cuda/impl/cuda_cmake_macros.h" ] || stub=()

"$nvcc" --version | tail -n 2
cd "$root"
for file in plume/cuda/*.cu; do
  gencode=()
  for architecture in "${architectures[@]}"; do gencode+=(-gencode "arch=compute_$architecture,code=sm_$architecture"); done
  "$nvcc" -ccbin "$cxx" -std=c++17 "${gencode[@]}" -Xcompiler=-Wall -Werror all-warnings -I . -c "$file" -o "$folder/$(basename "$file").o"
  echo "$file: compiled by nvcc for sm_${architectures[*]}"
done
# The engine's own, and what else is another text with one.
for file in plume/cuda/*.cpp tests/plume/cuda_training_test.cpp workers/gpu_support.cpp workers/trainer_device.cpp workers/trainer_settings.cpp; do
  "$cxx" -std=c++20 -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Wno-restrict -Werror -fsyntax-only -DPLUME_WITH_CUDA -I . "${stub[@]}" -isystem "$torch/include" \
    -isystem "$torch/include/torch/csrc/api/include" -isystem "$(dirname "$(dirname "$nvcc")")/include" -include plume/precompiled.hpp "$file"
  echo "$file: compiled by $cxx against LibTorch in $torch"
done
