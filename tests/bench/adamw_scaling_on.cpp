// SPDX-License-Identifier: MIT
#include "adamw_library.hpp"

int main() { return run_library(mezzo::gradient_factor{1.0f}); }
