// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace orrery {

/// How a real rank and the coordinator of a live run talk: frames on a Unix socket of one machine, numbers in its own byte order.
/// A frame is a header and a body of `size` bytes; the body's fields stand one after another in the order that WireWriter wrote them.
enum class WireMessage : std::uint32_t {
    // from a rank
    hello = 1,   ///< i32 rank, i32 world, u32 version
    group,       ///< u32 number, u32 members, then each as i32
    place,       ///< u32 number, text file, u32 line, text function
    call,        ///< LiveCall's fields as putCall writes them, u32 sections, each i32 member (-1: all) and u64 bytes; then the data
    wait,        ///< u64 operation, i64 compute ns
    step,        ///< i64 compute ns
    memory,      ///< u64 current, u64 peak, u32 place of the peak, i64 ns of the process, i64 ns of its main thread
    remark,      ///< text: something that the user should know
    store_set,   ///< text key, text value
    store_get,   ///< u64 request, text key; answered when the key is there
    store_add,   ///< u64 request, text key, i64
    store_swap,  ///< u64 request, text key, text expected, text desired
    store_erase, ///< u64 request, text key
    store_check, ///< u64 request, u32 keys, texts
    store_count, ///< u64 request
    // to a rank
    done = 100, ///< u64 operation, i32 source, u32 sections, each i32 member and u64 bytes; then the data
    failed,     ///< u64 operation, text why
    answer,     ///< u64 request, u8 known, i64 number, text value
};

inline constexpr std::uint32_t wireMagic = 0x564c524f; ///< "ORLV"
inline constexpr std::uint32_t wireVersion = 1;
/// No frame is longer: beyond it the sender writes rubbish.
inline constexpr std::uint64_t mostFrameBytes = std::uint64_t{1} << 34;

struct WireHeader {
    std::uint32_t magic = wireMagic;
    std::uint32_t message = 0;
    std::uint64_t size = 0;
};

class WireWriter {
public:
    explicit WireWriter(WireMessage message) {
        bytes_.resize(sizeof(WireHeader));
        header_.message = static_cast<std::uint32_t>(message);
    }
    template <typename T> WireWriter& put(T value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
        return *this;
    }
    WireWriter& text(std::string_view value) {
        put(static_cast<std::uint64_t>(value.size()));
        bytes_.append(value);
        return *this;
    }
    WireWriter& raw(const void* data, std::size_t size) {
        bytes_.append(static_cast<const char*>(data), size);
        return *this;
    }
    /// The whole frame; `further` bytes of its body are sent after it.
    const std::string& frame(std::uint64_t further = 0) {
        header_.size = bytes_.size() - sizeof(WireHeader) + further;
        std::memcpy(bytes_.data(), &header_, sizeof(header_));
        return bytes_;
    }

private:
    WireHeader header_;
    std::string bytes_;
};

/// Reads a body. What goes beyond its end leaves `bad()` true and gives zeros.
class WireReader {
public:
    explicit WireReader(std::string_view body) : body_(body) {}
    template <typename T> T get() {
        T value{};
        if (body_.size() - at_ < sizeof(T)) {
            bad_ = true;
            return value;
        }
        std::memcpy(&value, body_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return value;
    }
    std::string text() {
        const auto size = get<std::uint64_t>();
        return std::string(raw(size));
    }
    std::string_view raw(std::uint64_t size) {
        if (bad_ || body_.size() - at_ < size) {
            bad_ = true;
            return {};
        }
        const std::string_view part = body_.substr(at_, size);
        at_ += size;
        return part;
    }
    std::size_t left() const { return body_.size() - at_; }
    std::size_t at() const { return at_; }
    bool bad() const { return bad_; }

private:
    std::string_view body_;
    std::size_t at_ = 0;
    bool bad_ = false;
};

} // namespace orrery
