// expect-error: mezzo::array_dataset: labels must be integers
// SPDX-License-Identifier: MIT
#include <mezzo/train/dataset.hpp>

using namespace mezzo;


#if defined(MEZZO_EXPECT_ERROR)
using data = array_dataset<float, float>;
#else
using data = array_dataset<float, std::int32_t>;
#endif
static_assert(sizeof(data) > 0);
