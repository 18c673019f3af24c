// SPDX-License-Identifier: MIT
//
// All operation tags.
#pragma once

#include <mezzo/policy/op_elementwise.hpp>  // IWYU pragma: export
#include <mezzo/policy/op_full.hpp>         // IWYU pragma: export
#include <mezzo/policy/op_neutral.hpp>      // IWYU pragma: export
#include <mezzo/policy/op_product.hpp>      // IWYU pragma: export
