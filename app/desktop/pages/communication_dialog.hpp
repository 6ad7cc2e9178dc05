// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traces/communication_rules.hpp"
#include "core/records/views/span_sums.hpp"

#include <QDialog>
#include <QTimer>
#include <optional>
#include <vector>

class QSettings;

namespace orrery {

/// The user's rules of what counts as communication in records; the shipped ones where none, or none that can be read, are stored.
CommunicationRules storedCommunicationRules(const QSettings& settings);
void storeCommunicationRules(QSettings& settings, const CommunicationRules& rules); ///< the shipped ones are stored as nothing: later versions bring theirs

} // namespace orrery

class QLabel;
class QPushButton;
class QTableWidget;

namespace orrery {

class RecordTable;
class Theme;

/// What counts as communication: the rules as a table that is edited, above the kernels of the open records as these rules sort them.
class CommunicationDialog : public QDialog {
    Q_OBJECT
public:
    /// `kernels`: of the open records; none where none are open.
    CommunicationDialog(const Theme& theme, const CommunicationRules& inForce, std::vector<KernelName> kernels, QWidget* parent = nullptr);

    CommunicationRules rules() const; ///< as edited
    QTableWidget* table() const { return table_; }
    RecordTable* kernels() const { return list_; }

private:
    void build();
    void applyTheme();
    void setRules(const CommunicationRules& rules);
    void insertRule(int row, const CommunicationRule& rule);
    void add();
    void remove();
    void move(int by);
    void showKernels();
    void showButtons();

    const Theme& theme_;
    std::vector<KernelName> names_;
    std::vector<bool> before_; ///< by name: whether it communicates by the rules in force
    bool filling_ = false;     ///< cells are being set, not edited
    std::optional<std::size_t> chosen_;
    QTimer settle_; ///< kernels are sorted once after many changes
    QTableWidget* table_;
    QPushButton* add_;
    QPushButton* remove_;
    QPushButton* up_;
    QPushButton* down_;
    QPushButton* shipped_;
    QLabel* told_; ///< whose rules these are
    RecordTable* list_;
};

} // namespace orrery
