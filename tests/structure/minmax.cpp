// SPDX-License-Identifier: MIT
//
// The library survives the macros of windows.h, X11 and the C library. The standard headers come first: what such
// macros do to them is not the library's affair. This list must cover all that the library includes, see the end.
#include <array>
#include <bit>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <new>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#define min(a, b) this is not a minimum
#define max(a, b) this is not a maximum
#define small char
#define near
#define far
#define interface struct
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#define TRUE 1
#define FALSE 0
#define ERROR 0
#define NO_ERROR 0
#define STRICT 1
#define DELETE 0
#define DIFFERENCE 11
#define None 0
#define Success 0
#define Bool int
#define Status int
#define Always 2
#define I unusable
#define B0 0000000
#define major(dev) unusable
#define minor(dev) unusable
#define OVERFLOW 3
#define UNDERFLOW 4
#define DOMAIN 1
#define PI 3

#include <mezzo/mezzo.hpp>

#if !defined(min) || !defined(max)
#error "a standard header that the library includes is missing from the list above, and took the macros away"
#endif

int main() { return mezzo::version::major == 0 ? 0 : 1; }
