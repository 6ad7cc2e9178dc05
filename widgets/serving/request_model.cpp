// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/serving/request_model.hpp"

#include "core/order/serving/serving_metrics.hpp"
#include "widgets/common/format.hpp"
#include "widgets/serving/serving_values.hpp"

#include <algorithm>

namespace orrery {

void RequestModel::setResult(ResultPtr result) {
    beginResetModel();
    result_ = std::move(result);
    endResetModel();
}

int RequestModel::rowCount(const QModelIndex& parent) const {
    const ServingReport* served = report();
    return parent.isValid() || served == nullptr || !served->requests ? 0 : static_cast<int>(std::min(served->records.size(), served->requests->requests.size()));
}

int RequestModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : columnTotal; }

double RequestModel::value(std::size_t request, int column) const {
    const RequestRecord& record = report()->records[request];
    const Request& asked = report()->requests->requests[request];
    switch (column) {
    case numberColumn: return static_cast<double>(request);
    case arrivalColumn: return record.arrival;
    case promptColumn: return asked.input;
    case answerColumn: return asked.output;
    case queueColumn: return record.admitted < 0 ? -1 : record.queued;
    case ttftColumn: return record.firstToken < 0 ? -1 : record.firstToken - record.arrival;
    case tpotColumn: return tpotOf(asked, record).value_or(-1);
    case e2eColumn: return record.isCompleted() ? record.finish - record.arrival : -1;
    case preemptionsColumn: return record.preemptions;
    case instanceColumn: return record.instance >= 0 ? record.instance : record.prefillInstance;
    default: return 0;
    }
}

QString RequestModel::text(std::size_t request, int column) const {
    const double number = value(request, column);
    switch (column) {
    case numberColumn: return QStringLiteral("r") + QString::number(request);
    case arrivalColumn: return Readable{grouped(number, 3), QStringLiteral("s")}.text();
    case promptColumn:
    case answerColumn:
    case preemptionsColumn: return grouped(number);
    case instanceColumn: return number < 0 ? QString(QChar(0x2013)) : grouped(number);
    case e2eColumn:
        if (report()->records[request].rejection != Rejection::none) return tr("rejected");
        break;
    default: break;
    }
    return number < 0 ? QString(QChar(0x2013)) : readableTime(number).text();
}

QVariant RequestModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto request = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole: return text(request, index.column());
    case Qt::UserRole: return value(request, index.column());
    case Qt::TextAlignmentRole: return QVariant::fromValue(index.column() == numberColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
    }
}

QVariant RequestModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) return QVariant::fromValue(section == numberColumn ? Qt::AlignLeft | Qt::AlignVCenter : Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case queueColumn: return tr("How long it waited for a place");
        case ttftColumn: return tr("From its arrival to its first token");
        case tpotColumn: return tr("Mean time between two tokens after the first");
        case e2eColumn: return tr("From its arrival to its last token");
        case preemptionsColumn: return tr("How often its blocks were taken from it");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case numberColumn: return tr("Request");
    case arrivalColumn: return tr("Arrival");
    case promptColumn: return tr("Prompt");
    case answerColumn: return tr("Answer");
    case queueColumn: return tr("Queue");
    case ttftColumn: return tr("TTFT");
    case tpotColumn: return tr("TPOT");
    case e2eColumn: return tr("E2E");
    case preemptionsColumn: return tr("Preempted");
    case instanceColumn: return tr("Instance");
    default: return {};
    }
}

} // namespace orrery
