// expect-error: an operation of class unsafe has no safe low form; given one under O1, O2 or O3
// SPDX-License-Identifier: MIT
//
// Binary cross-entropy of float32 probabilities under a policy: a low product may have made them.
#include <mezzo/policy/resolve.hpp>

using namespace mezzo;

#if defined(MEZZO_EXPECT_ERROR)
using types = resolve<policies::O1<float16>, op::binary_cross_entropy, float, float>;
#else
using types = resolve<policies::O1<float16>, op::binary_cross_entropy_with_logits, float, float>;
#endif
