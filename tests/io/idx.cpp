// SPDX-License-Identifier: MIT
#include <mezzo/io/idx.hpp>

#include <mezzo/base/counter_bits.hpp>
#include <mezzo/train/dataset.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

using namespace mezzo;

namespace {

using bytes = std::vector<std::uint8_t>;

/// A header with magic number `magic` and the given sizes, then `count` bytes 0, 1, 2, …
bytes file_of(std::uint32_t magic, const std::vector<std::uint32_t>& sizes, std::size_t count) {
  bytes file;
  const auto put = [&](std::uint32_t word) {
    for (int shift = 24; shift >= 0; shift -= 8) file.push_back(static_cast<std::uint8_t>(word >> shift));
  };
  put(magic);
  for (std::uint32_t size : sizes) put(size);
  for (std::size_t i = 0; i < count; ++i) file.push_back(static_cast<std::uint8_t>(i));
  return file;
}
bytes images_file() { return file_of(0x803, {4, 3, 2}, 24); }
bytes labels_file() { return file_of(0x801, {5}, 5); }

/// What the reader says; empty if it accepts.
template <class Parse>
std::string refusal(Parse&& parse) {
  try {
    static_cast<void>(parse());
  } catch (const error& e) {
    return e.what();
  }
  return {};
}
std::string images_refusal(const bytes& file) {
  return refusal([&] { return parse_idx_images(file.data(), file.size()); });
}
std::string labels_refusal(const bytes& file) {
  return refusal([&] { return parse_idx_labels(file.data(), file.size()); });
}

/// A folder of its own under the system's, emptied at the end.
struct scratch_folder {
  std::filesystem::path path;

  scratch_folder() {
    std::random_device draw;
    path = std::filesystem::temp_directory_path() / ("mezzo_idx_" + std::to_string(draw()) + std::to_string(draw()));
    std::filesystem::create_directory(path);
  }
  ~scratch_folder() { std::filesystem::remove_all(path); }

  std::string write(const std::string& name, const bytes& content) const {
    const std::string file = (path / name).string();
    std::FILE* const out = std::fopen(file.c_str(), "wb");
    REQUIRE(out != nullptr);
    for (std::uint8_t byte : content) REQUIRE(std::fputc(byte, out) == byte);
    std::fclose(out);
    return file;
  }
};

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

constexpr std::uint8_t carried[] = {0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 9, 8, 7, 6};
static_assert(parse_idx_images(carried, sizeof(carried)).pixels[3] == 6);
static_assert(parse_idx_images(carried, sizeof(carried)).columns == 2);
constexpr std::uint8_t carried_labels[] = {0, 0, 8, 1, 0, 0, 0, 2, 1, 255};
static_assert(parse_idx_labels(carried_labels, sizeof(carried_labels)).labels[1] == 255);

}  // namespace

TEST_CASE("images and labels are read from files") {
  const scratch_folder folder;
  const idx_images images = read_idx_images(folder.write("images", images_file()).c_str());
  CHECK(images.count == 4);
  CHECK(images.rows == 3);
  CHECK(images.columns == 2);
  REQUIRE(images.pixels.size() == 24);
  for (std::size_t i = 0; i < 24; ++i) CHECK(images.pixels[i] == i);

  const idx_labels labels = read_idx_labels(folder.write("labels", labels_file()).c_str());
  CHECK(labels.count == 5);
  REQUIRE(labels.labels.size() == 5);
  CHECK(labels.labels[4] == 4);

  const bytes many = file_of(0x803, {100, 28, 28}, 78400);
  CHECK(read_idx_images(folder.write("many", many).c_str()).pixels[78399] == many.back());
}

TEST_CASE("what is read feeds a data set") {
  const bytes images = images_file();
  const bytes labels = file_of(0x801, {4}, 4);
  const idx_images x = parse_idx_images(images.data(), images.size());
  const idx_labels y = parse_idx_labels(labels.data(), labels.size());
  const array_dataset<std::uint8_t, std::uint8_t> data{x.pixels.data(), y.labels.data(), x.count, x.rows * x.columns,
                                                       0.5f};
  const std::uint32_t rows[] = {2};
  float sample[6]{};
  std::int32_t label = -1;
  data.fetch(rows, 1, sample, &label);
  CHECK(sample[0] == 6.0f);
  CHECK(sample[5] == 8.5f);
  CHECK(label == 2);
}

TEST_CASE("no images and no labels are files too") {
  const scratch_folder folder;
  CHECK(read_idx_images(folder.write("images", file_of(0x803, {0, 28, 28}, 0)).c_str()).count == 0);
  CHECK(read_idx_labels(folder.write("labels", file_of(0x801, {0}, 0)).c_str()).labels.size() == 0);
}

TEST_CASE("an absent file, a folder and no path are refused by name") {
  const scratch_folder folder;
  const std::string absent = (folder.path / "absent").string();
  const std::string said = refusal([&] { return read_idx_images(absent.c_str()); });
  CHECK(contains(said, "mezzo::read_idx_images: '"));
  CHECK(contains(said, "absent' must be a file that can be read; given none; check the path"));
  CHECK(contains(refusal([&] { return read_idx_labels(folder.path.string().c_str()); }),
                 "must be a file on disk that can be read; given a folder, a pipe or a fault"));
  CHECK(refusal([] { return read_idx_labels(nullptr); }) ==
        "mezzo::read_idx_labels: '' must be a file that can be read; given none; check the path");
}

TEST_CASE("packed files are to be unpacked first") {
  const scratch_folder folder;
  const std::string path =
      folder.write("images.gz", {0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(contains(refusal([&] { return read_idx_images(path.c_str()); }),
                 "images.gz' must be an IDX file; given a gzip file; unpack it with gunzip first"));
  CHECK(contains(images_refusal({0x1f, 0x8b}), "gunzip"));
}

TEST_CASE("wrong magic numbers say what they are") {
  CHECK(
      images_refusal(file_of(0x89504e47, {1, 1, 1}, 1)) ==
      "mezzo::parse_idx_images: the memory must begin with the magic number 0x00000803; given 0x89504e47; it is no IDX "
      "file, check what it is");
  CHECK(
      images_refusal(file_of(0xd03, {1, 1, 1}, 4)) ==
      "mezzo::parse_idx_images: the memory must hold unsigned bytes, element type 0x08; given 0x0d, float32; store its "
      "elements as bytes");
  CHECK(contains(images_refusal(file_of(0x903, {1, 1, 1}, 1)), "0x09, signed bytes"));
  CHECK(contains(images_refusal(file_of(0xb03, {1, 1, 1}, 2)), "0x0b, 16-bit integers"));
  CHECK(contains(images_refusal(file_of(0xc03, {1, 1, 1}, 4)), "0x0c, 32-bit integers"));
  CHECK(contains(labels_refusal(file_of(0xe01, {1}, 8)), "0x0e, float64"));
  CHECK(contains(labels_refusal(file_of(0x4201, {1}, 8)), "0x42, no type of the format"));
}

TEST_CASE("images are not labels") {
  CHECK(images_refusal(labels_file()) ==
        "mezzo::parse_idx_images: the memory must hold images: three axes; given 1 axis; check that image and label "
        "files "
        "are not swapped");
  CHECK(labels_refusal(images_file()) ==
        "mezzo::parse_idx_labels: the memory must hold labels: one axis; given 3 axes; check that image and label "
        "files are "
        "not swapped");
  CHECK(contains(images_refusal(file_of(0x8ff, {1, 1, 1}, 1)), "given 255 axes"));
}

TEST_CASE("a file cut anywhere is refused, and so is one byte too many") {
  const scratch_folder folder;
  const bytes whole = images_file();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const bytes part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    REQUIRE(contains(images_refusal(part), "; it is truncated, fetch it again"));
    const std::string path = folder.write("part", part);
    REQUIRE(contains(refusal([&] { return read_idx_images(path.c_str()); }), "truncated"));
  }
  bytes longer = whole;
  longer.push_back(0);
  const std::string path = folder.write("longer", longer);
  CHECK(
      contains(refusal([&] { return read_idx_images(path.c_str()); }),
               "must end after the 40 bytes that its header tells of; given 41; remove what trails or fetch it again"));
  CHECK(contains(images_refusal(bytes(whole.begin(), whole.begin() + 30)),
                 "must hold the 40 bytes that its header tells of; given 30; it is truncated, fetch it again"));
}

TEST_CASE("a file too short for a header is refused") {
  CHECK(contains(images_refusal({0, 0, 8, 3, 0, 0}), "must hold a header of 16 bytes"));
}

TEST_CASE("sizes that promise more than there is take no memory") {
  CHECK(contains(images_refusal(file_of(0x803, {0xffffffff, 0xffffffff, 0xffffffff}, 8)),
                 "at most 1073741824 bytes; given sizes whose product is larger"));
  CHECK(contains(images_refusal(file_of(0x803, {0x80000000, 2, 1}, 0)), "at most"));
  CHECK(contains(images_refusal(file_of(0x803, {0x10000, 0x10000, 0x10000}, 0)), "at most"));  // 2^48
  CHECK(contains(images_refusal(file_of(0x803, {1 << 15, 1 << 15, 2}, 0)), "at most"));        // twice the bound
  CHECK(contains(labels_refusal(file_of(0x801, {0xffffffff}, 0)), "at most"));
  CHECK(contains(images_refusal(file_of(0x803, {1 << 15, 1 << 15, 1}, 0)), "truncated"));  // the bound itself
  CHECK(contains(images_refusal(file_of(0x803, {9, 0, 28}, 0)), "images of at least one row"));
  CHECK(contains(images_refusal(file_of(0x803, {1, 28, 0}, 0)), "given 28 by 0"));
}

TEST_CASE("of a long path the end is kept, in whole characters, and nothing in it breaks the sentence") {
  std::string path;
  for (int i = 0; i < 300; ++i) path += "ä";
  const std::string said = refusal([&] { return read_idx_images((path + "\n/end").c_str()); });
  std::string tail;
  for (int i = 0; i < 37; ++i) tail += "ä";
  CHECK(said ==
        "mezzo::read_idx_images: '..." + tail + "?/end' must be a file that can be read; given none; check the path");

  // The longest sentences fit beside the longest name.
  const scratch_folder folder;
  const std::string long_name(100, 'n');
  for (const bytes& file : {file_of(0x803, {1u << 31, 2, 2}, 0), file_of(0x4203, {1, 1, 1}, 0), file_of(0x801, {1}, 0),
                            file_of(0x803, {1, 0, 0xffffffff}, 0), file_of(0xffffffff, {1, 1, 1}, 0)}) {
    const std::string sentence_of = refusal([&] { return read_idx_images(folder.write(long_name, file).c_str()); });
    CHECK(sentence_of.size() < sentence::capacity - 1);
    CHECK(contains(sentence_of, "; given "));
  }
}

TEST_CASE("random damage gives what the header says or a sentence") {
  const bytes whole = images_file();
  const bytes labels = labels_file();
  std::size_t accepted = 0;
  std::uint64_t next = 0;
  const auto draw = [&](std::size_t bound) {
    return std::size_t{counter_below(2024, next++, static_cast<std::uint32_t>(bound))};
  };
  for (int round = 0; round < 20000; ++round) {
    bytes damaged = round % 2 == 0 ? whole : labels;
    const std::size_t header = round % 2 == 0 ? 16 : 8;
    for (std::size_t changes = 1 + draw(4); changes > 0 && !damaged.empty(); --changes) {
      const std::size_t at =
          draw(2) == 0 ? draw(damaged.size()) : draw(header < damaged.size() ? header : damaged.size());
      const auto place = damaged.begin() + static_cast<std::ptrdiff_t>(at);
      switch (draw(6)) {
        case 0: *place = static_cast<std::uint8_t>(draw(256)); break;
        case 1: *place = static_cast<std::uint8_t>(*place ^ (1u << draw(8))); break;
        case 2: *place = draw(2) == 0 ? 0 : 0xff; break;
        case 3: damaged.resize(at); break;
        case 4: damaged.erase(place); break;
        default: damaged.insert(place, static_cast<std::uint8_t>(draw(256)));
      }
    }
    // Exactly as much memory as there are bytes, so that a read beyond them is seen.
    const heap_array<std::uint8_t> copy = [&] {
      heap_array<std::uint8_t> c(damaged.size());
      for (std::size_t i = 0; i < c.size(); ++i) c[i] = damaged[i];
      return c;
    }();
    std::string said = refusal([&] {
      const idx_images got = parse_idx_images(copy.data(), copy.size());
      REQUIRE(got.pixels.size() == got.count * got.rows * got.columns);
      REQUIRE(copy.size() == 16 + got.pixels.size());
      for (std::size_t i = 0; i < got.pixels.size(); ++i) REQUIRE(got.pixels[i] == copy[16 + i]);
      ++accepted;
      return 0;
    });
    REQUIRE((said.empty() || contains(said, "; given ")));
    said = refusal([&] {
      const idx_labels got = parse_idx_labels(copy.data(), copy.size());
      REQUIRE(got.labels.size() == got.count);
      REQUIRE(copy.size() == 8 + got.count);
      ++accepted;
      return 0;
    });
    REQUIRE((said.empty() || contains(said, "; given ")));
  }
  CHECK(accepted > 100);
}
