// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/explore/search_space_edit.hpp"
#include "app/desktop/explore/explore_context.hpp"
#include "core/answers/explore/value_list.hpp"
#include "core/answers/search/search_question.hpp"
#include "core/base/json.hpp"
#include "core/base/json_edits.hpp"
#include "core/base/text.hpp"
#include "widgets/common/section.hpp"
#include "widgets/common/theme.hpp"
#include "widgets/explore/explore_words.hpp"
#include "widgets/explore/key_edit.hpp"
#include "widgets/explore/measure_box.hpp"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScopedValueRollback>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace orrery {
namespace {

/// Share of the memory that a proposed search leaves free (1, of 0 to 1; assumed: some two error bars of predicted peaks).
constexpr double memoryMargin = 0.08;
constexpr double tenthOfGibi = 1024.0 * 1024.0 * 1024.0 / 10; ///< bytes: limits are read in GiB

/// 1, 2, 4 … up to `most`.
Json doublings(int from, int most) {
    Json values = Json::array();
    for (int value = from; value <= most; value *= 2) values.push_back(value);
    return values;
}

/// Around what a scenario has: half to four times.
Json around(std::int64_t value) {
    Json values = Json::array();
    for (const std::int64_t factor : {1, 2, 4, 8}) {
        const std::int64_t next = std::max<std::int64_t>(1, value / 2) * factor;
        values.push_back(next);
    }
    return values;
}

} // namespace

Json usualSearch(const Json& document, const Scenario* scenario) {
    constexpr int usualHost = 8, mostStages = 16; // accelerators of a host, which tensor ranks rarely leave
    const int ranks = scenario ? scenario->parallelism.ranks() : usualHost;
    const Json* kind = valueAt(document, "/workload/kind");
    const bool training = !kind || *kind == "training";
    Json vary = Json::object();
    vary["/parallelism/tensor"] = doublings(1, std::min(usualHost, ranks));
    const auto numberAt = [&](const char* pointer, std::int64_t otherwise) {
        const Json* value = valueAt(document, pointer);
        return value && value->is_number() ? static_cast<std::int64_t>(value->get<double>()) : otherwise;
    };
    if (training) {
        if (ranks > 1) {
            vary["/parallelism/pipeline"] = doublings(1, std::min(mostStages, ranks));
            vary["/parallelism/virtual_pipeline"] = {1, 2, 4};
        }
        vary["/workload/micro_batch_size"] = {1, 2, 4};
        vary["/execution/recompute"] = {"none", "selective", "full"};
        if (ranks > 1) {
            vary["/parallelism/zero_stage"] = {0, 1, 3};
            for (const char* overlap : {"/execution/overlap/data", "/execution/overlap/tensor"}) vary[overlap] = {false, true};
        }
    } else if (*kind == "inference") {
        vary["/workload/batch_size"] = doublings(1, 256);
    } else {
        vary["/workload/engine/max_num_seqs"] = around(numberAt("/workload/engine/max_num_seqs", 256));
        vary["/workload/engine/max_num_batched_tokens"] = around(numberAt("/workload/engine/max_num_batched_tokens", 8192));
    }
    Json search{{"vary", std::move(vary)}};
    // An engine fills what it is given; a training that fits to the last byte runs out of memory by its own spread.
    if (training && scenario && scenario->cluster.accelerator.memoryBytes > 0)
        search["constraints"] = Json::array({{{"pointer", "/memory/peak_bytes"}, {"op", "<="}, {"value", std::floor((1 - memoryMargin) * scenario->cluster.accelerator.memoryBytes / tenthOfGibi) * tenthOfGibi}}});
    return search;
}

namespace {

constexpr std::size_t mostValues = 10000;

/// Values as a person types them.
QString listText(const Json& values) {
    QStringList words;
    for (const Json& value : values) words << QString::fromStdString(value.is_string() ? value.get<std::string>() : value.dump());
    return words.join(u',');
}

QLabel* lineLabel(const QString& text) {
    auto* label = new QLabel(text);
    setRole(*label, "secondary");
    return label;
}

} // namespace

SearchSpaceEdit::SearchSpaceEdit(ExploreContext& context, QWidget* parent) : QWidget(parent), context_(context) {
    auto* keys = new QWidget;
    setRole(*keys, "panel");
    lines_ = new QVBoxLayout(keys);
    lines_->setContentsMargins(0, 0, 4, 0);
    lines_->setSpacing(4);
    add_ = new QPushButton(tr("+ key"));
    add_->setToolTip(tr("Varies another key"));
    lines_->addWidget(add_, 0, Qt::AlignLeft);
    lines_->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setWidget(keys);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    const auto directions = [](const QString& name) {
        auto* box = new QComboBox;
        box->addItems({tr("least"), tr("most")});
        box->setAccessibleName(name);
        box->setMinimumHeight(26);
        return box;
    };
    direction_ = directions(tr("Direction of the objective"));
    secondDirection_ = directions(tr("Direction of the second objective"));
    objective_ = new MeasureBox(tr("Objective"));
    second_ = new MeasureBox(tr("Second objective"));
    for (MeasureBox* box : {objective_, second_}) box->setMinimumContentsLength(10);
    constraints_ = new QLineEdit;
    constraints_->setPlaceholderText(tr("ttft <= 1 s; tpot <= 50 ms"));
    constraints_->setToolTip(tr("What every plan must satisfy: figure, comparison, value; several with semicolons between. A plan must fit the memory in any case."));
    constraints_->setAccessibleName(tr("Constraints"));
    constraints_->setMinimumHeight(26);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(5);
    column->addWidget(scroll, 1);
    const auto row = [&](const QString& label, QWidget* first, QWidget* rest) {
        auto* line = new QHBoxLayout;
        line->setSpacing(6);
        QLabel* word = lineLabel(label);
        word->setMinimumWidth(52);
        line->addWidget(word);
        if (first) line->addWidget(first);
        line->addWidget(rest, 1);
        column->addLayout(line);
    };
    row(tr("Best is"), direction_, objective_);
    row(tr("against"), secondDirection_, second_);
    row(tr("with"), nullptr, constraints_);
    connect(add_, &QPushButton::clicked, this, [this] {
        addKey({}, {});
        keys_.back()->keyLine()->setFocus();
        emit changed();
    });
    const auto told = [this] {
        if (!setting_) emit changed();
    };
    for (QComboBox* box : {direction_, secondDirection_}) connect(box, &QComboBox::currentIndexChanged, this, told);
    for (MeasureBox* box : {objective_, second_}) connect(box, &MeasureBox::askedChanged, this, told);
    connect(constraints_, &QLineEdit::textChanged, this, told);
}

void SearchSpaceEdit::addKey(const QString& key, const QString& values) {
    auto* edit = new KeyEdit(context_.theme(), {}, tr("values"), context_.keys());
    edit->set(key, values);
    edit->setRemovable(true);
    connect(edit, &KeyEdit::changed, this, [this] {
        if (!setting_) emit changed();
    });
    connect(edit, &KeyEdit::removeRequested, this, [this, edit] {
        keys_.erase(std::find(keys_.begin(), keys_.end(), edit));
        edit->hide();
        edit->deleteLater();
        emit changed();
    });
    lines_->insertWidget(static_cast<int>(keys_.size()), edit);
    keys_.push_back(edit);
}

void SearchSpaceEdit::clearKeys() {
    for (KeyEdit* edit : keys_) {
        edit->hide();
        lines_->removeWidget(edit);
        edit->deleteLater();
    }
    keys_.clear();
}

void SearchSpaceEdit::setSearch(const Json& search) {
    const QScopedValueRollback<bool> guard(setting_, true);
    clearKeys();
    if (search.contains("vary"))
        for (const auto& [pointer, values] : search["vary"].items()) addKey(QString::fromStdString(pointer), listText(values));
    Json document = context_.document();
    document["search"] = search;
    Problems problems;
    const auto question = searchQuestionOf(document, problems);
    if (question) {
        objective_->ask(question->objective.measure.name);
        direction_->setCurrentIndex(question->objective.maximise ? 1 : 0);
        second_->ask(question->second.measure.name);
        secondDirection_->setCurrentIndex(question->second.maximise ? 1 : 0);
    }
    QStringList limits;
    if (search.contains("constraints"))
        for (const Json& one : search["constraints"])
            if (one.is_object() && one.contains("pointer") && one.contains("op") && one.contains("value"))
                limits << limitWords(one);
    constraints_->setText(limits.join(QStringLiteral("; ")));
    constraints_->setCursorPosition(0);
}

/// The pointer or name of a figure that is written as it is shown, or as a pointer; empty: none is called so.
std::string SearchSpaceEdit::figureCalled(const QString& text) const {
    if (text.startsWith(u'/')) return text.toStdString();
    for (const Measure& measure : measures_)
        if (text.compare(figureName(measure.pointer), Qt::CaseInsensitive) == 0 || text == QString::fromStdString(measure.name)) return measure.name;
    // Before the first result none is listed yet.
    for (const char* known : {"/memory/peak_bytes", "/iteration_time_s", "/ttft_s", "/tpot_s", "/mfu"})
        if (text.compare(figureName(known), Qt::CaseInsensitive) == 0) return known;
    const Json* named = valueAt(context_.document(), "/measures");
    return named && named->is_object() && named->contains(text.toStdString()) ? text.toStdString() : std::string();
}

/// "peak memory <= 73.2 GiB", where the words read back as what the file says; else as it does.
QString SearchSpaceEdit::limitWords(const Json& limit) const {
    const std::string pointer = limit["pointer"].get<std::string>();
    const Json& value = limit["value"];
    const QString name = figureName(pointer), words = value.is_number() ? figureWords(pointer, value) : QString();
    const auto read = figureFromText(words);
    const bool same = read && std::abs(*read - value.get<double>()) <= 1e-9 * std::abs(value.get<double>());
    return (figureCalled(name) == pointer ? name : QString::fromStdString(pointer)) + u' ' + QString::fromStdString(limit["op"].get<std::string>()) + u' ' + (same ? words : QString::fromStdString(value.dump()));
}

bool SearchSpaceEdit::readConstraints(Json& search) {
    static const QRegularExpression form(QStringLiteral("^(\\S.*?)\\s*(<=|>=|==|!=|<|>|≤|≥)\\s*(\\S.*)$"));
    Json list = Json::array();
    bool sound = true;
    for (const QString& part : constraints_->text().split(u';', Qt::SkipEmptyParts)) {
        if (part.trimmed().isEmpty()) continue;
        const QRegularExpressionMatch match = form.match(part.trimmed());
        const std::string pointer = figureCalled(match.captured(1));
        // In the units that figures are shown in, or as the file writes it.
        const auto figure = figureFromText(match.captured(3));
        const Json value = figure ? Json(*figure) : Json::parse(match.captured(3).toStdString(), nullptr, false);
        QString sign = match.captured(2);
        if (sign == QStringLiteral("≤")) sign = QStringLiteral("<=");
        if (sign == QStringLiteral("≥")) sign = QStringLiteral(">=");
        if (!match.hasMatch() || pointer.empty() || value.is_discarded()) sound = false;
        else list.push_back({{"pointer", pointer}, {"op", sign.toStdString()}, {"value", value}});
    }
    constraints_->setToolTip(sound ? tr("What every plan must satisfy: figure, comparison, value; several with semicolons between. A plan must fit the memory in any case.")
                                   : tr("A constraint is written as figure, comparison, value, such as peak memory <= 70 GiB."));
    constraints_->setStyleSheet(sound ? QString() : QStringLiteral("border: 1px solid %1;").arg(context_.theme().colors().error.name()));
    if (!list.empty()) search["constraints"] = std::move(list);
    return sound;
}

std::optional<Json> SearchSpaceEdit::search() {
    Json vary = Json::object();
    bool sound = true;
    for (KeyEdit* edit : keys_) {
        edit->setProblem({});
        const std::string key = edit->key().toStdString(), values = edit->values().toStdString();
        if (key.empty() && values.empty()) continue;
        Problems problems;
        const auto parsed = values.empty() ? std::nullopt : parseValues(values, mostValues, problems);
        if (!key.starts_with('/')) edit->setProblem(tr("No field of the form is called so. Choose one of those that are offered."));
        else if (values.empty()) edit->setProblem(tr("Give the values to try, such as 1,2,4."));
        else if (!parsed) edit->setProblem(QString::fromStdString(problems.front().message + " " + problems.front().mend));
        else if (vary.contains(key)) edit->setProblem(tr("This key is varied twice. Name another."));
        if (!edit->problem().isEmpty()) {
            sound = false;
            continue;
        }
        Json list = Json::array();
        for (const BoxedJson& value : *parsed) list.push_back(*value);
        vary[key] = std::move(list);
    }
    Json search{{"vary", std::move(vary)}};
    const auto aim = [](const QComboBox* direction, const MeasureBox* measure) { return Json{{direction->currentIndex() == 1 ? "maximize" : "minimize", measure->asked()}}; };
    search["objective"] = aim(direction_, objective_);
    search["pareto"] = aim(secondDirection_, second_);
    if (!readConstraints(search)) sound = false;
    if (!sound || search["vary"].empty()) return std::nullopt;
    return search;
}

void SearchSpaceEdit::refreshMeasures(const std::vector<Measure>& measures) {
    const QScopedValueRollback<bool> guard(setting_, true);
    measures_ = measures;
    objective_->setMeasures(measures);
    second_->setMeasures(measures);
}

void SearchSpaceEdit::setKeyProblem(const QString& pointer, const QString& sentence) {
    for (KeyEdit* edit : keys_)
        if (edit->key() == pointer) return edit->setProblem(sentence);
    if (!keys_.empty()) keys_.front()->setProblem(sentence);
}

} // namespace orrery
