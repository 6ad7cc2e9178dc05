// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/plain_texts.hpp"

#include "widgets/common/own_markup.hpp"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QStyleOptionFrame>
#include <QStylePainter>
#include <QTextDocument>

namespace orrery {
namespace {

/// Qt guesses whether a text is marked up. A name that looks like it would be laid out, and a picture in it be opened wherever it says, were it a pipe that nobody
/// writes to. So every label that would guess is told that its text is plain before it is laid out for the first time: labels are polished before they are measured, a
/// tooltip's own label before it gets its text.
class PlainTexts : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Polish) {
            auto* label = qobject_cast<QLabel*>(watched);
            if (label != nullptr && label->textFormat() == Qt::AutoText) label->setTextFormat(Qt::PlainText);
        } else if (event->type() == QEvent::Paint && watched->inherits("QTipLabel")) {
            auto& tip = static_cast<QLabel&>(*watched);
            if (!isOwnMarkup(tip.text())) return false;
            paintTip(tip);
            return true;
        }
        return false;
    }

private:
    /// A tooltip's label lives on from text to text, so it stays plain, and what the program marked up is painted into it.
    static void paintTip(QLabel& tip) {
        QTextDocument words;
        words.setDefaultFont(tip.font());
        words.setHtml(tip.text());
        words.adjustSize();
        const int edge = tip.margin() + tip.frameWidth();
        const QSize size = words.size().toSize() + QSize(2 * edge, 2 * edge);
        if (size != tip.size()) {
            tip.resize(size);
            tip.update();
            return;
        }
        QStylePainter painter(&tip);
        QStyleOptionFrame frame;
        frame.initFrom(&tip);
        painter.drawPrimitive(QStyle::PE_PanelTipLabel, frame);
        painter.translate(edge, edge);
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette.setColor(QPalette::Text, tip.palette().color(tip.foregroundRole()));
        words.documentLayout()->draw(&painter, context);
    }
};

} // namespace

void showTextsPlain() {
    static bool done = false;
    if (done) return;
    done = true;
    qApp->installEventFilter(new PlainTexts(qApp));
}

} // namespace orrery
