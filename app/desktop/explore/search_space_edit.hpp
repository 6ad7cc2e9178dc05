// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/explore/measures.hpp"
#include "core/base/json_forward.hpp"
#include "core/scenario/scenario.hpp"

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// A scenario's `search` where it has none: the keys that people vary first for its kind of workload, with values around what it has.
Json usualSearch(const Json& document, const Scenario* scenario);

} // namespace orrery

class QComboBox;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace orrery {

class ExploreContext;
class KeyEdit;
class MeasureBox;

/// A scenario's `search` as lines: keys with their values, what is best, against what, and what every plan must satisfy.
class SearchSpaceEdit : public QWidget {
    Q_OBJECT
public:
    explicit SearchSpaceEdit(ExploreContext& context, QWidget* parent = nullptr);

    void setSearch(const Json& search); ///< says nothing of it
    /// What the lines say; nothing where one is wrong, which then says so.
    std::optional<Json> search();
    void refreshMeasures(const std::vector<Measure>& measures);
    void setKeyProblem(const QString& pointer, const QString& sentence);

    const std::vector<KeyEdit*>& keys() const { return keys_; }
    QPushButton* addButton() const { return add_; }
    MeasureBox* objective() const { return objective_; }
    QComboBox* direction() const { return direction_; }
    MeasureBox* second() const { return second_; }
    QComboBox* secondDirection() const { return secondDirection_; }
    QLineEdit* constraints() const { return constraints_; }

signals:
    void changed();

private:
    void addKey(const QString& key, const QString& values);
    void clearKeys();
    QString limitWords(const Json& limit) const;
    std::string figureCalled(const QString& text) const;
    bool readConstraints(Json& search);

    ExploreContext& context_;
    std::vector<Measure> measures_; ///< what constraints can name
    std::vector<KeyEdit*> keys_;
    QVBoxLayout* lines_ = nullptr;
    QPushButton* add_ = nullptr;
    QComboBox* direction_ = nullptr;
    MeasureBox* objective_ = nullptr;
    QComboBox* secondDirection_ = nullptr;
    MeasureBox* second_ = nullptr;
    QLineEdit* constraints_ = nullptr;
    bool setting_ = false;
};

} // namespace orrery
