// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/notices/pass_notes.hpp"

#include "widgets/common/core_words.hpp"
#include "widgets/common/format.hpp"

#include <QCoreApplication>
#include <QStringList>

#include <cmath>

namespace orrery {
namespace {

constexpr int mostNamed = 6; ///< operators of a piece that the tooltip names

struct Notes {
    Q_DECLARE_TR_FUNCTIONS(Notes)

public:
    static QString pieceName(const std::string& piece) {
        if (piece == "embedding") return tr("embedding");
        if (piece == "layer") return tr("layer");
        if (piece == "next_token") return tr("next-token module");
        if (piece == "head") return tr("head");
        if (piece == "iteration") return tr("iteration");
        return QString::fromStdString(piece);
    }

    static QString sign(ChangeKind kind) {
        switch (kind) {
        case ChangeKind::added: return QStringLiteral("+");
        case ChangeKind::removed: return QStringLiteral("−");
        case ChangeKind::changed: return QStringLiteral("~");
        }
        return {};
    }

    static QString signedBytes(double bytes) {
        return (bytes < 0 ? QStringLiteral("−") : QStringLiteral("+")) + readableBytes(std::abs(bytes)).text();
    }

    static QString describe(const PieceEffect& piece) {
        QStringList parts;
        for (const ChangeKind kind : {ChangeKind::added, ChangeKind::removed, ChangeKind::changed}) {
            QStringList names;
            for (const OperatorChange& change : piece.changes) {
                const QString name = QString::fromStdString(change.name);
                if (change.kind == kind && !names.contains(name)) names << name;
            }
            if (names.isEmpty()) continue;
            const auto more = names.size() - mostNamed;
            if (more > 0) names = names.mid(0, mostNamed) << tr("%1 more").arg(more);
            parts << sign(kind) + QLatin1Char(' ') + names.join(QStringLiteral(", "));
        }
        if (piece.messageBytes != 0) parts << tr("sent: %1").arg(signedBytes(piece.messageBytes));
        if (piece.savedBytes != 0) parts << tr("kept for backward: %1").arg(signedBytes(piece.savedBytes));
        const QString name = piece.count > 1 ? tr("%1 (× %2)").arg(pieceName(piece.piece)).arg(piece.count) : pieceName(piece.piece);
        return tr("%1: %2").arg(name, parts.join(QStringLiteral("; ")));
    }
};

} // namespace

std::vector<PassNote> passNotes(const std::vector<PassEffect>& effects) {
    std::vector<PassNote> notes;
    for (const PassEffect& effect : effects) {
        const PassInfo& info = passInfo(effect.pass);
        PassNote note{.pass = info.name};
        QStringList counts, detail{coreWords(QString::fromUtf8(info.does))};
        for (const ChangeKind kind : {ChangeKind::added, ChangeKind::removed, ChangeKind::changed})
            if (const int count = effect.count(kind); count > 0) counts << Notes::sign(kind) + QString::number(count);
        const QString why = coreWords(effect.whyIdle);
        if (!effect.isOn) {
            note.brief = Notes::tr("off");
            detail << Notes::tr("Without it: %1").arg(coreWords(QString::fromUtf8(info.off)));
        } else if (!why.isEmpty()) {
            note.brief = why.endsWith(u'.') || why.endsWith(u'。') ? why.chopped(1) : why;
            detail << Notes::tr("It does nothing here: %1").arg(why);
        } else {
            note.brief = counts.join(QLatin1Char(' '));
            detail << Notes::tr("Kinds of operators added (+), removed (−) and changed (~):");
            for (const PieceEffect& piece : effect.pieces) detail << Notes::describe(piece);
        }
        note.detail = QStringLiteral("<p>%1</p>");
        QStringList escaped;
        for (const QString& line : detail) escaped << line.toHtmlEscaped();
        note.detail = note.detail.arg(escaped.join(QStringLiteral("</p><p>")));
        notes.push_back(std::move(note));
    }
    return notes;
}

} // namespace orrery
