// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "core/base/problem.hpp"
#include "core/results/report/result.hpp"
#include "widgets/forms/field_rules.hpp"
#include "widgets/forms/field_table.hpp"
#include "widgets/forms/plan_facts.hpp"

#include <QWidget>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace orrery {

class Catalog; // core/catalog
struct PassNote;
class FieldControl;
class FieldRow;
class FieldProblems;
class ClusterFields;
class Section;
class Theme;

/// The scenario as one form: model, cluster, workload, parallelism, execution, passes, cost.
///
/// It never changes the document: it asks with `editRequested`, and the document comes back by `setDocument`, so that
/// undo, file and form share one path. Parts of which the document says nothing are folded to their title. Every editor's object name is its JSON pointer. Catalogue and theme outlive it.
class ScenarioForm : public QWidget {
    Q_OBJECT
public:
    ScenarioForm(const Catalog& catalog, const Theme& theme, QWidget* parent = nullptr);
    ~ScenarioForm() override;

    void setDocument(const Json& scenarioDocument);
    void setProblems(const Problems& problems);              ///< all of the scenario's, errors and warnings
    void setAssumed(const std::vector<Assumption>& assumed); ///< for when there is a reading but no result yet
    void setPassNotes(const std::vector<PassNote>& notes);   ///< what each pass adds; passes that are not named add nothing known
    void setResult(const ResultPtr& result);                 ///< derived values and assumptions; null: none known

    /// Lets the user change the fields of these keys alone, and says why at the others; nothing: all of them.
    void setTouchable(std::optional<std::vector<std::string>> pointers, const QString& reason = {});

    QSize sizeHint() const override { return {292, 720}; }
    QSize minimumSizeHint() const override { return {250, 240}; }

    /// Asks for a sweep of the field that a widget belongs to. False: it belongs to none that a sweep can set.
    bool askSweepOf(const QWidget* widget);

public slots:
    void focusField(const QString& pointer); ///< the field that edits this place, or the nearest one above it

signals:
    void editRequested(const QString& undoText, const std::vector<orrery::ScenarioEdit>& edits);
    /// "Sweep this…" of a field: its key, and values to try around the one it has.
    void sweepRequested(const QString& pointer, const QString& values);
    void openConfigRequested(); ///< "From file…": the window shows the file dialog

private:
    struct Field {
        FieldSpec spec;
        FieldControl* control = nullptr;
        FieldRow* row = nullptr;
    };

    void build();
    void addField(const FieldSpec& spec);
    FieldControl* makeControl(const FieldSpec& spec, QWidget* parent);
    void addConfigRow();
    void alignLabels();
    void askFor(const FieldSpec& spec, const Json& value);
    void askSweep(const FieldSpec& spec);
    Json presentValue(const FieldSpec& spec) const; ///< given, else assumed; null: neither is known

    void showFields();
    void showProblems();
    void showSummaries();
    void foldEmpty();
    bool isEmpty(FieldSection section) const; ///< the document says nothing of it, and need not
    std::optional<Json> givenAt(const char* pointer) const;
    bool appliesTo(const FieldSpec& spec) const; ///< to the document's kind of workload
    std::vector<std::pair<Json, NotApplicable>> foreignFrameworks() const;
    bool mayTouch(std::string_view pointer) const;
    const Assumption* assumptionFor(const std::string& pointer, Json& value) const;
    const Field* fieldFor(const std::string& pointer) const;

    const Catalog& catalog_;
    const Theme& theme_;
    PlanFacts facts_;
    Json document_ = Json::object();
    std::unique_ptr<ClusterFields> cluster_; ///< of `document_`
    Problems problems_;
    std::vector<Assumption> assumed_;
    ResultPtr result_;
    std::optional<std::vector<std::string>> touchable_; ///< nothing: every field
    QString lockReason_;

    QScrollArea* scroll_ = nullptr;
    QVBoxLayout* column_ = nullptr;
    FieldProblems* general_ = nullptr; ///< problems of no section of this form
    std::map<FieldSection, Section*> sections_;
    std::map<FieldSection, bool> foldedByHand_; ///< what the user said goes before what is empty
    std::map<FieldSection, FieldProblems*> sectionProblems_;
    std::vector<Field> fields_;
    std::vector<FieldRow*> rows_;
    std::map<std::pair<FieldSection, QString>, FieldRow*> groupRows_;
    QPushButton* openConfig_ = nullptr;
};

} // namespace orrery
