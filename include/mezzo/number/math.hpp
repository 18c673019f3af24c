// SPDX-License-Identifier: MIT
//
// mezzo::math: elementary functions of float and double that give the same bits in constant evaluation, in scalar code
// and in loops that the compiler turns into vectors, on every instruction set. Straight lines without branches, each
// operation rounded once, a product together with a sum. The names live in their own namespace because operations on
// tensors have them too.
#pragma once

#include <mezzo/number/erf.hpp>         // erf, normal_cdf, normal_pdf
#include <mezzo/number/exp.hpp>         // exp, exp_below_zero, expm1
#include <mezzo/number/float_bits.hpp>  // abs, copysign
#include <mezzo/number/fma.hpp>         // fma
#include <mezzo/number/log.hpp>         // log, log1p
#include <mezzo/number/sqrt.hpp>        // sqrt
#include <mezzo/number/tanh.hpp>        // tanh, sigmoid
