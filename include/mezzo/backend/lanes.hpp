// SPDX-License-Identifier: MIT
//
// How a fused loop walks its operands. A lane is an operand seen with the sizes of the result, where repeated axes have
// distance 0; a row is a lane at one place of the outer axes, ready for the inner loop. Neighbouring axes that every
// lane crosses evenly are merged, so that most loops have one axis.
#pragma once

#include <mezzo/expr/region.hpp>

#include <cstddef>  // size_t, ptrdiff_t

namespace mezzo::inline MEZZO_ABI {

/// Most axes an elementwise result may have.
inline constexpr std::size_t max_rank = 6;

/// Sizes of a loop, the innermost last.
struct loop_shape {
  std::size_t rank = 1;
  std::size_t size[max_rank] = {1};

  [[nodiscard]] constexpr std::size_t inner() const { return size[rank - 1]; }
  [[nodiscard]] constexpr std::size_t total() const {
    std::size_t product = 1;
    for (std::size_t r = 0; r < rank; ++r) product *= size[r];
    return product;
  }
};

/// Distance of a lane's neighbours along the innermost axis, as far as types tell.
enum class inner_step { unit, zero, any };

/// An operand of type `T` in memory.
template <class T, inner_step Step>
struct lane {
  using value_type = T;
  static constexpr inner_step step = Step;

  const T* data = nullptr;
  std::ptrdiff_t strides[max_rank] = {};

  struct unit_row {
    const T* at;
    MEZZO_INLINE constexpr T load(std::size_t i) const { return at[i]; }
  };
  struct zero_row {
    T value;
    MEZZO_INLINE constexpr T load(std::size_t) const { return value; }
  };
  struct any_row {
    const T* at;
    std::ptrdiff_t step;
    MEZZO_INLINE constexpr T load(std::size_t i) const { return at[static_cast<std::ptrdiff_t>(i) * step]; }
  };

  [[nodiscard]] MEZZO_INLINE constexpr auto row(std::ptrdiff_t offset, std::ptrdiff_t inner_stride) const {
    if constexpr (Step == inner_step::unit)
      return unit_row{data + offset};
    else if constexpr (Step == inner_step::zero)
      return zero_row{data[offset]};
    else
      return any_row{data + offset, inner_stride};
  }
};

/// A number of the program, the same everywhere.
struct number_lane {
  weak_value value;
  std::ptrdiff_t strides[max_rank] = {};

  struct number_row {
    weak_value value;
    MEZZO_INLINE constexpr weak_value load(std::size_t) const { return value; }
  };
  [[nodiscard]] MEZZO_INLINE constexpr number_row row(std::ptrdiff_t, std::ptrdiff_t) const { return {value}; }
};

/// A slot whose value nobody reads.
template <class T>
struct absent_lane {
  std::ptrdiff_t strides[max_rank] = {};

  struct absent_row {
    MEZZO_INLINE constexpr T load(std::size_t) const { return T{}; }
  };
  [[nodiscard]] MEZZO_INLINE constexpr absent_row row(std::ptrdiff_t, std::ptrdiff_t) const { return {}; }
};

/// Kept values of a product together with its bias, in the slot of the product.
template <class T>
struct completed_lane {
  using value_type = T;
  static constexpr inner_step step = inner_step::unit;

  const T* data = nullptr;
  std::ptrdiff_t strides[max_rank] = {};

  struct completed_row {
    static constexpr bool completed = true;
    const T* at;
    MEZZO_INLINE constexpr T load(std::size_t i) const { return at[i]; }
  };
  [[nodiscard]] MEZZO_INLINE constexpr completed_row row(std::ptrdiff_t offset, std::ptrdiff_t) const {
    return {data + offset};
  }
};

/// A row of accumulators of type `A` that a product hands to its epilogue; read as the product's result `T`, rounded.
template <class A, class T>
struct accumulator_lane {
  using value_type = T;

  const A* data = nullptr;  // the row itself, set for each
  std::ptrdiff_t strides[max_rank] = {};

  struct accumulator_row {
    static constexpr bool rounds = true;
    const A* at;
    MEZZO_INLINE constexpr auto load(std::size_t i) const { return detail::carry<T>(at[i]); }
  };
};

namespace detail {

/// The inner step of an operand of sizes `Extents` in `Layout` within a result of sizes `Result`.
template <class Extents, class Layout, class Result>
constexpr inner_step inner_step_of() {
  if constexpr (Extents::rank() == 0 || Result::rank() == 0) {
    return inner_step::zero;
  } else if constexpr (!std::same_as<Layout, layout_right>) {
    return inner_step::any;
  } else {
    constexpr std::size_t mine = Extents::static_extent(Extents::rank() - 1);
    if (mine == dynamic_extent) return inner_step::any;
    return mine == 1 && Result::static_extent(Result::rank() - 1) != 1 ? inner_step::zero : inner_step::unit;
  }
}

/// Sets the strides of `to`, aligned at the last of `rank` axes; axes of size 1 and missing axes stand still.
template <class View>
constexpr void set_strides(std::ptrdiff_t (&to)[max_rank], const View& source, std::size_t rank) {
  for (std::size_t r = 0; r < View::rank(); ++r) {
    const std::size_t axis = rank - View::rank() + r;
    to[axis] = source.extent(r) == 1 ? 0 : source.stride(r);
  }
}

/// Whether axis `axis` of a lane continues its innermost axis, of size `inner`, without a gap.
template <class Lane>
constexpr bool continues(const Lane& l, std::size_t axis, std::size_t inner) {
  if constexpr (requires { Lane::step; }) {
    if constexpr (Lane::step == inner_step::unit) return l.strides[axis] == static_cast<std::ptrdiff_t>(inner);
    if constexpr (Lane::step == inner_step::zero) return l.strides[axis] == 0;
    return false;
  }
  return true;
}

}  // namespace detail

/// Sizes of the loop over a result of sizes `sizes`, the innermost axes merged as far as all `lanes` allow; the strides
/// of the lanes follow.
template <class Extents, class... Lanes>
constexpr loop_shape merge_axes(const Extents& sizes, Lanes&... lanes) {
  static_assert(Extents::rank() <= max_rank,
                "mezzo::into: an elementwise result has at most 6 axes; given more; merge axes with reshape");
  loop_shape loop;
  if constexpr (Extents::rank() == 0) return loop;
  std::size_t rank = Extents::rank();
  for (std::size_t r = 0; r < rank; ++r) loop.size[r] = sizes.extent(r);
  const auto drop = [&](std::size_t axis, auto& l) {
    for (std::size_t r = axis; r + 1 < max_rank; ++r) l.strides[r] = l.strides[r + 1];
  };
  while (rank > 1) {
    const std::size_t axis = rank - 2;
    if (loop.size[axis] != 1 && !(detail::continues(lanes, axis, loop.size[rank - 1]) && ...)) break;
    loop.size[axis] *= loop.size[rank - 1];
    (drop(axis, lanes), ...);
    --rank;
  }
  loop.rank = rank;
  return loop;
}

/// Offset in a lane of the outer position `outer` (a row number of the loop).
template <class Lane>
[[nodiscard]] MEZZO_INLINE constexpr std::ptrdiff_t row_offset(const loop_shape& loop, const Lane& l,
                                                               std::size_t outer) {
  std::ptrdiff_t offset = 0;
  for (std::size_t r = loop.rank - 1; r-- > 0;) {
    offset += static_cast<std::ptrdiff_t>(outer % loop.size[r]) * l.strides[r];
    outer /= loop.size[r];
  }
  return offset;
}

}  // namespace mezzo::inline MEZZO_ABI
