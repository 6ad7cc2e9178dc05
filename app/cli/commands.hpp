// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/run_control.hpp"

#include <optional>
#include <string>
#include <vector>

namespace orrery {

/// Memory a simulation may be expected to need unless an option says otherwise, GB.
inline constexpr double usualGigabytes = usualMemoryCeiling / 1e9;

/// One struct and one function a command; nothing here knows how the command line was parsed.
/// Every function prints its answer (one JSON document on standard output with `json`) and gives an ExitStatus.

struct SimulateOptions {
    std::string scenario;     ///< file, or "-"
    std::string traceFile;    ///< Chrome trace to write; empty: none
    std::string requestsFile; ///< CSV of served requests to write; empty: none
    bool explain = false;
    bool json = false;
    int threads = 1;
    double memoryCeiling = usualGigabytes; ///< GB
};
int runSimulate(const SimulateOptions& options);

struct MemoryOptions {
    std::string scenario;
    bool json = false;
    double memoryCeiling = usualGigabytes; ///< GB
};
int runMemory(const MemoryOptions& options);

struct ValidateOptions {
    std::vector<std::string> cases;    ///< files; groups may go over them
    std::vector<std::string> settings; ///< files of engine settings by case
    bool leaveOutGroup = false;
    std::string evidenceFile;         ///< to write; empty: none
    std::vector<std::string> leftOut; ///< what `--leave-out-group --json` printed, for the evidence
    bool coverage = false;            ///< judge error bars made of these runs
    bool json = false;
    int threads = 0;                       ///< 0: as many as the machine has
    double memoryCeiling = usualGigabytes; ///< GB, of one case
};
int runValidate(const ValidateOptions& options);

struct CalibrateOptions {
    std::vector<std::string> cases; ///< files: measured cases, what benchmarks of a server wrote, or one recording of a machine
    std::string scenario;           ///< calibrate its machine alone; empty: all constants of the catalogue
    std::string launch;             ///< of a server that was measured: its launch line, or a file that holds it
    std::string accelerator;        ///< catalogue id of its accelerator, or of the recorded machine
    std::string out;                ///< file to write: the catalogue's calibration, the scenario with its own, or a profile; empty: none
    bool ablate = false;            ///< say what each constant and effect buys
    double priorWeight = 0;         ///< 0: the usual
    bool json = false;
    int threads = 0; ///< 0: as many as the machine has
};
int runCalibrate(const CalibrateOptions& options);

struct AccuracyOptions {
    std::string html; ///< file to write the report to; empty: none
    bool json = false;
};
int runAccuracy(const AccuracyOptions& options);

struct CompareOptions {
    std::string a; ///< scenario, result or recorded trace, or a folder of recorded traces
    std::string b;
    std::string communication; ///< of recorded traces: file with rules of what counts as communication; empty: the shipped ones
    std::string metric;        ///< RESULT POINTER or a name of A's measures; empty: the usual one of its kind
    bool json = false;
    double memoryCeiling = usualGigabytes; ///< GB
};
int runCompare(const CompareOptions& options);

struct CollectiveOptions {
    std::string scenario;
    std::string operation; ///< nccl-tests' name
    double bytes = 0;
    std::string ranks; ///< "0-15,32"; empty: all
    bool json = false;
};
int runCollective(const CollectiveOptions& options);

struct LaunchCommandOptions {
    std::string scenario;
    std::string tool; ///< megatron-lm, megatron-bridge, torchtitan, vllm, sglang or trtllm
    bool json = false;
};
int runLaunch(const LaunchCommandOptions& options);

struct ListOptions {
    std::string what; ///< models, accelerators, platforms or frameworks
    bool json = false;
};
int runList(const ListOptions& options);

struct ImportCommandOptions {
    std::string text;                   ///< file, or "-"
    std::optional<std::string> content; ///< the launch's text itself, instead of a file's
    std::string accelerator;            ///< catalogue id; empty: assumed
    std::string model;                  ///< catalogue id where the text names none
    std::vector<std::string> variables; ///< NAME=VALUE
    std::string flagsOf;                ///< a launcher whose flags are listed instead; text: a file of them, empty: the newest release's
    bool json = false;
};
int runImport(const ImportCommandOptions& options);

struct OperatorsEvaluateOptions {
    std::string folder;
    std::string predictor; ///< file of "operators fit"; empty: the shipped one
    std::string leftOut;   ///< fits anew without it and judges on it: "shapes", "lengths" or "system"; empty: judges the predictor
    bool json = false;
    int threads = 0; ///< of fits; 0: as many as the machine has
};
int runOperatorsEvaluate(const OperatorsEvaluateOptions& options);

struct OperatorsFitOptions {
    std::string folder;
    std::string out;
    bool leaveOut = false; ///< also fits without some rows and says how far off those are
    bool json = false;
    int threads = 0; ///< 0: as many as the machine has
};
int runOperatorsFit(const OperatorsFitOptions& options);

struct OperatorsImportOptions {
    std::string file;
    std::string accelerator; ///< catalogue id; empty: by the file's folder
    std::string kind;        ///< empty: by the file's name or columns
    bool json = false;
};
int runOperatorsImport(const OperatorsImportOptions& options);

struct LessonCheckOptions {
    std::string lesson; ///< id or number of a shipped one, or a file
    std::vector<std::string> scenarios;
    int step = -1;       ///< from 1; 0: all that are judged; below: the last
    std::string answers; ///< file; empty: clauses on answers stay open
    bool json = false;
};
int runLessonList(bool json);
int runLessonCheck(const LessonCheckOptions& options);
/// Plays a lesson's own ends, as one who writes it wants to know.
int runLessonPlay(const std::string& lesson, bool json);
/// Writes a lesson as a page to print, for pupils or as a key for teachers, to a file or where that is empty to standard output.
int runLessonPrint(const std::string& lesson, bool key, const std::string& file);

struct ReproduceOptions {
    std::string report; ///< .html, .md or .pdf
    bool json = false;
};
/// Simulates the scenario in a report, and says whether its figures come out again.
int runReproduce(const ReproduceOptions& options);

struct RecordScriptOptions {
    std::string out; ///< file to write; empty: standard output
    bool json = false;
};
/// Gives the Python script that measures a machine for `calibrate`.
int runRecordScript(const RecordScriptOptions& options);

int runSchema();

/// Answers clients of the Model Context Protocol on standard input and output until the input ends.
int runServeMcp(const std::string& version);

} // namespace orrery
