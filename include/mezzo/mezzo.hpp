// SPDX-License-Identifier: MIT
//
// The whole library but its opt-in floors.
#pragma once

#include <mezzo/base/config.hpp>
#include <mezzo/base/contract.hpp>
#include <mezzo/base/counter_bits.hpp>
#include <mezzo/base/unsatisfied.hpp>
