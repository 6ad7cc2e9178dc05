// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/compare/variant_card.hpp"

#include <QWidget>

#include <vector>

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
