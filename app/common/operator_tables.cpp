// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/operator_tables.hpp"

#include "app/common/file_io.hpp"
#include "core/base/gzip.hpp"
#include "core/catalog/catalog.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>

namespace orrery {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largestTable = std::size_t(1) << 30; ///< bytes, unpacked

Problem problemWith(Severity severity, const std::string& file, std::string message, std::string mend) {
    Problem problem;
    problem.severity = severity;
    problem.code = "bad-operator-table";
    problem.file = file;
    problem.message = std::move(message);
    problem.mend = std::move(mend);
    return problem;
}

std::optional<std::string> readMaybeCompressed(const std::string& file, Problems& problems) {
    std::string reason;
    if (auto bytes = tryReadFile(file, reason, {.regularOnly = true, .most = largestTable})) {
        if (!isGzip(*bytes)) return bytes;
        if (auto text = inflateGzip(*bytes, reason, largestTable)) return text;
    }
    problems.push_back(problemWith(Severity::error, file, "Cannot read " + file + ": " + reason + ".", "Give a CSV file, compressed with gzip or not."));
    return std::nullopt;
}

std::vector<fs::path> sortedEntries(const fs::path& folder) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) entries.push_back(at->path());
    std::sort(entries.begin(), entries.end());
    return entries;
}

/// "gemm" of gemm.csv and gemm.csv.gz; empty for other files.
std::string tableName(const fs::path& file) {
    fs::path name = file.filename();
    if (name.extension() == ".gz") name = name.stem();
    return name.extension() == ".csv" ? name.stem().string() : "";
}

void asWarnings(Problems& problems, std::size_t from) {
    for (std::size_t i = from; i < problems.size(); ++i) problems[i].severity = Severity::warning;
}

SystemTables loadSystem(const fs::path& folder, const Accelerator& accelerator, Problems& problems) {
    SystemTables system;
    system.name = folder.filename().string();
    system.accelerator = &accelerator;
    for (const fs::path& file : sortedEntries(folder)) {
        const std::string name = tableName(file);
        if (name.empty()) continue;
        const auto kind = kernelKindFrom(name);
        if (!kind) {
            problems.push_back(problemWith(Severity::warning, file.string(), "No operator is called \"" + name + "\".", "Name the file after one of the reference tables."));
            continue;
        }
        const std::size_t before = problems.size();
        if (const auto text = readMaybeCompressed(file.string(), problems)) system.tables.push_back(readKernelTable(*kind, *text, file.string(), problems));
        asWarnings(problems, before);
    }
    return system;
}

bool holdsSystems(const fs::path& folder, const Catalog& catalog) {
    const auto entries = sortedEntries(folder);
    return std::any_of(entries.begin(), entries.end(), [&](const fs::path& entry) {
        std::error_code error;
        return fs::is_directory(entry, error) && acceleratorOfFolder(entry.filename().string(), catalog) != nullptr;
    });
}

/// Tables of one system that lie in several collections beside each other come together.
void loadSystems(const fs::path& folder, const Catalog& catalog, std::vector<SystemTables>& systems, Problems& problems, bool mayNest = true) {
    std::error_code error;
    const bool collections = mayNest && !holdsSystems(folder, catalog);
    for (const fs::path& entry : sortedEntries(folder)) {
        if (!fs::is_directory(entry, error)) continue;
        if (const Accelerator* accelerator = acceleratorOfFolder(entry.filename().string(), catalog)) {
            SystemTables loaded = loadSystem(entry, *accelerator, problems);
            const auto known = std::find_if(systems.begin(), systems.end(), [&](const SystemTables& system) { return system.accelerator == accelerator; });
            if (known == systems.end()) systems.push_back(std::move(loaded));
            else std::move(loaded.tables.begin(), loaded.tables.end(), std::back_inserter(known->tables));
        } else if (collections && holdsSystems(entry, catalog)) {
            loadSystems(entry, catalog, systems, problems, false);
        } else {
            problems.push_back(problemWith(Severity::warning, entry.string(), "No accelerator is called \"" + entry.filename().string() + "\".",
                                           "Name the folder after an accelerator of \"orrery-cli list accelerators\"."));
        }
    }
}

} // namespace

std::vector<SystemTables> loadOperatorTables(const std::string& folder, const Catalog& catalog, Problems& problems) {
    std::vector<SystemTables> systems;
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        problems.push_back(problemWith(Severity::error, folder, "There is no folder " + folder + ".", "Give a folder with one folder of CSV tables for each system."));
        return systems;
    }
    loadSystems(folder, catalog, systems, problems);
    std::size_t rows = 0;
    for (const SystemTables& system : systems)
        for (const KernelTable& table : system.tables) rows += table.calls.size();
    if (rows == 0)
        problems.push_back(problemWith(Severity::error, folder, "There is no table of operator times in " + folder + ".",
                                       "Give a folder such as SYSTEM/gemm.csv lies in, SYSTEM a catalogue id."));
    return systems;
}

std::string userDataFolder() {
    if (const char* data = std::getenv("XDG_DATA_HOME"); data != nullptr && data[0] == '/') return std::string(data) + "/orrery";
    if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') return std::string(home) + "/.local/share/orrery";
    return "";
}

std::shared_ptr<const MeasuredTimes> userMeasuredTimes(const Catalog& catalog, Problems& problems) {
    auto times = std::make_shared<MeasuredTimes>();
    const std::string data = userDataFolder();
    if (data.empty()) return times;
    for (const fs::path& entry : sortedEntries(fs::path(data) / "operators")) {
        if (!catalog.accelerator(entry.filename().string())) continue;
        const SystemTables system = loadSystem(entry, *catalog.accelerator(entry.filename().string()), problems);
        for (const KernelTable& table : system.tables) times->add(system.accelerator->id, table);
    }
    return times;
}

std::optional<ImportedTable> importMeasuredTable(const std::string& file, const std::string& accelerator, const std::string& kind,
                                                 const Catalog& catalog, Problems& problems) {
    const auto fail = [&](std::string message, std::string mend) {
        problems.push_back(problemWith(Severity::error, file, std::move(message), std::move(mend)));
        return std::nullopt;
    };
    std::error_code ignored;
    const std::string folder = fs::absolute(file, ignored).parent_path().filename().string();
    const Accelerator* known = accelerator.empty() ? acceleratorOfFolder(folder, catalog) : catalog.accelerator(accelerator);
    if (!known)
        return fail(accelerator.empty() ? "It is not known on which accelerator " + file + " was measured." : "No accelerator is called \"" + accelerator + "\".",
                    "Give --accelerator with an id of \"orrery-cli list accelerators\".");
    const auto text = readMaybeCompressed(file, problems);
    if (!text) return std::nullopt;
    auto named = kernelKindFrom(kind.empty() ? tableName(file) : kind);
    if (!named && kind.empty()) named = kindFromHeader(*text);
    if (!named) return fail("It is not known which operator " + file + " holds times of.", "Give --operator, such as gemm or context_attention.");
    const std::size_t before = problems.size();
    const KernelTable table = readKernelTable(*named, *text, file, problems);
    if (problems.size() != before) return std::nullopt;
    if (table.calls.empty()) return fail("There is no row in " + file + ".", "Give a line for each measured call.");
    const std::string data = userDataFolder();
    if (data.empty()) return fail("There is no folder to keep it in: neither XDG_DATA_HOME nor HOME is set.", "Set HOME.");
    ImportedTable imported{data + "/operators/" + known->id + "/" + std::string(toString(*named)) + ".csv", known->id, *named, 0, 0};
    KernelTable all = table;
    if (fs::exists(imported.file, ignored)) {
        Problems damaged; // of what was kept before: those rows are replaced by nothing
        if (const auto kept = readMaybeCompressed(imported.file, damaged)) all = merged(readKernelTable(*named, *kept, imported.file, damaged), table);
    }
    const auto rowsOf = [](const KernelTable& of) {
        std::size_t rows = 0;
        for (std::size_t i = 0; i < of.calls.size(); ++i) rows += i == 0 || of.calls[i].row != of.calls[i - 1].row ? 1 : 0;
        return rows;
    };
    imported.rows = rowsOf(table);
    imported.kept = rowsOf(all);
    fs::create_directories(fs::path(imported.file).parent_path(), ignored);
    std::string error;
    if (!writeFileAtomically(imported.file, toCsv(all), error)) return fail(error, "Make the folder writable.");
    return imported;
}

} // namespace orrery
