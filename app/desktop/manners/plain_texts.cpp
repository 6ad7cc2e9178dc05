// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/manners/plain_texts.hpp"

#include "widgets/common/own_markup.hpp"

#include <QApplication>
#include <QEvent>
#include <QLabel>
#include <QTextDocument>
#include <QUrl>

namespace orrery {
namespace {

/// Qt guesses whether a text is marked up. A name that looks like it would be laid out, and a picture in it be read from wherever it says, were it a pipe that nobody
/// writes to.
class PlainTexts : public QObject {
public:
    using QObject::QObject;

    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Polish) {
            auto* label = qobject_cast<QLabel*>(watched);
            if (label != nullptr && label->textFormat() == Qt::AutoText && !isTip(*label)) label->setTextFormat(Qt::PlainText);
        } else if (event->type() == QEvent::Paint && watched->inherits("QTipLabel")) {
            return settleTip(static_cast<QLabel&>(*watched));
        }
        return false;
    }

private:
    static bool isTip(const QLabel& label) { return label.inherits("QTipLabel"); }

    /// A tooltip's label lives on from tip to tip, so each text is looked at before it is painted. True: it has to be laid out anew first.
    static bool settleTip(QLabel& tip) {
        const Qt::TextFormat wanted = isOwnMarkup(tip.text()) ? Qt::RichText : Qt::PlainText;
        if (tip.textFormat() == wanted) return false;
        tip.setTextFormat(wanted);
        tip.setWordWrap(wanted == Qt::RichText);
        const QSize size = tip.sizeHint() + QSize(1, 0); // as QToolTip does
        if (size != tip.size()) tip.resize(size);
        tip.update();
        return true;
    }
};

} // namespace

void showTextsPlain() {
    static bool done = false;
    if (done) return;
    done = true;
    QTextDocument::setDefaultResourceProvider([](const QUrl&) { return QVariant(QByteArray()); });
    qApp->installEventFilter(new PlainTexts(qApp));
}

} // namespace orrery
