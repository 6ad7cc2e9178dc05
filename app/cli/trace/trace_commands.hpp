// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/records/traced_job/traced_job.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {

class App;
}

namespace orrery {

/// Commands about recorded traces. One struct and one function a command, as in app/cli/commands.hpp.

struct TraceInfoOptions {
    std::vector<std::string> files;
    std::string communication; ///< file with rules of what counts as communication, here and below; empty: the shipped ones
    bool json = false;
};
int runTraceInfo(const TraceInfoOptions& options);

struct TracePlanOptions {
    std::string scenario;
    bool json = false;
};
int runTracePlan(const TracePlanOptions& options);

struct TraceReplayOptions {
    std::vector<std::string> files; ///< FILE, or RANK=FILE where the file doesn't say
    std::string communication;
    std::optional<std::int64_t> vram;
    bool json = false;
};
int runTraceReplay(const TraceReplayOptions& options);

struct TraceHybridOptions {
    std::string scenario;
    bool json = false;
};
int runTraceHybrid(const TraceHybridOptions& options);

struct TraceSimulateOptions {
    std::string scenario, folder;
    std::string ranks; ///< as "0-3,17"; empty: all
    bool json = false;
};
int runTraceSimulate(const TraceSimulateOptions& options);

struct TraceExportOptions {
    std::string file;   ///< trace, folder with the traces of a job's ranks, or scenario
    std::string out;    ///< Chrome trace JSON; empty: none
    std::string sqlite; ///< database; empty: none
    std::string communication;
};
int runTraceExport(const TraceExportOptions& options);

struct TraceBesideOptions {
    std::string scenario, file, communication;
    bool json = false;
};
int runTraceBeside(const TraceBesideOptions& options);

struct TraceScenarioOptions {
    std::vector<std::string> files; ///< FILE or RANK=FILE, the first is the one whose model is read
    std::string communication;
    TracedJobOptions job;
    bool json = false;
};
int runTraceScenario(const TraceScenarioOptions& options);

struct TraceFlightOptions {
    std::vector<std::string> files; ///< dumps as FILE or RANK=FILE, or folders of them
    bool json = false;
};
int runTraceFlight(const TraceFlightOptions& options);

struct TraceLiveOptions {
    std::string worlds; ///< "8192", or several as "64,1024,8192"
    std::string real;   ///< as "0,1025"; empty: all
    std::vector<std::string> command;
    std::string scenario, recordFolder, recordsFolder, trace;
    std::string content = "share", objects = "refuse";
    double computeScale = 1, patience = 4;
    std::optional<std::uint64_t> memory; ///< bytes
    std::uint64_t seed = 1;
    bool cudaOnCpu = false;
    bool json = false;
};
int runTraceLive(const TraceLiveOptions& options);

int runTraceRules(); ///< prints the shipped rules of what counts as communication, as a file of them is written

struct TraceOptions {
    TraceInfoOptions info;
    TracePlanOptions plan;
    TraceReplayOptions replay;
    TraceHybridOptions hybrid;
    TraceSimulateOptions simulate;
    TraceExportOptions exported;
    TraceBesideOptions beside;
    TraceScenarioOptions scenario;
    TraceFlightOptions flight;
    TraceLiveOptions live;
};

/// Adds `trace` with its subcommands; the one that the user names is put into `run`.
void addTraceCommands(CLI::App& app, TraceOptions& options, std::function<int()>& run);

} // namespace orrery
