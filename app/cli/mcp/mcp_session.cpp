// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/mcp/mcp_session.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <istream>
#include <memory>
#include <mutex>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace orrery {
namespace {

/// Calls that may wait. A client that sends more is not read until some are answered.
constexpr std::size_t mostWaiting = 1000;

/// A line, without its end, from a stream that may hold one without end: of that, one byte more than a message may have. False at the end of the input.
bool readLine(std::istream& in, std::string& line) {
    line.clear();
    std::streambuf& buffer = *in.rdbuf();
    constexpr int end = std::char_traits<char>::eof();
    bool any = false;
    for (int c = buffer.sbumpc(); c != end; c = buffer.sbumpc()) {
        any = true;
        if (c == '\n') return true;
        if (line.size() <= McpServer::mostLine) line += static_cast<char>(c);
    }
    return any;
}

bool callsATool(const Json& message) {
    if (message.is_array()) return std::any_of(message.begin(), message.end(), [](const Json& one) { return callsATool(one); });
    return message.is_object() && message.value("method", Json()) == "tools/call" && message.contains("id");
}

/// The request that a notification takes back; null: it takes none back.
Json takenBack(const Json& message) {
    if (!message.is_object() || message.value("method", Json()) != "notifications/cancelled" || message.contains("id")) return nullptr;
    const Json parameters = message.value("params", Json());
    return parameters.is_object() ? parameters.value("requestId", Json()) : Json();
}

/// Requests of one line, and who may stop them.
struct Call {
    Json message;
    std::vector<Json> cancelled; ///< ids
    std::stop_source stop;

    bool asks(const Json& id) const {
        const auto is = [&](const Json& one) { return one.is_object() && one.value("id", Json()) == id; };
        return message.is_array() ? std::any_of(message.begin(), message.end(), is) : is(message);
    }
    bool isCancelled(const Json& id) const { return std::find(cancelled.begin(), cancelled.end(), id) != cancelled.end(); }
    /// The answer without those that were taken back.
    std::optional<Json> left(std::optional<Json> answer) const {
        if (!answer || cancelled.empty()) return answer;
        if (!answer->is_array()) return isCancelled(answer->value("id", Json())) ? std::nullopt : std::move(answer);
        Json kept = Json::array();
        for (Json& one : *answer)
            if (!isCancelled(one.value("id", Json()))) kept.push_back(std::move(one));
        return kept.empty() ? std::nullopt : std::optional(std::move(kept));
    }
};

class Session {
public:
    Session(const McpServer& server, std::ostream& out) : server_(server), out_(out), worker_([this] { work(); }) {}
    ~Session() {
        {
            const std::lock_guard lock(one_);
            isOver_ = true;
            if (!out_.good()) abandon();
        }
        changed_.notify_all();
        worker_.join();
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    /// False: nobody reads the answers any more.
    bool take(const std::string& line) {
        std::optional<Json> answer;
        try {
            std::optional<Json> message = McpServer::messageIn(line, answer);
            if (message && callsATool(*message)) {
                queue(std::move(*message));
            } else if (message) {
                for (const Json& each : message->is_array() ? *message : Json::array({*message}))
                    if (const Json id = takenBack(each); !id.is_null()) cancel(id);
                answer = server_.answerTo(*message);
            }
        } catch (const std::exception& fault) { // no memory for so large a message
            answer = McpServer::faultOf(fault);
        }
        return write(answer);
    }

private:
    /// Nobody wants the answers: `one_` is held.
    void abandon() {
        waiting_.clear();
        if (running_) running_->stop.request_stop();
    }

    void queue(Json message) {
        std::unique_lock lock(one_);
        changed_.wait(lock, [&] { return waiting_.size() < mostWaiting; });
        waiting_.push_back(std::make_shared<Call>());
        waiting_.back()->message = std::move(message);
        changed_.notify_all();
    }

    void cancel(const Json& id) {
        const std::lock_guard lock(one_);
        std::vector<std::shared_ptr<Call>> calls(waiting_.begin(), waiting_.end());
        if (running_) calls.push_back(running_);
        for (const std::shared_ptr<Call>& call : calls) {
            if (!call->asks(id)) continue;
            call->cancelled.push_back(id);
            if (!call->message.is_array()) call->stop.request_stop(); // the others of a batch are still wanted
        }
    }

    bool write(const std::optional<Json>& answer) {
        const std::string text = answer ? McpServer::lineOf(*answer) : std::string();
        const std::lock_guard lock(writing_);
        if (answer) out_ << text << '\n'
                         << std::flush;
        return out_.good();
    }

    void work() {
        std::unique_lock lock(one_);
        for (;;) {
            changed_.wait(lock, [&] { return isOver_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            running_ = std::move(waiting_.front());
            waiting_.pop_front();
            changed_.notify_all();
            const std::shared_ptr<Call> call = running_;
            lock.unlock();
            std::optional<Json> answer;
            try {
                if (!call->stop.stop_requested()) answer = server_.answerTo(call->message, call->stop.get_token());
            } catch (const std::exception& fault) {
                answer = McpServer::faultOf(fault);
            }
            lock.lock();
            running_.reset();
            answer = call->left(std::move(answer));
            lock.unlock();
            write(answer);
            lock.lock();
        }
    }

    const McpServer& server_;
    std::ostream& out_;
    std::mutex writing_; ///< of `out_`
    std::mutex one_;     ///< of what follows
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Call>> waiting_;
    std::shared_ptr<Call> running_; ///< null: none
    bool isOver_ = false;
    std::thread worker_;
};

} // namespace

void serve(const McpServer& server, std::istream& in, std::ostream& out) {
    Session session(server, out);
    std::string line;
    while (readLine(in, line) && session.take(line)) {}
}

} // namespace orrery
