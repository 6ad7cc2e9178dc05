// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/live/extension/live_work.hpp"

#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/engine.h>
#include <torch/csrc/autograd/graph_task.h>

#include <ctime>
#include <stdexcept>
#include <utility>

namespace orrery::live {
namespace {

thread_local std::int64_t leftAt = -1;

std::int64_t threadTime() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

} // namespace

std::int64_t computeSinceLeft() { return leftAt < 0 ? 0 : threadTime() - leftAt; }
void leaveGroup() { leftAt = threadTime(); }

LiveWork::LiveWork(std::shared_ptr<Connection> connection, std::uint64_t operation, int rank, c10d::OpType type, std::vector<at::Tensor> outputs, Take take)
    : Work(rank, type), connection_(std::move(connection)), operation_(operation), outputs_(std::move(outputs)), take_(std::move(take)) {}

void LiveWork::tellWait() {
    bool urgent = false;
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (std::exchange(waitTold_, true)) return;
        urgent = !completed_;
    }
    WireWriter writer(WireMessage::wait);
    writer.put(operation_).put(computeSinceLeft());
    connection_->send(writer, {}, urgent);
}

bool LiveWork::wait(std::chrono::milliseconds) {
    tellWait();
    std::unique_lock<std::mutex> lock(mutex_);
    cv_.wait(lock, [&] { return completed_; }); // no timeout: the coordinator knows when nobody can come any more
    const std::exception_ptr problem = exception_;
    lock.unlock();
    leaveGroup();
    if (problem) std::rethrow_exception(problem);
    return true;
}

c10::intrusive_ptr<c10::ivalue::Future> LiveWork::getFuture() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (future_) return future_;
        future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()));
    }
    settleFuture();
    // Who waits for a future is not seen. One handed out within a backward (to DDP's reducer) is awaited at its end, by a callback of ours that
    // runs before the reducer's own; one handed out elsewhere counts as awaited here.
    if (torch::autograd::get_current_graph_task_exec_info() != nullptr) {
        const auto self = c10::intrusive_ptr<LiveWork>::reclaim_copy(this);
        torch::autograd::Engine::get_default_engine().queue_callback([self] {
            self->tellWait();
            leaveGroup();
        });
    } else {
        tellWait();
    }
    return future_;
}

void LiveWork::settleFuture() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!completed_ || !future_ || std::exchange(futureSettled_, true)) return;
    }
    if (exception_) future_->setError(exception_);
    else future_->markCompleted(c10::IValue(outputs_));
}

void LiveWork::complete(const Given& given) {
    try {
        const at::NoGradGuard noGradients;
        source_ = given.source;
        if (take_) take_(given);
        take_ = nullptr;
    } catch (const std::exception& error) {
        return fail(error.what());
    }
    finish();
    settleFuture();
}

void LiveWork::fail(const std::string& why) {
    finish(std::make_exception_ptr(std::runtime_error(why)));
    settleFuture();
}

} // namespace orrery::live
