// SPDX-License-Identifier: MIT
#include "adamw_library.hpp"

int main() { return run_library(mezzo::no_factor{}); }
