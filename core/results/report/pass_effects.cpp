// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/results/report/pass_effects.hpp"

#include "core/base/json.hpp"

namespace orrery {

std::string_view toString(ChangeKind kind) {
    switch (kind) {
    case ChangeKind::added: return "added";
    case ChangeKind::removed: return "removed";
    case ChangeKind::changed: return "changed";
    }
    return "";
}

int PassEffect::count(ChangeKind kind) const {
    int sum = 0;
    for (const PieceEffect& piece : pieces)
        for (const OperatorChange& change : piece.changes) sum += change.kind == kind ? 1 : 0;
    return sum;
}

namespace {

Json changesJson(const PieceEffect& piece, ChangeKind kind) {
    Json list = Json::array();
    for (const OperatorChange& change : piece.changes) {
        if (change.kind != kind) continue;
        Json entry{{"operator", change.name}, {"phase", change.phase}};
        if (kind == ChangeKind::changed) entry["attributes"] = change.attributes;
        list.push_back(std::move(entry));
    }
    return list;
}

Json pieceJson(const PieceEffect& piece) {
    Json entry{{"piece", piece.piece}, {"count", piece.count}};
    for (const ChangeKind kind : {ChangeKind::added, ChangeKind::removed, ChangeKind::changed})
        entry[std::string(toString(kind))] = changesJson(piece, kind);
    entry["flops"] = piece.flops;
    entry["bytes"] = piece.bytes;
    entry["message_bytes"] = piece.messageBytes;
    entry["saved_bytes"] = piece.savedBytes;
    entry["parameters"] = piece.parameters;
    return entry;
}

} // namespace

Json toJson(const std::vector<PassEffect>& effects) {
    Json list = Json::array();
    for (const PassEffect& effect : effects) {
        const PassInfo& info = passInfo(effect.pass);
        Json entry{{"pass", info.name}, {"does", info.does}, {"on", effect.isOn}};
        if (!effect.whyIdle.empty()) entry["idle"] = effect.whyIdle;
        for (const ChangeKind kind : {ChangeKind::added, ChangeKind::removed, ChangeKind::changed})
            entry[std::string(toString(kind))] = effect.count(kind);
        Json pieces = Json::array();
        for (const PieceEffect& piece : effect.pieces) pieces.push_back(pieceJson(piece));
        entry["pieces"] = std::move(pieces);
        list.push_back(std::move(entry));
    }
    return list;
}

} // namespace orrery
