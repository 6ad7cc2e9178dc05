// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/answers/lessons/lesson_judge.hpp"
#include "core/base/boxed_json.hpp"

#include <QObject>

#include <memory>
#include <optional>

namespace orrery {

/// Judges states of lessons beside the window: a step may ask for the best of several simulations. Only the newest is told.
class LessonJudging : public QObject {
    Q_OBJECT
public:
    explicit LessonJudging(QObject* parent = nullptr);
    ~LessonJudging() override; ///< waits for nothing: what is under way ends unheard

    void submit(const LessonStep& step, const BoxedJson& scenario, const std::optional<BoxedJson>& answer);
    void cancel() { ++generation_; } ///< what is under way is not told

signals:
    void judged(const orrery::StepVerdict& verdict);

private:
    struct Address; ///< where a verdict goes, as long as somebody is there
    std::shared_ptr<Address> address_;
    quint64 generation_ = 0; ///< owner's thread only
};

} // namespace orrery
