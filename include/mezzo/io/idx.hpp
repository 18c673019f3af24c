// SPDX-License-Identifier: MIT
//
// IDX files, the format of MNIST and its kin: a big-endian header, which says the element type and the sizes, and
// bytes. Images (three axes) and labels (one axis) of unsigned bytes are read; whatever else a file holds is refused by
// a sentence before memory is taken for it. Pixels stay bytes: array_dataset scales them on the way into a batch.
#pragma once

#include <mezzo/base/contract.hpp>
#include <mezzo/tensor/tensor.hpp>

#include <cstddef>  // size_t
#include <cstdint>  // uint8_t, uint32_t, uint64_t
#include <cstdio>   // fopen, fread
#include <utility>  // move

namespace mezzo::inline MEZZO_ABI {

/// Most bytes that an image or label file may hold beside its header: 1 GiB.
inline constexpr std::size_t idx_most_bytes = std::size_t{1} << 30;

/// `count` images of `rows` by `columns` pixels, row-major, one image after the other.
struct idx_images {
  heap_array<std::uint8_t> pixels;
  std::size_t count = 0, rows = 0, columns = 0;
};

/// `count` labels; which classes there are is not the file's business.
struct idx_labels {
  heap_array<std::uint8_t> labels;
  std::size_t count = 0;
};

namespace detail {

constexpr std::size_t idx_most_axes = 3;
constexpr std::size_t idx_header_size(std::size_t axes) { return 4 + 4 * axes; }

/// Who reads what, for the sentences.
struct idx_source {
  const char* function;
  const char* name;
  bool is_file;

  /// "mezzo::read_idx_images: 'train-images' ". Of a long name the end is kept.
  [[nodiscard]] constexpr sentence says() const {
    sentence text("mezzo::");
    text << function << ": ";
    if (!is_file) return text << name << " ";
    constexpr std::size_t most = 80;
    std::size_t size = 0;
    while (name[size] != '\0') ++size;
    std::size_t first = size > most ? size - most : 0;
    while (first > 0 && (static_cast<unsigned char>(name[first]) & 0xc0) == 0x80) ++first;  // whole characters of UTF-8
    text << (first > 0 ? "'..." : "'");
    for (std::size_t i = first; i < size; ++i) {
      const auto code = static_cast<unsigned char>(name[i]);
      const char shown[] = {code < 0x20 || code == 0x7f ? '?' : name[i], '\0'};
      text << shown;
    }
    return text << "' ";
  }
};

/// A number as in "0x00000803".
struct idx_hex {
  char text[11] = "0x";
  constexpr idx_hex(std::uint32_t value, int digits) {
    for (int i = 0; i < digits; ++i) text[2 + i] = "0123456789abcdef"[value >> (4 * (digits - 1 - i)) & 15];
  }
};

constexpr std::uint32_t idx_word(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | std::uint32_t{at[3]};
}

constexpr const char* idx_element(std::uint8_t code) {
  switch (code) {
    case 0x09: return "signed bytes";
    case 0x0b: return "16-bit integers";
    case 0x0c: return "32-bit integers";
    case 0x0d: return "float32";
    case 0x0e: return "float64";
    default: return "no type of the format";
  }
}

/// Sizes of the axes and their product.
struct idx_header {
  std::size_t sizes[idx_most_axes]{};
  std::size_t bytes = 1;
};

/// Reads the header of a file of `total` bytes, of which the first `given` are at `data`, as many as a header has or
/// all there are. Error: anything that is not `axes` sizes and as many unsigned bytes as they say.
constexpr idx_header idx_read_header(const idx_source& from, const std::uint8_t* data, std::size_t given,
                                     std::uint64_t total, std::size_t axes) {
  if (given >= 2 && data[0] == 0x1f && data[1] == 0x8b)
    fail(from.says() << "must be an IDX file; given a gzip file; unpack it with gunzip first");
  const auto require_bytes = [&](std::size_t needed) {
    if (given < needed)
      fail(from.says() << "must hold a header of " << idx_header_size(axes) << " bytes; given " << total
                       << " bytes; it is truncated, fetch it again");
  };
  require_bytes(4);
  const std::uint32_t magic = 0x800 + static_cast<std::uint32_t>(axes);
  const std::uint32_t found = idx_word(data);
  if (found >> 16 != 0)
    fail(from.says() << "must begin with the magic number " << idx_hex(magic, 8).text << "; given "
                     << idx_hex(found, 8).text << "; it is no IDX file, check what it is");
  if (data[2] != 0x08)
    fail(from.says() << "must hold unsigned bytes, element type 0x08; given " << idx_hex(data[2], 2).text << ", "
                     << idx_element(data[2]) << "; store its elements as bytes");
  if (found != magic)
    fail(from.says() << "must hold " << (axes == 1 ? "labels: one axis" : "images: three axes") << "; given "
                     << static_cast<unsigned>(data[3]) << (data[3] == 1 ? " axis" : " axes")
                     << "; check that image and label files are not swapped");
  require_bytes(idx_header_size(axes));

  idx_header header;
  for (std::size_t a = 0; a < axes; ++a) {
    const std::uint64_t size = idx_word(data + 4 + 4 * a);
    if (a > 0 && size == 0)
      fail(from.says() << "must hold images of at least one row and one column; given " << idx_word(data + 8) << " by "
                       << idx_word(data + 12) << "; check how it was written");
    const std::uint64_t bytes = header.bytes * size;  // at most 2^30 times 2^32
    if (bytes > idx_most_bytes)
      fail(from.says() << "must hold at most " << idx_most_bytes << " bytes; given sizes whose product is larger; its "
                       << "header is damaged, or the data set must be split");
    header.sizes[a] = static_cast<std::size_t>(size);
    header.bytes = static_cast<std::size_t>(bytes);
  }
  const std::uint64_t needed = idx_header_size(axes) + header.bytes;
  if (total < needed)
    fail(from.says() << "must hold the " << needed << " bytes that its header tells of; given " << total
                     << "; it is truncated, fetch it again");
  if (total > needed)
    fail(from.says() << "must end after the " << needed << " bytes that its header tells of; given " << total
                     << "; remove what trails or fetch it again");
  return header;
}

/// An open file, closed when it goes.
struct idx_file {
  std::FILE* stream;

  explicit idx_file(const char* path) : stream(path == nullptr ? nullptr : std::fopen(path, "rb")) {}
  idx_file(const idx_file&) = delete;
  idx_file& operator=(const idx_file&) = delete;
  ~idx_file() {
    if (stream != nullptr) std::fclose(stream);
  }

  std::size_t read(std::uint8_t* to, std::size_t size) const { return size == 0 ? 0 : std::fread(to, 1, size, stream); }
  /// Bytes in the file, which is then at `position` again; −1 where it has no size.
  [[nodiscard]] long size(std::size_t position) const {
    if (std::fseek(stream, 0, SEEK_END) != 0) return -1;
    const long bytes = std::ftell(stream);
    return std::fseek(stream, static_cast<long>(position), SEEK_SET) == 0 ? bytes : -1;
  }
};

inline heap_array<std::uint8_t> idx_read(const char* function, const char* path, std::size_t axes, idx_header& header) {
  const idx_source from{function, path == nullptr ? "" : path, true};
  const idx_file file(path);
  if (file.stream == nullptr) fail(from.says() << "must be a file that can be read; given none; check the path");
  std::uint8_t start[idx_header_size(idx_most_axes)]{};
  const std::size_t given = file.read(start, idx_header_size(axes));
  const bool failed = std::ferror(file.stream) != 0;
  const long size = failed ? -1 : file.size(given);
  const auto readable = [&](bool whole) {
    if (!whole)
      fail(from.says() << "must be a file on disk that can be read; given a folder, a pipe or a fault; check the path");
  };
  readable(size >= 0);
  header = idx_read_header(from, start, given, static_cast<std::uint64_t>(size), axes);
  heap_array<std::uint8_t> bytes(header.bytes);
  readable(file.read(bytes.data(), bytes.size()) == bytes.size());
  return bytes;
}

constexpr heap_array<std::uint8_t> idx_parse(const char* function, const std::uint8_t* data, std::size_t size,
                                             std::size_t axes, idx_header& header) {
  const idx_source from{function, "the memory", false};
  const std::size_t start = idx_header_size(axes);
  header = idx_read_header(from, data, size < start ? size : start, size, axes);
  heap_array<std::uint8_t> bytes(header.bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = data[start + i];
  return bytes;
}

}  // namespace detail

/// The images of an IDX file (magic number 0x00000803).
/// Errors: a file that is absent, packed, truncated or longer than it says, of another element type or number of axes,
/// without pixels, or larger than `idx_most_bytes`.
[[nodiscard]] inline idx_images read_idx_images(const char* path) {
  detail::idx_header header;
  auto pixels = detail::idx_read("read_idx_images", path, 3, header);
  return {std::move(pixels), header.sizes[0], header.sizes[1], header.sizes[2]};
}

/// The labels of an IDX file (magic number 0x00000801). Errors: as for images.
[[nodiscard]] inline idx_labels read_idx_labels(const char* path) {
  detail::idx_header header;
  auto labels = detail::idx_read("read_idx_labels", path, 1, header);
  return {std::move(labels), header.sizes[0]};
}

/// The same from the `size` bytes at `data`, such as a file that a program carries within it.
[[nodiscard]] constexpr idx_images parse_idx_images(const std::uint8_t* data, std::size_t size) {
  detail::idx_header header;
  auto pixels = detail::idx_parse("parse_idx_images", data, size, 3, header);
  return {std::move(pixels), header.sizes[0], header.sizes[1], header.sizes[2]};
}
[[nodiscard]] constexpr idx_labels parse_idx_labels(const std::uint8_t* data, std::size_t size) {
  detail::idx_header header;
  auto labels = detail::idx_parse("parse_idx_labels", data, size, 1, header);
  return {std::move(labels), header.sizes[0]};
}

}  // namespace mezzo::inline MEZZO_ABI
