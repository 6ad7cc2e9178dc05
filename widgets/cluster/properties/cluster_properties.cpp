// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/properties/cluster_properties.hpp"

#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/host_duties.hpp"
#include "widgets/cluster/fields/platform_change.hpp"
#include "widgets/cluster/properties/property_field.hpp"
#include "widgets/cluster/what_if/what_if_list.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace orrery {
namespace {

constexpr int mostAccelerators = 4096; ///< of one host, as the schema allows
constexpr int mostReplicas = 4000000;
constexpr int mostNodes = 100000;

/// "H100 SXM5 80GB": the vendor is known by the rest, and the panel is narrow.
QString withoutVendor(const Accelerator& accelerator) {
    const QString name = QString::fromStdString(accelerator.name), vendor = QString::fromStdString(accelerator.vendor) + ' ';
    return name.startsWith(vendor) ? name.mid(vendor.size()) : name;
}

} // namespace

ClusterProperties::ClusterProperties(const Theme& theme, const Catalog& catalog, QWidget* parent)
    : QWidget(parent), theme_(theme), catalog_(catalog) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    auto* scroll = new QScrollArea(this);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    outer->addWidget(scroll);
    inside_ = new QWidget;
    inside_->setAttribute(Qt::WA_StyledBackground);
    setRole(*inside_, "panel");
    column_ = new QVBoxLayout(inside_);
    column_->setContentsMargins(0, 0, 0, 8);
    column_->setSpacing(0);
    scroll->setWidget(inside_);
    refresh();
}

PropertyField* ClusterProperties::field(const QString& key) const {
    const auto it = fields_.find(key);
    return it == fields_.end() ? nullptr : it->second;
}

void ClusterProperties::setDocument(const Json& scenario) {
    scenario_ = scenario;
    document_ = ClusterDocument(scenario, catalog_);
    names_ = NodeNames(document_, catalog_);
    refresh();
}

void ClusterProperties::setSelection(const ClusterSelection& selection) {
    selection_ = selection;
    refresh();
}

void ClusterProperties::setProblems(const Problems& problems) {
    problems_ = problems;
    showProblems();
}

std::vector<const DrawnNode*> ClusterProperties::chosenNodes() const {
    std::vector<const DrawnNode*> chosen;
    for (const DrawnNode& node : document_.nodes())
        if (selection_.nodes.contains(node.id)) chosen.push_back(&node);
    return chosen;
}

std::vector<const DrawnLink*> ClusterProperties::chosenLinks() const {
    std::vector<const DrawnLink*> chosen;
    for (const LinkKey& key : selection_.links)
        if (const DrawnLink* link = document_.find(key)) chosen.push_back(link);
    return chosen;
}

ClusterProperties::Subject ClusterProperties::subject() const {
    const auto nodes = chosenNodes();
    if (!nodes.empty()) {
        const auto hosts = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), [](const DrawnNode* n) { return n->isHost(); }));
        if (nodes.size() == 1) return hosts == 1 ? Subject::host : Subject::switch_;
        return hosts == nodes.size() ? Subject::hosts : Subject::nodes;
    }
    if (const auto links = chosenLinks(); !links.empty()) return links.size() == 1 ? Subject::link : Subject::links;
    if (document_.isShortForm()) return Subject::short_form;
    return document_.isEmpty() ? Subject::empty : Subject::drawing;
}

void ClusterProperties::refresh() {
    const Subject now = subject();
    const bool duties = HostDuties(scenario_, document_).canBeGiven();
    if (now != built_ || !anyBuilt_ || duties != duties_) {
        duties_ = duties;
        build(now);
    }
    updateValues();
    updateWhatIfs();
    showProblems();
    column_->activate(); // wrapped texts get their height before they are first painted
}

void ClusterProperties::build(Subject now) {
    built_ = now;
    anyBuilt_ = true;
    fields_.clear();
    section_ = nullptr;
    summary_ = nullptr;
    while (QLayoutItem* item = column_->takeAt(0)) {
        // Later: a field may be the one whose edit led here.
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    switch (now) {
    case Subject::empty: {
        addSection(tr("Cluster"));
        auto* text = new QLabel(tr("Nothing is drawn yet. Place a host from the palette, or drop a platform."), section_);
        text->setWordWrap(true);
        setRole(*text, "secondary");
        section_->content()->addWidget(text);
        break;
    }
    case Subject::short_form: buildShortForm(); break;
    case Subject::drawing: buildDrawing(); break;
    case Subject::host: buildNodes(true, true); break;
    case Subject::hosts: buildNodes(true, false); break;
    case Subject::switch_: buildNodes(false, true); break;
    case Subject::nodes: buildNodes(false, false); break;
    case Subject::link: buildLinks(true); break;
    case Subject::links: buildLinks(false); break;
    }
    whatIfRoom_ = new QWidget(inside_);
    auto* room = new QVBoxLayout(whatIfRoom_);
    room->setContentsMargins(12, 4, 12, 4);
    whatIfList_ = new WhatIfList(theme_, whatIfRoom_);
    room->addWidget(whatIfList_);
    column_->addWidget(whatIfRoom_);
    connect(whatIfList_, &WhatIfList::removed, this, [this](int index) {
        const WhatIf one = whatIfs_[static_cast<std::size_t>(index)];
        request(tr("Take back: %1").arg(one.text), editor().remove(one));
    });
    connect(whatIfList_, &WhatIfList::allRemoved, this, [this] {
        request(tr("Restore everything"), selection_.empty() ? editor().removeAll() : editor().restore(selection_));
    });
    column_->addStretch(1);
    // At once: what a layout adds would otherwise appear with the next event only.
    for (QObject* child : inside_->children())
        if (auto* widget = qobject_cast<QWidget*>(child); widget && column_->indexOf(widget) >= 0) widget->show();
}

Section* ClusterProperties::addSection(const QString& title) {
    if (section_) column_->addWidget(new Hairline(inside_));
    section_ = new Section(title, theme_, inside_);
    section_->content()->setSpacing(5);
    column_->addWidget(section_);
    return section_;
}

void ClusterProperties::addSummary() {
    summary_ = new QLabel(section_);
    summary_->setWordWrap(true);
    setRole(*summary_, "secondary");
    section_->content()->addWidget(summary_);
}

PropertyField* ClusterProperties::add(const QString& key, const QString& label, const QString& unit) {
    auto* made = new PropertyField(label, unit, theme_, section_);
    section_->content()->addWidget(made);
    fields_[key] = made;
    if (key.endsWith(QStringLiteral("bandwidth_gb_s"))) {
        made->setReader(readBandwidth);
        made->setHintMaker([](double value) { return QStringLiteral("= ") + bitRate(value); });
    }
    return made;
}

void ClusterProperties::addPlatform() {
    PropertyField* made = add(QStringLiteral("platform"), tr("Platform"), {});
    std::vector<PropertyField::Choice> choices;
    for (const Platform& platform : catalog_.platforms())
        if (!platform.generated) choices.push_back({QString::fromStdString(platform.name), platform.id});
    made->setChoices(choices);
    connect(made, &PropertyField::valueChanged, this, [this](const Json& value) {
        const Platform* wanted = value.is_string() ? catalog_.platform(value.get<std::string>()) : nullptr;
        if (wanted) request(tr("Replace by %1").arg(QString::fromStdString(wanted->name)), replacePlatform(scenario_, selection_.nodes, *wanted, catalog_));
    });
}

Json ClusterProperties::platformOf(const DrawnNode& node) const {
    if (!node.isHost()) return {};
    const int place = document_.indexOf(node.id);
    const Platform* sold = place >= 0 ? soldAs(document_, static_cast<std::size_t>(place), catalog_) : nullptr;
    return sold ? Json(sold->id) : Json(hostName(node, catalog_).toStdString());
}

PropertyField* ClusterProperties::addAccelerator(const QString& key) {
    PropertyField* made = add(key, tr("Accelerator"), {});
    std::vector<PropertyField::Choice> choices;
    for (const Accelerator& accelerator : catalog_.accelerators())
        choices.push_back({withoutVendor(accelerator), accelerator.id});
    made->setChoices(choices);
    return made;
}

void ClusterProperties::addClusterField(const QString& key, const QString& label, const QString& unit, int least, int most) {
    PropertyField* made = add(key, label, unit);
    if (key.endsWith(QStringLiteral("latency_us"))) made->setReader([](const QString& t) { return readNumber(t, 0, 1e6, true); });
    else if (key.endsWith(QStringLiteral("oversubscription"))) made->setReader([](const QString& t) { return readNumber(t, 1, 1e4, false); });
    else if (!key.endsWith(QStringLiteral("bandwidth_gb_s"))) made->setReader([least, most](const QString& t) { return readWhole(t, least, most); });
    const std::string pointer = "/cluster/" + key.toStdString();
    made->setPointers({pointer});
    connect(made, &PropertyField::valueChanged, this, [this, pointer, label](const Json& value) {
        request(tr("Change %1").arg(label.toLower()), {{pointer, value}});
    });
}

void ClusterProperties::buildShortForm() {
    addSection(tr("Cluster"));
    addPlatform();
    PropertyField* accelerator = addAccelerator(QStringLiteral("accelerator"));
    accelerator->setPointers({"/cluster/accelerator"});
    connect(accelerator, &PropertyField::valueChanged, this,
            [this](const Json& value) { request(tr("Change accelerator"), followPlatform(scenario_, {{"/cluster/accelerator", value}}, catalog_)); });
    addClusterField(QStringLiteral("accelerators_per_node"), tr("Per node"), tr("accelerators"), 1, mostAccelerators);
    addClusterField(QStringLiteral("nodes"), tr("Nodes"), {}, 1, mostNodes);
    addSection(tr("Scale-up"))->setSecondary(tr("inside a node or rack"));
    addClusterField(QStringLiteral("scale_up/bandwidth_gb_s"), tr("Bandwidth"), tr("GB/s"), 0, 0);
    addClusterField(QStringLiteral("scale_up/latency_us"), tr("Latency"), tr("µs"), 0, 0);
    addClusterField(QStringLiteral("scale_up/domain_size"), tr("Domain"), tr("accelerators"), 1, mostReplicas);
    addSection(tr("Scale-out"))->setSecondary(tr("per accelerator"));
    addClusterField(QStringLiteral("scale_out/bandwidth_gb_s"), tr("Bandwidth"), tr("GB/s"), 0, 0);
    addClusterField(QStringLiteral("scale_out/latency_us"), tr("Latency"), tr("µs"), 0, 0);
    addClusterField(QStringLiteral("scale_out/oversubscription"), tr("Oversubscription"), tr(": 1"), 0, 0);
    auto* draw = new QPushButton(tr("Edit as a drawing"), section_);
    draw->setToolTip(tr("Writes the hosts, switches and links that these numbers stand for, so that each can be changed"));
    section_->content()->addWidget(draw, 0, Qt::AlignLeft);
    connect(draw, &QPushButton::clicked, this, [this] { request(tr("Draw the cluster"), document_.convertToDrawn()); });
}

void ClusterProperties::buildDrawing() {
    addSection(tr("Cluster"));
    addSummary();
    addSection(tr("Scale-up"))->setSecondary(tr("inside a host or domain"));
    addClusterField(QStringLiteral("scale_up/bandwidth_gb_s"), tr("Bandwidth"), tr("GB/s"), 0, 0);
    addClusterField(QStringLiteral("scale_up/latency_us"), tr("Latency"), tr("µs"), 0, 0);
}

void ClusterProperties::buildNodes(bool hosts, bool one) {
    addSection(one ? (hosts ? tr("Host") : tr("Switch")) : hosts ? tr("Hosts")
                                                                 : tr("Nodes"));
    addSummary();
    if (one) {
        PropertyField* id = add(QStringLiteral("id"), tr("Name"), {});
        id->setReader([this](const QString& text) -> TypedValue {
            const std::string wanted = text.trimmed().toStdString();
            if (wanted.empty()) return tr("A node needs a name: links refer to it.");
            const auto nodes = chosenNodes();
            if (document_.indexOf(wanted) >= 0 && (nodes.empty() || nodes.front()->id != wanted))
                return tr("Another node is called %1. Use %2.")
                    .arg(QString::fromStdString(wanted), QString::fromStdString(document_.uniqueId(wanted)));
            return Json(wanted);
        });
        connect(id, &PropertyField::valueChanged, this, [this](const Json& value) {
            const auto nodes = chosenNodes();
            if (nodes.size() != 1 || !value.is_string()) return;
            const std::string old = nodes.front()->id, wanted = value.get<std::string>();
            std::vector<ScenarioEdit> edits = document_.rename(old, wanted);
            if (!edits.empty() && !document_.isShortForm()) {
                const std::vector<ScenarioEdit> following = editor().afterRename(old, wanted);
                edits.insert(edits.end(), following.begin(), following.end());
                const std::vector<ScenarioEdit> duties = HostDuties(scenario_, document_).afterRename(old, wanted);
                edits.insert(edits.end(), duties.begin(), duties.end());
            }
            request(tr("Rename %1").arg(QString::fromStdString(old)), std::move(edits));
        });
    }
    const auto change = [this](PropertyField* made, const char* key, const QString& what) {
        connect(made, &PropertyField::valueChanged, this, [this, key, what](const Json& value) {
            request(what, followPlatform(scenario_, document_.setNodeProperty(selection_.nodes, key, value), catalog_));
        });
    };
    if (!hosts) return; // a switch has no numbers of its own: its links have them
    addPlatform();
    change(addAccelerator(QStringLiteral("accelerator")), "accelerator", tr("Change accelerator"));
    PropertyField* count = add(QStringLiteral("count"), tr("Accelerators"), tr("per host"));
    count->setReader([](const QString& t) { return readWhole(t, 0, mostAccelerators); });
    change(count, "count", tr("Change accelerators per host"));
    PropertyField* replicas = add(QStringLiteral("replicas"), tr("Identical hosts"), {});
    replicas->setReader([](const QString& t) { return readWhole(t, 1, mostReplicas); });
    replicas->setPlaceholder(QStringLiteral("1"));
    change(replicas, "replicas", tr("Change number of hosts"));
    PropertyField* domain = add(QStringLiteral("domain"), tr("Domain"), {});
    domain->setReader([](const QString& t) -> TypedValue { return t.trimmed().isEmpty() ? Json() : Json(t.trimmed().toStdString()); });
    domain->setPlaceholder(tr("its own"));
    domain->setToolTip(tr("Hosts with the same text share one scale-up fabric"));
    change(domain, "domain", tr("Change scale-up domain"));
    buildDuties();
}

/// What the hosts serve: a pool of the engine, or another job that runs beside.
void ClusterProperties::buildDuties() {
    if (!HostDuties(scenario_, document_).canBeGiven()) return;
    PropertyField* pool = add(QStringLiteral("pool"), tr("Serves"), {});
    pool->setChoices({{tr("both"), Json()}, {tr("prompts"), "prefill"}, {tr("answers"), "decode"}});
    pool->setToolTip(tr("Prompts and answers on hosts of their own, with keys and values sent from one to the other; or both on one engine"));
    connect(pool, &PropertyField::valueChanged, this, [this](const Json& value) {
        const std::string wanted = value.is_string() ? value.get<std::string>() : std::string();
        request(wanted.empty() ? tr("Serve both on one engine") : wanted == "prefill" ? tr("Serve prompts here")
                                                                                      : tr("Serve answers here"),
                HostDuties(scenario_, document_).toPool(selection_.nodes, wanted));
    });
    PropertyField* job = add(QStringLiteral("job"), tr("Job beside"), {});
    job->setReader([](const QString& text) -> TypedValue { return text.trimmed().isEmpty() ? Json() : Json(text.trimmed().toStdString()); });
    job->setPlaceholder(tr("none; a scenario file"));
    job->setToolTip(tr("A training scenario, relative to this one, that runs on these hosts at the same time and shares the network"));
    connect(job, &PropertyField::valueChanged, this, [this](const Json& value) {
        const std::string file = value.is_string() ? value.get<std::string>() : std::string();
        request(file.empty() ? tr("Take the job beside off") : tr("Run %1 beside").arg(QString::fromStdString(file)), HostDuties(scenario_, document_).toJob(selection_.nodes, file));
    });
}

void ClusterProperties::buildLinks(bool one) {
    addSection(one ? tr("Link") : tr("Links"));
    addSummary();
    const auto change = [this](PropertyField* made, const char* key, const QString& what) {
        connect(made, &PropertyField::valueChanged, this, [this, key, what](const Json& value) {
            request(what, document_.setLinkProperty(selection_.links, key, value));
        });
    };
    PropertyField* bandwidth = add(QStringLiteral("bandwidth_gb_s"), tr("Bandwidth"), tr("GB/s"));
    // A link has no bandwidth to fall back on.
    bandwidth->setReader([](const QString& text) -> TypedValue {
        if (text.trimmed().isEmpty()) return tr("A number above 0; “400 Gb/s” is understood too.");
        return readBandwidth(text);
    });
    change(bandwidth, "bandwidth_gb_s", tr("Change bandwidth"));
    PropertyField* latency = add(QStringLiteral("latency_us"), tr("Latency"), tr("µs"));
    latency->setReader([](const QString& t) { return readNumber(t, 0, 1e6, true); });
    latency->setPlaceholder(tr("the platform's"));
    change(latency, "latency_us", tr("Change latency"));
    PropertyField* count = add(QStringLiteral("count"), tr("Cables"), {});
    count->setReader([](const QString& t) { return readWhole(t, 1, mostReplicas); });
    count->setPlaceholder(QStringLiteral("1"));
    change(count, "count", tr("Change number of cables"));
}

void ClusterProperties::request(const QString& undoText, std::vector<ScenarioEdit> edits) {
    if (edits.empty()) return;
    editor().follow(edits);
    emit editRequested(undoText, edits);
}

} // namespace orrery
