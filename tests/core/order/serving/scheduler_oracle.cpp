// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/order/serving/scheduler_oracle.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>

namespace orrery::test {
namespace {

using Tokens = std::vector<long long>;

struct BookBlock {
    int references = 0, group = 0;
    Tokens holds; ///< all tokens up to the block's end; empty: nothing to be found
};
using BookBlockPtr = std::shared_ptr<BookBlock>;

struct BookRequest {
    int number = 0;
    Tokens tokens; ///< the prompt, then what has been generated
    int prompt = 0, output = 0, priority = 0;
    double arrival = 0;
    int computed = 0;
    std::vector<std::vector<BookBlockPtr>> blocks; ///< by group; null where the window has gone on
    int cachedBlocks = 0;
    int generated() const { return static_cast<int>(tokens.size()) - prompt; }
};

class Book {
public:
    Book(const RequestList& requests, const EngineSettings& engine, const OracleGroups& groups) : engine_(engine), groups_(groups) {
        for (int i = 0; i < engine.blocks * groupCount(); ++i) free_.push_back(std::make_shared<BookBlock>());
        for (std::size_t i = 0; i < requests.requests.size(); ++i) {
            const Request& given = requests.requests[i];
            BookRequest request;
            request.number = static_cast<int>(i);
            request.prompt = given.input;
            request.output = given.output;
            request.priority = given.priority;
            request.arrival = given.arrival;
            request.blocks.resize(static_cast<std::size_t>(groupCount()));
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

    int groupCount() const { return groups_.whole + groups_.windowed; }
    bool isWindowed(int group) const { return group >= groups_.whole; }
    /// Blocks that nobody who comes behind the first `computed` tokens sees any more.
    int skipped(int group, int computed) const {
        if (!isWindowed(group)) return 0;
        const int tokens = groups_.chunks ? computed / groups_.span * groups_.span : std::max(0, computed - groups_.span + 1);
        return tokens / engine_.blockSize;
    }
    /// Every step of one that is alone finds its pages. (A chunk is taken for a window: so many tokens it holds before it ends.)
    bool hasRoom(int tokens) const {
        const int step = engine_.chunkedPrefill ? engine_.maxBatchedTokens : tokens;
        for (int end = 1; end <= tokens; ++end) {
            const int behind = groups_.windowed > 0 ? std::max(0, std::max(0, end - step) - groups_.span + 1) / engine_.blockSize : 0;
            if (blocksOf(end) * groupCount() - behind * groups_.windowed > engine_.blocks * groupCount()) return false;
        }
        return true;
    }

    void arrive(int number) {
        const BookRequest& request = at(number);
        if (request.prompt + request.output > engine_.maxModelLength) return;
        if (!hasRoom(request.prompt + request.output - 1)) return;
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

    using Hits = std::vector<std::vector<BookBlockPtr>>; ///< by group, equally many
    BookBlockPtr cached(int group, const Tokens& tokens) const {
        const auto found = cache_.find({group, tokens});
        return found == cache_.end() || found->second.empty() ? nullptr : found->second.front();
    }
    /// The pages of a block in all groups of a kind; none where one lacks.
    std::vector<BookBlockPtr> cachedIn(int first, int last, const BookRequest& request, int block) const {
        std::vector<BookBlockPtr> pages;
        for (int group = first; group < last; ++group) {
            pages.push_back(cached(group, upTo(request, block)));
            if (!pages.back()) return {};
        }
        return pages;
    }
    Hits hitsOf(const BookRequest& request) {
        Hits hits(static_cast<std::size_t>(groupCount()));
        if (!engine_.prefixCaching) return hits;
        int length = (static_cast<int>(request.tokens.size()) - 1) / engine_.blockSize; // one token at least is computed
        if (groups_.whole > 0) {
            int full = 0;
            while (full < length && !cachedIn(0, groups_.whole, request, full).empty()) ++full;
            length = full;
        }
        int first = 0; // block that layers with windows need
        if (groups_.windowed > 0 && groups_.chunks) {
            // The chunk that goes on, from its first block to the first that lacks.
            first = skipped(groups_.whole, length * engine_.blockSize);
            int end = first;
            while (end < length && !cachedIn(groups_.whole, groupCount(), request, end).empty()) ++end;
            length = end;
        } else if (groups_.windowed > 0) {
            // The last run of as many blocks as a window takes, or the beginning of fewer.
            const int enough = (groups_.span - 1 + engine_.blockSize - 1) / engine_.blockSize;
            int run = 0, block = length - 1;
            for (; block >= 0 && run < enough; --block) run = cachedIn(groups_.whole, groupCount(), request, block).empty() ? 0 : run + 1;
            first = block + 1;
            length = first + run;
        }
        for (int group = 0; group < groupCount(); ++group)
            for (int block = 0; block < length; ++block)
                hits[static_cast<std::size_t>(group)].push_back(isWindowed(group) && block < first ? nullptr : cached(group, upTo(request, block)));
        return hits;
    }

    void release(const BookBlockPtr& page) {
        if (page && --page->references == 0) free_.push_back(page);
    }

    /// False where too few pages are free.
    bool allocate(BookRequest& request, int tokens, const Hits& hits) {
        for (int group = 0; group < groupCount(); ++group) {
            std::vector<BookBlockPtr>& own = request.blocks[static_cast<std::size_t>(group)];
            for (int block = std::min(static_cast<int>(own.size()), skipped(group, request.computed)) - 1; block >= 0 && own[static_cast<std::size_t>(block)]; --block) release(std::exchange(own[static_cast<std::size_t>(block)], nullptr));
        }
        const int before = request.computed + (hits.empty() ? 0 : static_cast<int>(hits.front().size())) * engine_.blockSize;
        std::vector<int> fresh;
        int needed = 0;
        for (std::size_t group = 0; group < request.blocks.size(); ++group) {
            fresh.push_back(blocksOf(before + tokens) - static_cast<int>(request.blocks[group].size() + (hits.empty() ? 0 : hits[group].size())));
            needed += fresh.back();
            if (!hits.empty()) needed += static_cast<int>(std::count_if(hits[group].begin(), hits[group].end(), [](const BookBlockPtr& page) { return page && page->references == 0; }));
        }
        if (needed > static_cast<int>(free_.size())) return false;
        for (std::size_t group = 0; group < hits.size(); ++group) {
            for (const BookBlockPtr& page : hits[group]) {
                if (page && page->references++ == 0) free_.erase(std::find(free_.begin(), free_.end(), page));
                request.blocks[group].push_back(page);
            }
            request.cachedBlocks = static_cast<int>(hits[group].size());
        }
        const int full = std::min(before + tokens, static_cast<int>(request.tokens.size())) / engine_.blockSize;
        for (std::size_t group = 0; group < request.blocks.size(); ++group) {
            for (int i = 0; i < fresh[group]; ++i) request.blocks[group].push_back(takePage());
            for (int block = request.cachedBlocks; engine_.prefixCaching && block < full; ++block) {
                const BookBlockPtr& page = request.blocks[group][static_cast<std::size_t>(block)];
                if (!page) continue;
                page->group = static_cast<int>(group);
                page->holds = upTo(request, block);
                cache_[{page->group, page->holds}].push_back(page);
            }
        }
        request.cachedBlocks = std::max(request.cachedBlocks, full);
        return true;
    }
    BookBlockPtr takePage() {
        const BookBlockPtr page = free_.front();
        free_.pop_front();
        if (!page->holds.empty()) {
            std::vector<BookBlockPtr>& same = cache_[{page->group, page->holds}];
            same.erase(std::find(same.begin(), same.end(), page));
        }
        page->holds.clear();
        page->references = 1;
        return page;
    }
    /// Block by block (vLLM: group by group), so that windows that nobody grows out of change nothing.
    void free(BookRequest& request) {
        for (std::size_t block = request.blocks.front().size(); block-- > 0;)
            for (const std::vector<BookBlockPtr>& own : request.blocks) release(own[block]);
        for (std::vector<BookBlockPtr>& own : request.blocks) own.clear();
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
            const Hits hits = hitsOf(request);
            const int before = static_cast<int>(hits.front().size()) * engine_.blockSize;
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
        step.freeBlocks = static_cast<int>(free_.size()) / groupCount();
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
    const OracleGroups groups_;
    std::vector<BookRequest> all_;
    std::deque<int> waiting_;
    std::vector<int> running_;
    std::deque<BookBlockPtr> free_;
    std::map<std::pair<int, Tokens>, std::vector<BookBlockPtr>> cache_;
};

} // namespace

std::vector<OracleStep> vllmByTheBook(const RequestList& requests, const EngineSettings& engine, const StepClock& clock, const OracleGroups& groups) {
    return Book(requests, engine, groups).run(clock);
}

} // namespace orrery::test
