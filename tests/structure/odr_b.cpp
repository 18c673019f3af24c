// SPDX-License-Identifier: MIT
#include <mezzo/mezzo.hpp>

const void* address_in_other_unit();

const void* address_in_other_unit() { return reinterpret_cast<const void*>(&mezzo::fail); }
