// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/compared.hpp"

#include <QAbstractButton>
#include <QWidget>
#include <optional>
#include <vector>

class QCheckBox;
class QLineEdit;

namespace orrery {

class Theme;

/// What one card of the strip says.
struct VariantCardText {
    QString name; ///< of the variant; empty: the scenario itself
    QString title;
    QString figure;     ///< "12.36 s"; empty: there is none yet
    QString difference; ///< "−39 %" from the scenario itself; empty: none to say
    const char* differenceRole = "secondary";
    QStringList chips;
    QString problem; ///< why it has no figure
    bool doesNotFit = false;
    bool isOpen = false;
    bool isTicked = false;
    std::vector<FigurePart> parts;
    double longest = 0; ///< the largest figure of all cards: the thumbnail's width
};

/// A scenario or one of its variants as a card: a thumbnail of where its time goes, its name, its figure and what differs. A click opens it, a
/// double click on a variant renames it,
/// and dragging one says where it is held.
class VariantCard : public QAbstractButton {
    Q_OBJECT
public:
    explicit VariantCard(const Theme& theme, QWidget* parent = nullptr);

    void setText(VariantCardText text);
    const VariantCardText& text() const { return text_; }
    void setComparing(bool comparing); ///< offers a tick
    QCheckBox* tick() const { return tick_; }
    void startRename();
    QLineEdit* nameEdit() const { return edit_; } ///< null unless it is being renamed

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    void ticked(bool on);
    void renamed(const QString& to);
    void dragged(int x);              ///< of the mouse, on this card
    void dropped(int x, bool wanted); ///< the drag is over; not wanted: it was given up

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    void endRename(bool keep);
    void describe();
    void drawThumbnail(QPainter& painter, const QRectF& area) const;
    double textLeft() const;

    const Theme& theme_;
    VariantCardText text_;
    QCheckBox* tick_;
    QLineEdit* edit_ = nullptr;
    std::optional<QPoint> pressed_; ///< where a drag would begin
    bool dragging_ = false;
};

} // namespace orrery

class QHBoxLayout;
class QPushButton;
class QScrollArea;

namespace orrery {

/// The scenario and its variants as a row of cards, with the way to another one. A variant is dragged to its place.
class VariantStrip : public QWidget {
    Q_OBJECT
public:
    explicit VariantStrip(const Theme& theme, QWidget* parent = nullptr);

    void setCards(const std::vector<VariantCardText>& cards); ///< the scenario itself is the first
    void setComparing(bool comparing);
    void startRename(const QString& name);

    const std::vector<VariantCard*>& cards() const { return cards_; }
    VariantCard* card(const QString& name) const; ///< null: none is called so
    QPushButton* newButton() const { return new_; }

signals:
    void openRequested(const QString& name);
    void newRequested();
    void tickRequested(const QString& name, bool on);
    void renameRequested(const QString& name, const QString& to);
    void duplicateRequested(const QString& name);
    void moveRequested(const QString& name, int by);
    void removeRequested(const QString& name);

private:
    VariantCard* makeCard();
    void showMenu(VariantCard& card, const QPoint& where);
    std::ptrdiff_t placeAt(const VariantCard& card, int x) const; ///< where a card would come to lie; the scenario itself stays the first
    void showPlace(const VariantCard& card, int x);
    void drop(const VariantCard& card, int x, bool wanted);

    const Theme& theme_;
    QScrollArea* scroll_;
    QHBoxLayout* row_;
    QPushButton* new_;
    QWidget* mark_; ///< where what is dragged would come to lie
    std::vector<VariantCard*> cards_;
    QString open_;
    bool comparing_ = false;
};

} // namespace orrery
