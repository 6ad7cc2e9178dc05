// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/format.hpp"
#include "widgets/headline/figure_maker.hpp"

#include <QCoreApplication>
#include <algorithm>

namespace orrery {
namespace {

class RlFigures : FigureMaker {
    Q_DECLARE_TR_FUNCTIONS(FigureMaker)

public:
    RlFigures(const Result& result, const Result* baseline, const QString& baselineName)
        : FigureMaker(&result, baseline, baselineName), report_(*result.rl()), before_(baseline != nullptr && baseline->rl() != nullptr && baseline->rl()->ran ? baseline->rl() : nullptr) {}

    std::vector<Figure> make() const {
        return {step(),
                rate("/answers_per_s", tr("Answers/s"), tr("Answers of a step over its time."), &RlReport::answersPerSecond),
                rate("/output_tokens_per_s", tr("Output tokens/s"), tr("Generated tokens of a step over its time."), &RlReport::outputTokensPerSecond),
                part(RlPart::rollout, tr("Rollout"), tr("From a step's first prompt to its last answer.")),
                part(RlPart::training, tr("Training"), tr("The iterations on a step's answers.")),
                part(RlPart::sync, tr("New weights"), tr("How long the new weights take to the engines.")),
                peakMemory()};
    }

private:
    Figure unknown(Figure figure) const {
        figure.number = QStringLiteral("–");
        figure.detail = tr("not every prompt is answered");
        return figure;
    }

    void setTime(Figure& figure, double seconds) const {
        const Readable readable = readableTime(seconds);
        figure.number = readable.number;
        figure.unit = readable.unit;
    }

    Figure step() const {
        Figure figure = titled("/iteration_time_s", tr("Step time"), tr("One step of the loop: all that it waits for."));
        if (!report_.ran) return unknown(figure);
        setTime(figure, report_.stepTime);
        const double idle = std::max(report_.rolloutIdle, report_.trainingIdle);
        figure.detail = idle < 0.005 ? tr("nobody waits") : tr("idle: rollout %1, training %2").arg(readablePercent(report_.rolloutIdle).text(), readablePercent(report_.trainingIdle).text());
        compare(figure, report_.stepTime, before_ != nullptr ? std::optional(before_->stepTime) : std::nullopt, true);
        return figure;
    }

    Figure rate(const char* pointer, const QString& title, const QString& meaning, double RlReport::*member) const {
        Figure figure = titled(pointer, title, meaning);
        if (!report_.ran) return unknown(figure);
        const double value = report_.*member;
        figure.number = grouped(value, value < 10 ? 2 : 0);
        compare(figure, value, before_ != nullptr ? std::optional(before_->*member) : std::nullopt, false);
        return figure;
    }

    Figure part(RlPart which, const QString& title, const QString& meaning) const {
        const std::string pointer = "/parts_s/" + std::string(toString(which));
        Figure figure = titled(pointer.c_str(), title, meaning);
        if (!report_.ran) return unknown(figure);
        setTime(figure, report_.of(which));
        const double waited = report_.waited[static_cast<std::size_t>(which)];
        figure.detail = waited > 0 || report_.of(which) <= 0 ? tr("%1 of the step").arg(readablePercent(waited / report_.stepTime).text()) : tr("beside what takes longer");
        compare(figure, report_.of(which), before_ != nullptr ? std::optional(before_->of(which)) : std::nullopt, true);
        return figure;
    }

    const RlReport& report_;
    const RlReport* before_;
};

} // namespace

std::vector<Figure> rlFigures(const Result& result, const Result* baseline, const QString& baselineName) {
    return RlFigures(result, baseline, baselineName).make();
}

} // namespace orrery
