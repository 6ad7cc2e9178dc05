// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/order/requests/sessions.hpp"

#include "core/order/requests/random_stream.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace orrery {
namespace {

constexpr int wordSize = 16; ///< tokens that one hash names: a block of most engines

bool isOne(const LengthLaw& law) { return law.kind == LengthKind::constant && law.mean <= 1; }

double meanTurns(const LengthLaw& law) {
    return law.kind == LengthKind::uniform || law.kind == LengthKind::zipf ? (double(law.least) + law.most) / 2 : std::clamp(law.mean, double(law.least), double(law.most));
}

/// Turns of one session after another are put at the end of a list.
class TurnWriter {
public:
    TurnWriter(RequestList& list, const RequestLaw& law)
        : list_(list), sessions_(*law.sessions), turns_(sessions_.turns), branchTurns_(sessions_.branchTurns), input_(sessions_.turnInput.value_or(law.input)), output_(law.output), shared_(law.sharedPrefix),
          turnDraws_(law.seed, 4), inputDraws_(law.seed, 5), outputDraws_(law.seed, 6), newest_(static_cast<std::uint64_t>(law.sharedPrefix / wordSize)) {}

    void addSession(int first) {
        Said said;
        for (int word = 0; word < shared_ / wordSize; ++word) said.words.push_back(static_cast<std::uint64_t>(word) + 1);
        const Request& begun = list_.requests[static_cast<std::size_t>(first)];
        if (begun.input < shared_) said.words.resize(static_cast<std::size_t>(begun.input / wordSize));
        hash(first, said);
        std::vector<int> before{first};
        const Said fork{std::vector<std::uint64_t>(said.words.begin(), said.words.begin() + said.tokens / wordSize), said.tokens};
        for (int branch = 0; branch < sessions_.branches; ++branch) {
            Said own = fork;
            before.push_back(addTurns(first, std::max(1, branchTurns_.draw(turnDraws_)), own));
        }
        const int more = std::max(1, turns_.draw(turnDraws_)) - 1;
        if (more < 1) return;
        const int second = addTurn(said);
        for (const int one : before) list_.follows.push_back({one, second, one == first ? sessions_.toolWait : 0});
        addTurns(second, more - 1, said);
    }

private:
    struct Said {
        std::vector<std::uint64_t> words; ///< hashes of what was said, in `wordSize` tokens each
        int tokens = 0;
    };

    void hash(int request, Said& said) {
        Request& turn = list_.requests[static_cast<std::size_t>(request)];
        said.tokens = turn.input + turn.output;
        while (static_cast<int>(said.words.size()) * wordSize < said.tokens) said.words.push_back(++newest_);
        turn.hashes = said.words;
    }

    int addTurn(Said& said) {
        Request turn;
        turn.input = said.tokens + input_.draw(inputDraws_);
        turn.output = output_.draw(outputDraws_);
        list_.requests.push_back(std::move(turn));
        const int number = static_cast<int>(list_.requests.size()) - 1;
        hash(number, said);
        return number;
    }

    /// So many turns behind `last`; gives the newest.
    int addTurns(int last, int count, Said& said) {
        for (; count > 0; --count) {
            const int turn = addTurn(said);
            list_.follows.push_back({last, turn, sessions_.toolWait});
            last = turn;
        }
        return last;
    }

    RequestList& list_;
    const SessionLaw& sessions_;
    LengthSource turns_, branchTurns_, input_, output_;
    int shared_;
    RandomStream turnDraws_, inputDraws_, outputDraws_;
    std::uint64_t newest_; ///< hash
};

} // namespace

bool hasTurns(const SessionLaw& sessions) { return sessions.branches > 0 || !isOne(sessions.turns); }

double requestsOfSession(const SessionLaw& sessions) { return meanTurns(sessions.turns) + sessions.branches * meanTurns(sessions.branchTurns); }

void addTurns(RequestList& list, const RequestLaw& law) {
    list.hashBlockSize = wordSize;
    list.answersHashed = true;
    const std::size_t first = list.requests.size();
    TurnWriter writer(list, law);
    for (std::size_t session = 0; session < first; ++session) writer.addSession(static_cast<int>(session));
    list.followers = static_cast<int>(list.requests.size() - first);
}

} // namespace orrery
