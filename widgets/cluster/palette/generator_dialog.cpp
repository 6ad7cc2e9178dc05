// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/cluster/palette/generator_dialog.hpp"
#include "core/base/json.hpp"
#include "core/catalog/catalog.hpp"
#include "widgets/cluster/document/cluster_defaults.hpp"
#include "widgets/cluster/document/node_names.hpp"
#include "widgets/cluster/palette/palette_items.hpp"
#include "widgets/common/format.hpp"
#include "widgets/common/section.hpp"

#include <QCheckBox>
#include <QComboBox>
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(GeneratorDialog)
};

} // namespace

ParameterWords parameterWords(const std::string& key) {
    if (key == "hosts") return {Words::tr("Number of hosts"), {}, {}, {}};
    if (key == "racks") return {Words::tr("Number of racks"), {}, {}, {}};
    if (key == "hosts_per_unit") return {Words::tr("Hosts of a scalable unit"), Words::tr("They share the leaves, one for each rail"), {}, {}};
    if (key == "switch_ports") return {Words::tr("Ports of a switch"), Words::tr("Decides how many spines there are, and whether a third level"), {}, {}};
    if (key == "oversubscription")
        return {Words::tr("Oversubscription"), Words::tr("r: the links up from a leaf carry 1/r of those down; 1 is full bandwidth"), {}, {}};
    if (key == "stacks") return {Words::tr("Draw equal hosts as one card"), Words::tr("The network is the same"), {}, {}};
    if (key == "hosts_per_leaf") return {Words::tr("Hosts on a leaf"), {}, {}, {}};
    if (key == "spines") return {Words::tr("Spines"), {}, {}, Words::tr("as many as suit")};
    if (key == "k") return {Words::tr("Ports of a switch (k)"), Words::tr("k pods; k³/4 hosts and 5k²/4 switches. Even"), {}, {}};
    if (key == "rails")
        return {Words::tr("Each interface on an edge switch of its own"), Words::tr("Rail-optimised: interface i of a host on edge switch i"), {}, {}};
    if (key == "hosts_per_router") return {Words::tr("Hosts on a router (p)"), {}, {}, {}};
    if (key == "routers_per_group") return {Words::tr("Routers in a group (a)"), Words::tr("All joined to one another. Balanced at a = 2p = 2h"), {}, {}};
    if (key == "global_links_per_router") return {Words::tr("Global links of a router (h)"), Words::tr("They lead to other groups"), {}, {}};
    if (key == "groups") return {Words::tr("Groups"), Words::tr("Up to a·h + 1, each joined to every other"), {}, Words::tr("all a·h + 1")};
    if (key == "valiant") return {Words::tr("Route by way of a third group"), Words::tr("Valiant: evens out traffic that would crowd one link"), {}, {}};
    if (key == "x" || key == "y" || key == "z") return {Words::tr("Along %1").arg(QString::fromStdString(key)), {}, {}, {}};
    if (key == "cables") return {Words::tr("Cables to a neighbour"), {}, {}, Words::tr("all interfaces shared out")};
    if (key == "wrap") return {Words::tr("Join the last to the first"), Words::tr("A torus; without, a mesh"), {}, {}};
    if (key == "chip_bandwidth_gb_s")
        return {Words::tr("Interconnect of a chip"), Words::tr("Each direction, over its six links together"), Words::tr("GB/s"), {}};
    return {QString::fromStdString(key), {}, {}, {}};
}

QString generatorDescription(const std::string& id) {
    if (id == "superpod")
        return Words::tr("Scalable units whose hosts have interface i on leaf i, spines above, and a third level where one pod can't hold all.");
    if (id == "racks") return Words::tr("Racks whose hosts share one scale-up fabric, each with a leaf for every rail, and spines above.");
    if (id == "leaf-spine") return Words::tr("All interfaces of a host on one leaf, every leaf joined to every spine.");
    if (id == "fat-tree") return Words::tr("Three levels of switches with k ports: edge, aggregation, core.");
    if (id == "sized-fat-tree") return Words::tr("A three-level fat tree for a number of hosts.");
    if (id == "dragonfly") return Words::tr("Groups of routers that are all joined to one another, with a link between any two groups.");
    if (id == "torus-2d" || id == "torus-3d") return Words::tr("Hosts joined to their neighbours in each dimension, without switches.");
    if (id == "tpu-torus") return Words::tr("Chips in a 3D torus, four to a host. Dimensions are in chips; multiples of 4 close to a ring.");
    return {};
}

namespace {

constexpr int settleTime = 120; ///< ms after the last change before the topology is made again

/// Racks need hosts that share a fabric; the TPU torus needs its four chips.
bool suits(const Platform& platform, const std::string& generator) {
    const bool pod = platform.id.rfind("tpu", 0) == 0;
    if (generator == "tpu-torus") return pod && platform.acceleratorsPerNode == 4;
    const bool rack = platform.scaleUpDomain > platform.acceleratorsPerNode;
    return generator == "racks" ? rack && !pod : !pod;
}

} // namespace

GeneratorDialog::GeneratorDialog(const PaletteItem& item, int number, const Catalog& catalog, QWidget* parent)
    : QDialog(parent), catalog_(catalog), generator_(*findGenerator(item.generator)), name_(item.label) {
    setWindowTitle(item.label);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 14, 16, 12);
    column->setSpacing(12);
    auto* what = new QLabel(generatorDescription(generator_.id), this);
    what->setWordWrap(true);
    what->setMinimumWidth(360);
    setRole(*what, "secondary");
    column->addWidget(what);
    form_ = new QFormLayout;
    form_->setHorizontalSpacing(16);
    form_->setVerticalSpacing(6);
    form_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    column->addLayout(form_);
    addHostFields(item);
    addParameters(item.values(number));
    column->addWidget(new Hairline(this));
    totals_ = new QLabel(this);
    totals_->setObjectName(QStringLiteral("totals"));
    totals_->setWordWrap(true);
    column->addWidget(totals_);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    place_ = buttons->addButton(tr("Place"), QDialogButtonBox::AcceptRole);
    place_->setDefault(true);
    place_->setToolTip(tr("Then click on the drawing"));
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        refresh();
        if (place_->isEnabled()) accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    column->addWidget(buttons);
    settle_ = new QTimer(this);
    settle_->setSingleShot(true);
    settle_->setInterval(settleTime);
    connect(settle_, &QTimer::timeout, this, &GeneratorDialog::refresh);
    refresh();
}

void GeneratorDialog::addRow(const std::string& key, const QString& label, QWidget* field) {
    field->setObjectName(QString::fromStdString(key));
    form_->addRow(label, field);
    auto* problem = new QLabel(this);
    problem->setWordWrap(true);
    problem->setTextFormat(Qt::RichText);
    problem->hide();
    setRole(*problem, "error");
    connect(problem, &QLabel::linkActivated, this, [this](const QString& link) {
        // The mend's edits: "key=value" each.
        for (const QString& part : link.split('&'))
            if (const int at = static_cast<int>(part.indexOf('=')); at > 0) setValueOf(part.left(at).toStdString(), part.mid(at + 1).toDouble());
        refresh();
    });
    form_->addRow(QString(), problem);
    rows_[key] = {field, problem};
}

void GeneratorDialog::addHostFields(const PaletteItem& item) {
    platform_ = new QComboBox(this);
    for (const Platform& platform : catalog_.platforms())
        if (!platform.generated && suits(platform, generator_.id))
            platform_->addItem(QString::fromStdString(platform.name), QString::fromStdString(platform.id));
    platform_->setCurrentIndex(std::max(0, platform_->findData(QString::fromStdString(item.platform))));
    addRow("platform", tr("Hosts"), platform_);
    auto* nics = new QSpinBox(this);
    nics->setRange(1, 64);
    auto* bandwidth = new QDoubleSpinBox(this);
    bandwidth->setRange(0.001, 1e5);
    bandwidth->setDecimals(3);
    bandwidth->setSuffix(QChar(0x2009) + tr("GB/s"));
    const bool ownLinks = generator_.id == "tpu-torus"; // the chips' interconnect, asked for below
    if (ownLinks) {
        nics->hide();
        bandwidth->hide();
    } else {
        addRow("nics", tr("Interfaces of a host"), nics);
        addRow("bandwidth_gb_s", tr("Bandwidth of one"), bandwidth);
    }
    rows_["nics"].field = nics;
    rows_["bandwidth_gb_s"].field = bandwidth;
    takePlatform();
    connect(platform_, &QComboBox::currentIndexChanged, this, [this] {
        takePlatform();
        settle_->start();
    });
    connect(nics, &QSpinBox::valueChanged, this, [this] { settle_->start(); });
    connect(bandwidth, &QDoubleSpinBox::valueChanged, this, [this] { settle_->start(); });
}

void GeneratorDialog::takePlatform() {
    const Platform* platform = catalog_.platform(platform_->currentData().toString().toStdString());
    if (!platform) return;
    const HostSpec host = hostOf(*platform);
    const auto changed = [this] {
        if (settle_) settle_->start();
    };
    static_cast<QSpinBox*>(rows_["nics"].field)->setValue(host.interfaces());
    static_cast<QDoubleSpinBox*>(rows_["bandwidth_gb_s"].field)->setValue(host.bandwidth);
    changed();
}

void GeneratorDialog::addParameters(const ParameterValues& given) {
    // Where it isn't said the palette's way holds: single hosts while there are few.
    const HostSpec own = host();
    ParameterValues values = given;
    ParameterValues stacked = given;
    stacked["stacks"] = 1;
    if (const GeneratedTopology made = generator_.make(own, stacked); made.ok()) values.try_emplace("stacks", drawnAsStacks(made.topology) ? 1 : 0);
    for (const GeneratorParameter& parameter : generator_.parameters) {
        const auto found = values.find(parameter.key);
        const double value = found == values.end() ? parameter.usual : found->second;
        const ParameterWords words = parameterWords(parameter.key);
        QWidget* field = nullptr;
        if (parameter.kind == ParameterKind::flag) {
            auto* box = new QCheckBox(words.label, this);
            box->setChecked(value != 0);
            connect(box, &QCheckBox::toggled, this, [this] { settle_->start(); });
            field = box;
        } else if (parameter.kind == ParameterKind::integer) {
            auto* box = new QSpinBox(this);
            box->setRange(static_cast<int>(parameter.least), static_cast<int>(parameter.most));
            if (!words.zero.isEmpty()) box->setSpecialValueText(words.zero);
            box->setValue(static_cast<int>(value));
            connect(box, &QSpinBox::valueChanged, this, [this] { settle_->start(); });
            field = box;
        } else {
            auto* box = new QDoubleSpinBox(this);
            box->setRange(parameter.least, parameter.most);
            box->setSingleStep(0.5);
            box->setValue(value);
            if (!words.unit.isEmpty()) box->setSuffix(QChar(0x2009) + words.unit);
            connect(box, &QDoubleSpinBox::valueChanged, this, [this] { settle_->start(); });
            field = box;
        }
        field->setToolTip(words.tip);
        addRow(parameter.key, parameter.kind == ParameterKind::flag ? QString() : words.label, field);
    }
}

double GeneratorDialog::valueOf(const std::string& key) const {
    const auto it = rows_.find(key);
    if (it == rows_.end()) return 0;
    if (const auto* box = qobject_cast<QCheckBox*>(it->second.field)) return box->isChecked() ? 1 : 0;
    if (const auto* box = qobject_cast<QSpinBox*>(it->second.field)) return box->value();
    if (const auto* box = qobject_cast<QDoubleSpinBox*>(it->second.field)) return box->value();
    return 0;
}

void GeneratorDialog::setValueOf(const std::string& key, double value) {
    const auto it = rows_.find(key);
    if (it == rows_.end()) return;
    if (auto* box = qobject_cast<QCheckBox*>(it->second.field)) box->setChecked(value != 0);
    else if (auto* whole = qobject_cast<QSpinBox*>(it->second.field)) whole->setValue(static_cast<int>(std::lround(value)));
    else if (auto* number = qobject_cast<QDoubleSpinBox*>(it->second.field)) number->setValue(value);
}

HostSpec GeneratorDialog::host() const {
    HostSpec host;
    if (const Platform* platform = catalog_.platform(platform_->currentData().toString().toStdString())) host = hostOf(*platform);
    const int nics = static_cast<int>(valueOf("nics"));
    if (nics != host.accelerators) host.nics = nics;
    host.bandwidth = valueOf("bandwidth_gb_s");
    return host;
}

ParameterValues GeneratorDialog::values() const {
    ParameterValues values;
    for (const GeneratorParameter& parameter : generator_.parameters) values[parameter.key] = valueOf(parameter.key);
    return values;
}

GeneratedTopology GeneratorDialog::generate() const { return generator_.make(host(), values()); }

Json GeneratorDialog::fragment() const { return generatedFragment(generate()); }

QString GeneratorDialog::placedName() const { return name_; }

void GeneratorDialog::refresh() {
    settle_->stop();
    const GeneratedTopology made = generate();
    for (auto& [key, row] : rows_)
        if (row.problem) row.problem->hide();
    QString elsewhere; // about something that has no field here
    for (const Problem& problem : made.problems) {
        QString text = QString::fromStdString(problem.message).toHtmlEscaped() + ' ';
        const QString mend = QString::fromStdString(problem.mend).toHtmlEscaped();
        QStringList changes;
        for (const ScenarioEdit& edit : problem.edits)
            if (edit.value->is_number() && rows_.contains(edit.pointer.substr(1)))
                changes << QString::fromStdString(edit.pointer.substr(1)) + '=' + QString::number(edit.value->get<double>(), 'g', 12);
        text += changes.isEmpty() ? mend : QStringLiteral("<a href=\"%1\">%2</a>").arg(changes.join('&'), mend);
        const auto row = rows_.find(problem.pointer.substr(1));
        if (row == rows_.end() || !row->second.problem) {
            elsewhere += text;
            continue;
        }
        row->second.problem->setText(text);
        row->second.problem->show();
    }
    place_->setEnabled(made.ok());
    if (made.ok()) {
        const TopologyTotals totals = totalsOf(made.topology);
        totals_->setText(tr("%1 accelerators in %2 hosts\n%3 switches, %4 cables\n%5 cards and %6 links to draw")
                             .arg(grouped(static_cast<double>(totals.accelerators)), grouped(static_cast<double>(totals.hosts)),
                                  grouped(static_cast<double>(totals.switches)), grouped(static_cast<double>(totals.cables)),
                                  grouped(static_cast<double>(made.topology->at("nodes").size())),
                                  grouped(static_cast<double>(made.topology->at("links").size()))));
    } else {
        totals_->setText(elsewhere.isEmpty() ? tr("Something is not possible yet.") : elsewhere);
    }
}

} // namespace orrery
