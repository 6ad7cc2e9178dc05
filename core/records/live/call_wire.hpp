// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/live/live_call.hpp"
#include "core/records/live/wire.hpp"

namespace orrery {

inline void putCall(WireWriter& writer, const LiveCall& call) {
    writer.put(call.operation).put(call.group).put(call.kind).put(call.type).put(call.reduction).put(call.synchronous).put(call.peer).put(call.tag);
    writer.put(call.elements).put(call.bytes).put(call.compute).put(call.heldBytes).put(call.place);
}

inline LiveCall getCall(WireReader& reader) {
    LiveCall call;
    call.operation = reader.get<std::uint64_t>();
    call.group = reader.get<std::uint32_t>();
    call.kind = reader.get<CallKind>();
    call.type = reader.get<std::uint8_t>();
    call.reduction = reader.get<Reduction>();
    call.synchronous = reader.get<std::uint8_t>();
    call.peer = reader.get<std::int32_t>();
    call.tag = reader.get<std::int32_t>();
    call.elements = reader.get<std::uint64_t>();
    call.bytes = reader.get<std::uint64_t>();
    call.compute = reader.get<std::int64_t>();
    call.heldBytes = reader.get<std::uint64_t>();
    call.place = reader.get<std::uint32_t>();
    return call;
}

/// A part of a call's data: for one member of the group, or from one.
struct WireSection {
    static constexpr std::int32_t all = -1;
    std::int32_t member = all;
    std::uint64_t bytes = 0;
};

} // namespace orrery
