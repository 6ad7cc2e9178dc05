// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/answers/validation/cases.hpp"

#include "core/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace orrery {
namespace {

constexpr const char* casesFormat = "orrery-cases/1";

/// A text that a case may do without.
std::string textOf(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

class Reader {
public:
    explicit Reader(Problems& problems) : problems_(problems) {}

    void fail(const std::string& code, const std::string& pointer, const std::string& message, const std::string& mend) {
        Problem problem;
        problem.code = code;
        problem.pointer = pointer;
        problem.message = message;
        problem.mend = mend;
        problems_.push_back(std::move(problem));
    }

    std::string text(const Json& object, const char* key, const std::string& pointer) {
        const auto found = object.find(key);
        if (found == object.end() || !found->is_string() || found->get_ref<const std::string&>().empty()) {
            fail("missing-key", pointer + "/" + key, std::string("A case needs a text \"") + key + "\".",
                 std::string("Add \"") + key + "\".");
            return {};
        }
        return found->get<std::string>();
    }

    MeasuredMemory memoryKind(const Json& object, const std::string& pointer) {
        const auto found = object.find("memory_kind");
        if (found == object.end() || found->is_null() || *found == "device") return MeasuredMemory::device;
        if (*found == "allocated") return MeasuredMemory::allocated;
        if (*found == "reserved") return MeasuredMemory::reserved;
        fail("unknown-value", pointer + "/memory_kind", "Unknown memory kind " + found->dump() + ".",
             "Use \"device\", \"allocated\" or \"reserved\".");
        return MeasuredMemory::device;
    }

    void measured(const Json& object, const std::string& pointer, MeasuredCase& into) {
        const auto found = object.find("measured");
        if (found == object.end() || !found->is_object() || found->empty()) {
            fail("missing-key", pointer + "/measured", "A case needs at least one measured value.",
                 "Add \"measured\": {\"iteration_time_s\": …}.");
            return;
        }
        for (const auto& [metric, value] : found->items()) {
            const std::string place = pointer + "/measured/" + metric;
            if (metric == "out_of_memory") {
                if (value.is_boolean()) into.outOfMemory = value.get<bool>();
                else fail("wrong-type", place, "out_of_memory is " + value.dump() + ".", "Write true or false.");
            } else if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() > 0) {
                into.measured.emplace_back(metric, value.get<double>());
            } else {
                fail("wrong-type", place, "The measured " + metric + " is " + value.dump() + ".",
                     "Write a number above 0.");
            }
        }
    }

private:
    Problems& problems_;
};

} // namespace

CasesReading readCases(const Json& document) {
    CasesReading reading;
    Reader reader(reading.problems);
    if (!document.is_object() || !document.contains("format") || document["format"] != casesFormat) {
        reader.fail("wrong-format", "/format", "This is no file of measured cases.",
                    std::string("Its \"format\" must be \"") + casesFormat + "\".");
        return reading;
    }
    const auto list = document.find("cases");
    if (list == document.end() || !list->is_array()) {
        reader.fail("missing-key", "/cases", "The file has no list of cases.", "Add \"cases\": […].");
        return reading;
    }
    std::set<std::string> ids;
    for (std::size_t index = 0; index < list->size(); ++index) {
        const Json& object = (*list)[index];
        const std::string pointer = "/cases/" + std::to_string(index);
        if (!object.is_object()) {
            reader.fail("wrong-type", pointer, "A case must be an object.", "Write {\"id\": …, \"scenario\": …}.");
            continue;
        }
        MeasuredCase one;
        one.id = reader.text(object, "id", pointer);
        one.group = reader.text(object, "group", pointer);
        one.scenario = object.value("scenario", Json());
        one.memoryKind = reader.memoryKind(object, pointer);
        reader.measured(object, pointer, one);
        one.source = textOf(object, "source");
        one.sourceUrl = textOf(object, "source_url");
        if (!one.id.empty() && !ids.insert(one.id).second) {
            reader.fail("duplicate-id", pointer + "/id", "Two cases have the id \"" + one.id + "\".", "Rename one.");
        }
        reading.cases.push_back(std::move(one));
    }
    return reading;
}

Problems layOverEngines(std::vector<MeasuredCase>& cases, const Json& document) {
    Problems problems;
    Reader reader(problems);
    const auto settings = document.is_object() ? document.find("settings") : document.end();
    if (!document.is_object() || settings == document.end() || !settings->is_object()) {
        reader.fail("wrong-format", "/settings", "The file has no settings by case.", "Write {\"settings\": {ID: {KEY: VALUE}}}.");
        return problems;
    }
    for (MeasuredCase& one : cases) {
        const auto own = settings->find(one.id);
        if (own == settings->end()) continue;
        if (!own->is_object()) {
            reader.fail("wrong-type", "/settings/" + one.id, "Settings of a case must be an object.", "Write {KEY: VALUE}.");
            continue;
        }
        Json scenario = *one.scenario;
        for (const auto& [key, value] : own->items()) {
            std::string pointer = "/workload/engine/" + key;
            std::replace(pointer.begin(), pointer.end(), '.', '/');
            scenario[Json::json_pointer(pointer)] = value;
        }
        one.scenario = std::move(scenario);
    }
    return problems;
}

} // namespace orrery
