// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/document/cluster_document.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/what_if/what_ifs.hpp"

#include <QWidget>

#include <functional>
#include <map>
#include <vector>

class QLabel;
class QVBoxLayout;

namespace orrery {

class Catalog; // core/catalog
class PropertyField;
class Section;
class Theme;
class WhatIfList;

/// The properties of what is selected on the canvas; of the whole cluster when nothing is.
class ClusterProperties : public QWidget {
    Q_OBJECT
public:
    ClusterProperties(const Theme& theme, const Catalog& catalog, QWidget* parent = nullptr);

    /// By key: "id", "accelerator", "count", "replicas", "domain", "pool", "job", "bandwidth_gb_s", "latency_us"; for the whole cluster
    /// the pointer below /cluster: "nodes", "scale_out/bandwidth_gb_s". Null: not shown now.
    PropertyField* field(const QString& key) const;
    QSize minimumSizeHint() const override { return {256, 120}; }

public slots:
    void setDocument(const Json& scenario);
    void setSelection(const ClusterSelection& selection);
    void setProblems(const Problems& problems);

signals:
    void editRequested(const QString& undoText, const std::vector<ScenarioEdit>& edits);

private:
    enum class Subject { empty,
                         short_form,
                         drawing,
                         host,
                         hosts,
                         switch_,
                         nodes,
                         link,
                         links };

    Subject subject() const;
    void refresh(); ///< fields for the subject, and their values
    void build(Subject subject);
    void buildShortForm();
    void buildDrawing();
    void buildNodes(bool hosts, bool one);
    void buildDuties();
    void buildLinks(bool one);
    Section* addSection(const QString& title);
    void addSummary();
    PropertyField* add(const QString& key, const QString& label, const QString& unit);
    void addPlatform();
    PropertyField* addAccelerator(const QString& key);
    Json platformOf(const DrawnNode& node) const; ///< id of the platform as sold, or words for a host that is none
    void addClusterField(const QString& key, const QString& label, const QString& unit, int least, int most);
    void updateValues();
    void updateClusterFields();
    void updateNodeFields();
    void updateLinkFields();
    void updateWhatIfs();
    WhatIfEditor editor() const { return {scenario_, document_, names_}; }
    void showProblems();
    QString describe(const std::vector<const DrawnNode*>& nodes) const;
    std::vector<const DrawnNode*> chosenNodes() const;
    std::vector<const DrawnLink*> chosenLinks() const;
    void request(const QString& undoText, std::vector<ScenarioEdit> edits);

    const Theme& theme_;
    const Catalog& catalog_;
    Json scenario_;
    ClusterDocument document_;
    NodeNames names_;
    std::vector<WhatIf> whatIfs_; ///< as listed
    ClusterSelection selection_;
    Problems problems_;
    Subject built_ = Subject::empty;
    bool anyBuilt_ = false;
    bool duties_ = false; ///< hosts can be given to pools and jobs
    QVBoxLayout* column_ = nullptr;
    QWidget* inside_ = nullptr;
    Section* section_ = nullptr;
    QLabel* summary_ = nullptr; ///< what the numbers below are of
    WhatIfList* whatIfList_ = nullptr;
    QWidget* whatIfRoom_ = nullptr;
    std::map<QString, PropertyField*> fields_;
};

} // namespace orrery
