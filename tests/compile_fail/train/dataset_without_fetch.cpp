// expect-error: mezzo::dataset: a data set must have, const, size() and fetch
// SPDX-License-Identifier: MIT
#include <mezzo/mezzo.hpp>

using namespace mezzo;

using net = sequential<input<4>, dense<3>>;
using some_trainer = trainer<net, cross_entropy_loss, adam, policies::O0<>, reference>;

struct counted {
  std::size_t size() const { return 3; }
};
struct fetched : counted {
  template <class T>
  void fetch(const std::uint32_t*, std::size_t, T*, std::int32_t*) const {}
};

#if defined(MEZZO_EXPECT_ERROR)
using data = counted;
#else
using data = fetched;
#endif
void use(some_trainer& t) { t.fit(data{}); }
