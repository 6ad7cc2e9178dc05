// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace orrery {

/// What a program asks its process group for.
enum class CallKind : std::uint8_t { all_reduce,
                                     all_gather,
                                     reduce_scatter,
                                     all_to_all,
                                     broadcast,
                                     reduce,
                                     gather,
                                     scatter,
                                     barrier,
                                     send,
                                     receive };

inline constexpr std::array<std::string_view, 11> callWords{"all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "gather", "scatter", "barrier", "send", "receive"};

constexpr std::string_view wordOf(CallKind kind) { return callWords[static_cast<std::size_t>(kind)]; }
constexpr bool isPointToPoint(CallKind kind) { return kind == CallKind::send || kind == CallKind::receive; }

/// How the contributions of ranks become one; the numbers are those of c10d::ReduceOp::RedOpType (PyTorch 1.13).
enum class Reduction : std::uint8_t { sum,
                                      average,
                                      product,
                                      minimum,
                                      maximum,
                                      bit_and,
                                      bit_or,
                                      bit_xor,
                                      none = 255 };

/// One call of one rank. A group numbers its members from 0; `peer` is such a number.
struct LiveCall {
    static constexpr std::int32_t nobody = -1;
    static constexpr std::uint32_t noPlace = 0;

    std::uint64_t operation = 0; ///< number of the call in its process
    std::uint32_t group = 0;     ///< number that the program's ranks give the group alike
    CallKind kind = CallKind::barrier;
    std::uint8_t type = 0; ///< of elements, c10::ScalarType
    Reduction reduction = Reduction::none;
    std::int32_t peer = nobody; ///< root of the collective, who is sent to or received from; nobody: no root, or a receive from anybody
    std::int32_t tag = 0;
    std::uint64_t elements = 0;    ///< of what this rank gives or gets, as members must agree on it
    std::uint64_t bytes = 0;       ///< as nccl-tests count them (core/training/job_traffic/lone_collective.hpp)
    std::int64_t compute = 0;      ///< ns of the caller's thread since it left the process group last
    std::uint64_t heldBytes = 0;   ///< by tensors, at the call
    std::uint32_t place = noPlace; ///< number of the line of the program that called
    std::uint8_t synchronous = 0;  ///< 1: the caller waits for it at once
};

/// What a rank did, in its order: a call, a wait for an earlier one, the end of an optimizer's step.
struct LiveEvent {
    enum class Kind : std::uint8_t { call,
                                     wait,
                                     step };
    Kind kind = Kind::call;
    LiveCall call;               ///< of a call
    std::uint64_t operation = 0; ///< of a wait: which call
    std::int64_t compute = 0;    ///< ns, before this event
};

/// "float32" for 6; the numbers are c10::ScalarType's.
std::string_view elementWord(std::uint8_t type);

} // namespace orrery
