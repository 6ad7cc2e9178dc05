// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/palette/palette_items.hpp"

#include <QDialog>
#include <QString>
#include <map>
#include <optional>
#include <string>

namespace orrery {

/// How a form calls a generator's parameter.
struct ParameterWords {
    QString label;
    QString tip;
    QString unit;
    QString zero; ///< what 0 means; empty: nothing special
};

ParameterWords parameterWords(const std::string& key);

/// One or two sentences on what a generator draws.
QString generatorDescription(const std::string& id);

} // namespace orrery

class QComboBox;
class QFormLayout;
class QLabel;
class QPushButton;
class QTimer;

namespace orrery {

class Catalog; // core/catalog

/// All parameters of a generator as a form: what hosts, how they are cabled. It counts along what comes of them and says at
/// the field what can't be. Fields are found by their parameter's key as object name, and the hosts' by "platform", "nics",
/// "bandwidth_gb_s".
class GeneratorDialog : public QDialog {
    Q_OBJECT
public:
    /// Begins with what the palette's item makes of `number`.
    GeneratorDialog(const PaletteItem& item, int number, const Catalog& catalog, QWidget* parent);

    Json fragment() const;      ///< of what is set now; empty while something is wrong
    QString placedName() const; ///< for the undo text
    void refresh();             ///< at once what else follows a moment after a change

private:
    struct Row {
        QWidget* field;
        QLabel* problem; ///< below it; hidden while there is none
    };

    void addHostFields(const PaletteItem& item);
    void addParameters(const ParameterValues& values);
    void addRow(const std::string& key, const QString& label, QWidget* field);
    void takePlatform();
    HostSpec host() const;
    ParameterValues values() const;
    double valueOf(const std::string& key) const;
    void setValueOf(const std::string& key, double value);
    GeneratedTopology generate() const;

    const Catalog& catalog_;
    const Generator& generator_;
    QString name_;
    std::map<std::string, Row> rows_;
    QFormLayout* form_ = nullptr;
    QComboBox* platform_ = nullptr;
    QLabel* totals_ = nullptr;
    QPushButton* place_ = nullptr;
    QTimer* settle_ = nullptr;
};

} // namespace orrery
