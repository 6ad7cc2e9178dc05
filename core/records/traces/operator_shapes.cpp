// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/traces/operator_shapes.hpp"

#include "core/base/json.hpp"

#include <charconv>

namespace orrery {
namespace {

/// The types, each with a comma behind it; those of a list of tensors stand in brackets or are one word for all.
std::vector<std::string> wordsOf(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (comma == std::string_view::npos) break;
        std::string word(text.substr(0, comma));
        std::erase(word, '[');
        std::erase(word, ']');
        words.push_back(std::move(word));
        text.remove_prefix(comma + 1);
    }
    return words;
}

/// Reads "[16,559,][[2,],[3,],][]": a list in brackets is a shape, one that holds lists is a list of tensors.
class ShapeReader {
public:
    explicit ShapeReader(std::string_view text) : rest_(text) {}

    std::vector<ArgumentShape> arguments(const std::vector<std::string>& types) {
        std::vector<ArgumentShape> list;
        while (!rest_.empty()) {
            const std::string type = list.size() < types.size() ? types[list.size()] : std::string();
            ArgumentShape argument;
            if (rest_.front() == '[') {
                if (!readList(argument, 0)) break;
            } else {
                skipScalar();
            }
            const bool scalar = type == "Scalar" || type.empty() || type == "ScalarList";
            if (argument.size() == 1 && argument.front().dimensions.empty() && scalar) argument.clear(); // no tensor has an empty shape and no type
            for (TensorShape& tensor : argument) tensor.type = type;
            list.push_back(std::move(argument));
        }
        return list;
    }

private:
    static constexpr int deepest = 8;

    void skipScalar() {
        const std::size_t comma = rest_.find(',');
        rest_.remove_prefix(comma == std::string_view::npos ? rest_.size() : comma + 1);
    }
    bool readList(ArgumentShape& argument, int depth) {
        if (depth > deepest) return false;
        rest_.remove_prefix(1);
        TensorShape tensor;
        bool holdsLists = false;
        while (!rest_.empty() && rest_.front() != ']') {
            if (rest_.front() == '[') {
                holdsLists = true;
                if (!readList(argument, depth + 1)) return false;
                continue;
            }
            std::int64_t length = 0;
            const auto [end, wrong] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), length);
            if (wrong != std::errc() || length < 0) return false;
            tensor.dimensions.push_back(length);
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            if (rest_.empty() || rest_.front() != ',') return false;
            rest_.remove_prefix(1);
        }
        if (rest_.empty()) return false;
        rest_.remove_prefix(1);
        if (!holdsLists) argument.push_back(std::move(tensor));
        return true;
    }

    std::string_view rest_;
};

/// A list as it is kept, as JSON.
std::string listJson(std::string_view text, bool words) {
    std::string json = "[";
    std::size_t at = 0;
    const auto separate = [&] {
        if (json.back() != '[') json += ',';
    };
    while (at < text.size()) {
        if (text[at] == '[' || text[at] == ']') {
            if (text[at] == '[') separate();
            json += text[at++];
            continue;
        }
        std::size_t comma = text.find(',', at);
        if (comma == std::string_view::npos) comma = text.size();
        const std::string word(text.substr(at, comma - at));
        separate();
        std::int64_t number = 0;
        const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), number);
        const bool whole = !words && wrong == std::errc() && end == word.data() + word.size();
        json += whole ? word : Json(word).dump(-1, ' ', false, Json::error_handler_t::replace);
        at = comma + 1;
    }
    return json + ']';
}

} // namespace

std::vector<ArgumentShape> argumentShapes(std::string_view text) {
    const std::size_t bar = text.find('|');
    return ShapeReader(text.substr(0, bar)).arguments(wordsOf(bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1)));
}

std::string shapesText(std::string_view text) {
    const std::size_t bar = text.find('|');
    return R"("Input Dims":)" + listJson(text.substr(0, bar), false) + R"(,"Input type":)" + listJson(bar == std::string_view::npos ? std::string_view() : text.substr(bar + 1), true);
}

} // namespace orrery
