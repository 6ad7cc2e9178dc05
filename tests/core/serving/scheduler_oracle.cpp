// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/serving/scheduler_oracle.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

namespace orrery::test {

namespace {

using Tokens = std::vector<long long>;

struct BookBlock {
    int references = 0;
    Tokens holds; ///< all tokens up to the block's end; empty: nothing to be found
};
using BookBlockPtr = std::shared_ptr<BookBlock>;

struct BookRequest {
    int number = 0;
    Tokens tokens; ///< the prompt, then what has been generated
    int prompt = 0, output = 0, priority = 0;
    double arrival = 0;
    int computed = 0;
    std::vector<BookBlockPtr> blocks;
    int cachedBlocks = 0;
    int generated() const { return static_cast<int>(tokens.size()) - prompt; }
};

class Book {
public:
    Book(const RequestList& requests, const EngineSettings& engine) : engine_(engine) {
        for (int i = 0; i < engine.blocks; ++i) free_.push_back(std::make_shared<BookBlock>());
        for (std::size_t i = 0; i < requests.requests.size(); ++i) {
            const Request& given = requests.requests[i];
            BookRequest request;
            request.number = static_cast<int>(i);
            request.prompt = given.input;
            request.output = given.output;
            request.priority = given.priority;
            request.arrival = given.arrival;
            for (int token = 0; token < given.input; ++token) {
                const auto block = static_cast<std::size_t>(token / requests.hashBlockSize);
                const bool isNamed = block < given.hashes.size();
                request.tokens.push_back(isNamed ? static_cast<long long>(given.hashes[block]) * 1000 + token % requests.hashBlockSize : ownToken(request));
            }
            all_.push_back(request);
        }
    }

    std::vector<OracleStep> run(const StepClock& clock) {
        std::vector<OracleStep> steps;
        double now = 0;
        std::size_t next = 0;
        while (true) {
            while (next < all_.size() && all_[next].arrival <= now) arrive(static_cast<int>(next++));
            if (running_.empty() && waiting_.empty()) {
                if (next == all_.size()) break;
                now = all_[next].arrival;
                continue;
            }
            OracleStep step = schedule();
            std::vector<int> preempted = step.preempted;
            while (step.scheduled.empty() && !step.preempted.empty()) { // everybody in the plan lost their place: an empty step takes no time
                step = schedule();
                preempted.insert(preempted.end(), step.preempted.begin(), step.preempted.end());
            }
            step.preempted = preempted;
            step.start = now;
            if (step.scheduled.empty()) break; // stuck: the test finds it
            now += engine_.hostSeconds + clock.seconds(batchOf(step));
            update(step);
            steps.push_back(step);
        }
        return steps;
    }

private:
    long long ownToken(const BookRequest& request) const { return -(request.number + 1) * 100000LL - static_cast<long long>(request.tokens.size()); }
    BookRequest& at(int number) { return all_[static_cast<std::size_t>(number)]; }
    int blocksOf(int tokens) const { return (tokens + engine_.blockSize - 1) / engine_.blockSize; }

    void arrive(int number) {
        const BookRequest& request = at(number);
        if (request.prompt + request.output > engine_.maxModelLength) return;
        if (blocksOf(request.prompt + request.output - 1) > engine_.blocks) return;
        if (!engine_.chunkedPrefill && request.prompt > engine_.maxBatchedTokens) return;
        waiting_.push_back(number);
        sortWaiting();
    }
    void sortWaiting() {
        if (engine_.order == QueueOrder::fcfs) return;
        std::sort(waiting_.begin(), waiting_.end(), [&](int a, int b) { return std::make_tuple(at(a).priority, at(a).arrival, a) < std::make_tuple(at(b).priority, at(b).arrival, b); });
    }

    /// The tokens up to the end of a block.
    Tokens upTo(const BookRequest& request, int block) const { return {request.tokens.begin(), request.tokens.begin() + (block + 1) * engine_.blockSize}; }

    std::vector<BookBlockPtr> hitsOf(const BookRequest& request) {
        std::vector<BookBlockPtr> hits;
        if (!engine_.prefixCaching) return hits;
        const int most = (static_cast<int>(request.tokens.size()) - 1) / engine_.blockSize; // one token at least is computed
        for (int block = 0; block < most; ++block) {
            const auto found = cache_.find(upTo(request, block));
            if (found == cache_.end() || found->second.empty()) break;
            hits.push_back(found->second.front());
        }
        return hits;
    }

    /// False where too few blocks are free.
    bool allocate(BookRequest& request, int tokens, const std::vector<BookBlockPtr>& hits) {
        const int before = request.computed + static_cast<int>(hits.size()) * engine_.blockSize;
        const int fresh = blocksOf(before + tokens) - static_cast<int>(request.blocks.size() + hits.size());
        const auto unused = std::count_if(hits.begin(), hits.end(), [](const BookBlockPtr& block) { return block->references == 0; });
        if (fresh + static_cast<int>(unused) > static_cast<int>(free_.size())) return false;
        for (const BookBlockPtr& block : hits) {
            if (block->references++ == 0) free_.erase(std::find(free_.begin(), free_.end(), block));
            request.blocks.push_back(block);
            ++request.cachedBlocks;
        }
        for (int i = 0; i < fresh; ++i) {
            const BookBlockPtr block = free_.front();
            free_.pop_front();
            if (!block->holds.empty()) {
                std::vector<BookBlockPtr>& same = cache_[block->holds];
                same.erase(std::find(same.begin(), same.end(), block));
            }
            block->holds.clear();
            block->references = 1;
            request.blocks.push_back(block);
        }
        const int full = std::min(before + tokens, static_cast<int>(request.tokens.size())) / engine_.blockSize;
        for (; engine_.prefixCaching && request.cachedBlocks < full; ++request.cachedBlocks) {
            const BookBlockPtr& block = request.blocks[static_cast<std::size_t>(request.cachedBlocks)];
            block->holds = upTo(request, request.cachedBlocks);
            cache_[block->holds].push_back(block);
        }
        return true;
    }
    void free(BookRequest& request) {
        for (auto block = request.blocks.rbegin(); block != request.blocks.rend(); ++block)
            if (--(*block)->references == 0) free_.push_back(*block);
        request.blocks.clear();
        request.cachedBlocks = 0;
    }

    OracleStep schedule() {
        OracleStep step;
        int budget = engine_.maxBatchedTokens;
        std::size_t index = 0;
        while (index < running_.size() && budget > 0) {
            const int number = running_[index];
            BookRequest& request = at(number);
            const int tokens = std::min({static_cast<int>(request.tokens.size()) - request.computed, budget, engine_.maxModelLength - 1 - request.computed});
            if (tokens == 0) {
                ++index;
                continue;
            }
            bool isPlaced = allocate(request, tokens, {});
            while (!isPlaced) {
                auto victim = running_.end() - 1;
                if (engine_.order == QueueOrder::priority)
                    victim = std::max_element(running_.begin(), running_.end(), [&](int a, int b) { return std::make_pair(at(a).priority, at(a).arrival) < std::make_pair(at(b).priority, at(b).arrival); });
                const int loser = *victim;
                const bool isBefore = static_cast<std::size_t>(victim - running_.begin()) < index;
                running_.erase(victim);
                const auto planned = std::find_if(step.scheduled.begin(), step.scheduled.end(), [&](const auto& entry) { return entry.first == loser; });
                if (planned != step.scheduled.end()) {
                    budget += planned->second;
                    step.scheduled.erase(planned);
                }
                if (isBefore) --index;
                free(at(loser));
                at(loser).computed = 0;
                waiting_.push_front(loser);
                sortWaiting();
                step.preempted.push_back(loser);
                if (loser == number) break;
                isPlaced = allocate(request, tokens, {});
            }
            if (!isPlaced) break;
            step.scheduled.emplace_back(number, tokens);
            budget -= tokens;
            ++index;
        }
        while (step.preempted.empty() && !waiting_.empty() && budget > 0 && static_cast<int>(running_.size()) < engine_.maxSeqs) {
            const int number = waiting_.front();
            BookRequest& request = at(number);
            const std::vector<BookBlockPtr> hits = hitsOf(request);
            const int before = static_cast<int>(hits.size()) * engine_.blockSize;
            int tokens = static_cast<int>(request.tokens.size()) - before;
            const bool isAlone = step.scheduled.empty() && running_.empty(); // one that has grown beyond every step
            if (!engine_.chunkedPrefill && tokens > budget && !isAlone) break;
            if (engine_.chunkedPrefill) tokens = std::min(tokens, budget);
            if (!allocate(request, tokens, hits)) break;
            waiting_.pop_front();
            running_.push_back(number);
            request.computed = before;
            step.scheduled.emplace_back(number, tokens);
            budget -= tokens;
        }
        step.freeBlocks = static_cast<int>(free_.size());
        return step;
    }

    StepBatch batchOf(const OracleStep& step) {
        StepBatch batch;
        long long context = 0;
        for (const auto& [number, tokens] : step.scheduled) {
            const BookRequest& request = at(number);
            if (static_cast<int>(request.tokens.size()) - request.computed == 1) {
                ++batch.decodes;
                context += request.computed;
            } else {
                batch.prefills.push_back({tokens, request.computed});
            }
        }
        if (batch.decodes > 0) batch.decodeContext = static_cast<double>(context) / batch.decodes;
        return batch;
    }

    void update(OracleStep& step) {
        for (const auto& [number, tokens] : step.scheduled) {
            BookRequest& request = at(number);
            request.computed += tokens;
            if (request.computed < static_cast<int>(request.tokens.size())) continue;
            request.tokens.push_back(ownToken(request));
            if (request.generated() < request.output) continue;
            free(request);
            running_.erase(std::find(running_.begin(), running_.end(), number));
            step.finished.push_back(number);
        }
    }

    const EngineSettings& engine_;
    std::vector<BookRequest> all_;
    std::deque<int> waiting_;
    std::vector<int> running_;
    std::deque<BookBlockPtr> free_;
    std::map<Tokens, std::vector<BookBlockPtr>> cache_;
};

} // namespace

std::vector<OracleStep> vllmByTheBook(const RequestList& requests, const EngineSettings& engine, const StepClock& clock) { return Book(requests, engine).run(clock); }

} // namespace orrery::test
