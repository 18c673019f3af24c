// SPDX-License-Identifier: MIT
//
// The same training steps by libraries that are installed as packages: data drawn likewise, Adam, one thread. Empty
// where a library is not there.
#pragma once

#include <functional>

namespace bench {

/// Convolution 1→32 3×3, relu, dense 10, on batches of 32; and dense 512, 512, 10 on batches of 128.
enum class net { cnn, perceptron };

std::function<void()> libtorch_step(net which, bool bfloat16_autocast);
std::function<void()> dlib_step(net which);

/// AdamW of libtorch on `count` parameters, with the test that all gradients are finite.
std::function<void()> libtorch_adamw(long count);
/// Rows of libtorch on 4,096 rows of 1,024: cross-entropy and its gradient; tanh-GELU.
std::function<void()> libtorch_cross_entropy(bool bfloat16);
std::function<void()> libtorch_gelu_tanh(bool bfloat16);

}  // namespace bench
