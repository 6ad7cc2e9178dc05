// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/live/extension/connection.hpp"

#include <torch/csrc/distributed/c10d/Work.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orrery::live {

/// ns of the calling thread's CPU time since it left the process group last; 0 in its first call.
std::int64_t computeSinceLeft();
/// The calling thread goes back to its own work.
void leaveGroup();

/// A call under way. What is done with the data of others is done by the thread that reads them.
class LiveWork final : public c10d::Work {
public:
    using Take = std::function<void(const Given&)>;

    LiveWork(std::shared_ptr<Connection> connection, std::uint64_t operation, int rank, c10d::OpType type, std::vector<at::Tensor> outputs, Take take);

    bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
    std::vector<at::Tensor> result() override { return outputs_; }
    int sourceRank() const override { return source_; }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override;

    void complete(const Given& given);
    void fail(const std::string& why);

private:
    void tellWait();
    void settleFuture();

    std::shared_ptr<Connection> connection_;
    std::uint64_t operation_;
    std::vector<at::Tensor> outputs_;
    Take take_;
    int source_ = -1;
    bool waitTold_ = false, futureSettled_ = false;
    c10::intrusive_ptr<c10::ivalue::Future> future_;
};

/// Tells a work what its connection hears.
class AwaitingWork final : public Awaiting {
public:
    explicit AwaitingWork(c10::intrusive_ptr<LiveWork> work) : work_(std::move(work)) {}
    void done(const Given& given) override { work_->complete(given); }
    void failed(const std::string& why) override { work_->fail(why); }

private:
    c10::intrusive_ptr<LiveWork> work_;
};

} // namespace orrery::live
