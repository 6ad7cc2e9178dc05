// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/desktop/learn/lesson_judging.hpp"

#include "app/desktop/background/background_task.hpp"
#include "core/base/json.hpp"
#include "resources/shipped_catalog.hpp"

#include <exception>
#include <mutex>
#include <utility>

namespace orrery {
namespace {

/// A fault in the program is told as one, and the lesson goes on.
StepVerdict verdictOf(const LessonStep& step, const Json& scenario, const std::optional<BoxedJson>& answer) {
    try {
        return judgeStep(step, scenario, answer, shippedCatalog()); // what lessons are written for
    } catch (const std::exception& fault) {
        StepVerdict verdict;
        Problem problem;
        problem.code = "internal-fault";
        problem.message = std::string("Orrery itself failed while judging: ") + fault.what();
        verdict.refused.push_back(std::move(problem));
        return verdict;
    }
}

} // namespace

struct LessonJudging::Address {
    std::mutex mutex;
    LessonJudging* receiver = nullptr; ///< null: gone
};

LessonJudging::LessonJudging(QObject* parent) : QObject(parent), address_(std::make_shared<Address>()) { address_->receiver = this; }

LessonJudging::~LessonJudging() {
    const std::lock_guard lock(address_->mutex);
    address_->receiver = nullptr;
}

void LessonJudging::submit(const LessonStep& step, const BoxedJson& scenario, const std::optional<BoxedJson>& answer) {
    const quint64 generation = ++generation_;
    // The thread may outlive the window: it owns all it uses.
    backgroundThread([address = address_, generation, step, scenario, answer](const std::stop_token&) {
        StepVerdict verdict = verdictOf(step, scenario, answer);
        const std::lock_guard lock(address->mutex);
        LessonJudging* receiver = address->receiver;
        if (receiver) deliverIfNewest(*receiver, receiver->generation_, generation, [receiver, verdict = std::move(verdict)] { emit receiver->judged(verdict); });
    }).detach();
}

} // namespace orrery
