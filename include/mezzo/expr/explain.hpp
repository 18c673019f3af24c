// SPDX-License-Identifier: MIT
//
// What a policy makes of an expression, as text: every operation with its class and types, every cast of an operand on
// its way in, every place where a value is rounded. One line a node, root first, indented by depth:
//
//   relu: neutral, float16 in, float32 inside, float16 out (rounds)
//     matmul: lower, float16 in, float32 inside, float16 out (rounds)
//       float32 [5, 3] → float16 (rounds)
//       float32 [3, 2] → float16 (rounds)
#pragma once

#include <mezzo/base/type_name.hpp>
#include <mezzo/expr/region.hpp>

#include <concepts>     // same_as
#include <cstddef>      // size_t
#include <type_traits>  // is_integral, is_signed
#include <utility>      // forward, index_sequence

namespace mezzo::inline MEZZO_ABI {

/// UTF-8 text in a fixed buffer, lines without a newline after the last; what does not fit is left out, and the text
/// then ends in "…".
class explanation {
 public:
  static constexpr std::size_t capacity = 8192;

  [[nodiscard]] constexpr const char* c_str() const { return text_; }
  [[nodiscard]] constexpr const char* data() const { return text_; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  /// Whether something did not fit.
  [[nodiscard]] constexpr bool is_cut() const { return cut_; }

  constexpr explanation& operator<<(const char* text) {
    while (*text != '\0') put(*text++);
    return *this;
  }
  constexpr explanation& operator<<(std::size_t value) { return *this << (sentence() << value).text(); }

  [[nodiscard]] friend constexpr bool operator==(const explanation& a, const char* b) {
    const char* at = a.text_;
    while (*at != '\0' && *at == *b) ++at, ++b;
    return *at == *b;
  }

 private:
  constexpr void put(char c) {
    if (cut_) return;
    if (size_ + 1 < capacity) {
      text_[size_++] = c;
      return;
    }
    cut_ = true;
    // Room for the ellipsis is made in front of a whole character.
    constexpr char ellipsis[] = "…";
    std::size_t end = capacity - sizeof(ellipsis);
    while ((static_cast<unsigned char>(text_[end]) & 0xc0) == 0x80) --end;
    for (std::size_t i = end; i < size_; ++i) text_[i] = '\0';
    size_ = end;
    for (const char* e = ellipsis; *e != '\0'; ++e) text_[size_++] = *e;
  }

  char text_[capacity]{};
  std::size_t size_ = 0;
  bool cut_ = false;
};

namespace detail {

constexpr const char* class_name(op_class kind) {
  switch (kind) {
    case op_class::lower: return "lower";
    case op_class::full: return "full";
    case op_class::accumulate: return "accumulate";
    case op_class::promote: return "promote";
    case op_class::neutral: return "neutral";
    case op_class::unsafe: return "unsafe";
    case op_class::index: return "index";
    case op_class::state: return "state";
  }
  return "";
}

/// "float32", "int32", "uint8": what a tensor can hold, labels too.
template <class T>
constexpr void put_type(explanation& text) {
  if constexpr (real<T>)
    text << type_name<T>;
  else if constexpr (std::same_as<T, bool>)
    text << "bool";
  else if constexpr (std::is_integral_v<T>)
    text << (std::is_signed_v<T> ? "int" : "uint") << 8 * sizeof(T);
  else
    text << "number";
}

/// Whether every value of `From`, infinities included, is one of `To`.
template <real To, real From>
constexpr bool holds_all() {
  using to = format_of<To>;
  using from = format_of<From>;
  constexpr auto greatest_exponent = [](int bits, int bias, bool ieee) { return (1 << bits) - (ieee ? 2 : 1) - bias; };
  return to::mantissa_bits >= from::mantissa_bits &&
         greatest_exponent(to::exponent_bits, to::bias, layout<to>::has_infinity) >=
             greatest_exponent(from::exponent_bits, from::bias, layout<from>::has_infinity) &&
         to::bias + to::mantissa_bits >= from::bias + from::mantissa_bits &&
         (layout<to>::has_infinity || !layout<from>::has_infinity);
}

/// How a value goes on into the operation above it: as it is, or cast.
struct way_in {
  const char* type = nullptr;
  bool rounds = false;
};

/// Numbers and labels are not cast, nor is the accumulator of a product on its way to a bias.
template <class Precision, bool Raw, class Given>
constexpr way_in enters_as() {
  using operand = typename Precision::operand;
  if constexpr (Raw || !real<Given> || !real<operand> || std::same_as<operand, Given>)
    return {};
  else
    return {type_name<operand>, !holds_all<operand, Given>()};
}

/// The types in which operands enter as they are given, each once: "float16", "float32 and int32".
template <class... Given>
constexpr void put_given(explanation& text) {
  bool first = true;
  const auto put = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    using given = pack_element_t<I, pack<Given...>>;
    constexpr bool repeated = []<std::size_t... J>(std::index_sequence<J...>) {
      return (std::same_as<pack_element_t<J, pack<Given...>>, given> || ...);
    }(std::make_index_sequence<I>{});
    if constexpr (!repeated && !std::same_as<given, weak>) {
      if (!first) text << " and ";
      put_type<given>(text);
      first = false;
    }
  };
  for_each_index<sizeof...(Given)>(put);
}

/// Types of an operation. What only moves values computes nothing: it rounds from the type it reads to its own.
template <class Fn, class Precision, class... Given>
constexpr void put_operation(explanation& text) {
  using compute = typename Precision::compute;
  using output = typename Precision::output;
  text << (takes_accumulator<Fn> ? "bias of " : "") << unqualified_name<typename Fn::tag>().text << ": "
       << class_name(Fn::tag::classification) << ", ";
  if constexpr (real<typename Precision::operand>)
    put_type<typename Precision::operand>(text);
  else
    put_given<Given...>(text);
  text << " in, ";
  bool rounds = !holds_all<output, compute>();
  if constexpr (Fn::kind == fn_kind::rearrange) {
    using read = typename Precision::operand;
    using moved = pack_element_t<0, pack<std::conditional_t<real<read>, read, Given>...>>;
    if constexpr (real<moved>) rounds = !holds_all<output, moved>();
  } else {
    put_type<compute>(text);
    text << " inside, ";
  }
  put_type<output>(text);
  text << " out" << (leaves_accumulator<Fn> ? " (accumulator)" : rounds ? " (rounds)" : "");
}

constexpr void end_node(explanation& text, const way_in& above) {
  if (above.type != nullptr) text << " → " << above.type << (above.rounds ? " (rounds)" : "");
}
constexpr void begin_node(explanation& text, std::size_t depth) {
  if (depth > 0) text << "\n";
  for (std::size_t i = 0; i < depth; ++i) text << "  ";
}

constexpr void put_node(explanation& text, const scalar&, std::size_t depth, const way_in&) {
  begin_node(text, depth);
  text << "number";
}
template <class View, class Name>
constexpr void put_node(explanation& text, const leaf<View, Name>& of, std::size_t depth, const way_in& above) {
  begin_node(text, depth);
  put_type<typename View::value_type>(text);
  text << " [";
  for (std::size_t r = 0; r < View::extents_type::rank(); ++r)
    text << (r == 0 ? "" : ", ") << static_cast<std::size_t>(of.extents().extent(r));
  text << "]";
  end_node(text, above);
}
template <class Fn, class Precision, class... Children>
constexpr void put_node(explanation& text, const bound<Fn, Precision, Children...>& of, std::size_t depth,
                        const way_in& above) {
  begin_node(text, depth);
  put_operation<Fn, Precision, typename Children::value_type...>(text);
  end_node(text, above);
  for_each_index<sizeof...(Children)>([&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
    using given = typename pack_element_t<I, pack<Children...>>::value_type;
    put_node(text, get<I>(of.children), depth + 1, enters_as<Precision, enters_raw<Fn, I>, given>());
  });
}

}  // namespace detail

/// The nodes of `expression` under `Policy`; parts that an autocast has bound already are explained as they are bound.
/// Without a policy every operation runs in the type of its operands, as in a store.
template <autocast_policy Policy = policies::native, class Expression>
  requires operands<Expression>
[[nodiscard]] constexpr explanation explain(Expression&& expression) {
  explanation text;
  detail::put_node(text, mezzo::bind<Policy>(as_expression(std::forward<Expression>(expression))), 0, {});
  return text;
}

}  // namespace mezzo::inline MEZZO_ABI
