// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/pass_list.hpp"

#include "app/cli/common/text.hpp"
#include "core/base/text.hpp"

#include <cmath>

namespace orrery {
namespace {

std::string signedText(double value, std::string (*text)(double)) { return (value < 0 ? "−" : "+") + text(std::abs(value)); }

void printChanges(const PieceEffect& piece, ChangeKind kind, std::ostream& out) {
    std::vector<std::string> names;
    for (const OperatorChange& change : piece.changes) {
        if (change.kind != kind) continue;
        names.push_back(change.attributes.empty() ? change.name : change.name + " (" + joinWords(change.attributes, "and") + ")");
        if (change.phase == "recompute") names.back() += " again";
    }
    if (names.empty()) return;
    out << "      " << toString(kind) << ": ";
    for (std::size_t i = 0; i < names.size(); ++i) out << (i ? ", " : "") << names[i];
    out << '\n';
}

void printSums(const PieceEffect& piece, std::ostream& out) {
    std::vector<std::string> sums;
    if (piece.flops != 0) sums.push_back(signedText(piece.flops, countText) + " FLOP");
    if (piece.bytes != 0) sums.push_back(signedText(piece.bytes, bytesText) + " of memory traffic");
    if (piece.messageBytes != 0) sums.push_back(signedText(piece.messageBytes, bytesText) + " communicated");
    if (piece.savedBytes != 0) sums.push_back(signedText(piece.savedBytes, bytesText) + " kept for backward");
    if (piece.parameters != 0) sums.push_back(signedText(piece.parameters, countText) + " parameters");
    if (sums.empty()) return;
    out << "      ";
    for (std::size_t i = 0; i < sums.size(); ++i) out << (i ? ", " : "") << sums[i];
    out << '\n';
}

} // namespace

void printPasses(const std::vector<PassEffect>& effects, std::ostream& out) {
    out << "\nPasses, in their order (differences on one rank; of a piece for one micro-batch)\n";
    for (const PassEffect& effect : effects) {
        const PassInfo& info = passInfo(effect.pass);
        out << "\n  " << info.name << ": " << info.does << '\n';
        if (!effect.whyIdle.empty()) {
            out << "    Does nothing here: " << effect.whyIdle << '\n';
            continue;
        }
        out << "    " << effect.count(ChangeKind::added) << " added, " << effect.count(ChangeKind::removed) << " removed, "
            << effect.count(ChangeKind::changed) << " changed\n";
        for (const PieceEffect& piece : effect.pieces) {
            out << "    " << piece.piece << (piece.count > 1 ? " × " + std::to_string(piece.count) : "") << '\n';
            for (const ChangeKind kind : {ChangeKind::added, ChangeKind::removed, ChangeKind::changed}) printChanges(piece, kind, out);
            printSums(piece, out);
        }
    }
}

} // namespace orrery
