// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/records/traces/nsight_fixture.hpp"

#include <sstream>
#include <stdexcept>

#include <sqlite3.h>

namespace orrery::test {
namespace {

constexpr std::string_view snapshotOfProtocol2 =
    "80027d71002858080000007365676d656e747371015d71027d710328580600000064657669636571044b0058070000006164647265737371058a06000000000001580a000000746f74616c"
    "5f73697a6571064a00004001580e000000616c6c6f63617465645f73697a6571074a00003000580b0000006163746976655f73697a6571084a00003000580e000000726571756573746564"
    "5f73697a6571094a9cff2f00580600000073747265616d710a4b00580c0000007365676d656e745f74797065710b58050000006c61726765710c58060000006672616d6573710d5d710e7d"
    "710f28580800000066696c656e616d6571105808000000747261696e2e7079711158040000006c696e6571124b0a58040000006e616d657113580400000073746570711475615806000000"
    "626c6f636b7371155d7116287d71172868058a06000000000001580400000073697a6571184a0000300068094a9cff2f0058050000007374617465711958100000006163746976655f616c"
    "6c6f6361746564711a680d680e757d711b2868058a0600003000000168184a0000100168094b0068195808000000696e616374697665711c680d5d711d75657561580d0000006465766963"
    "655f747261636573711e5d711f285d7120287d7121285806000000616374696f6e7122580d0000007365676d656e745f616c6c6f63712358040000006164647271248a0600000000000168"
    "184a00004001680a4b00580700000074696d655f757371258a0700401e18240a06680d680e757d71262868225805000000616c6c6f63712768248a0600000000000168184a9cff2f00680a"
    "4b0068258a0701401e18240a06680d680e757d7128286822682768248a0600003000000168184a00005000680a4b0068258a0702401e18240a06680d680e757d7129286822580e00000066"
    "7265655f726571756573746564712a68248a0600003000000168184a00005000680a4b0068258a0703401e18240a06680d680e757d712b286822580e000000667265655f636f6d706c6574"
    "6564712c68248a0600003000000168184a00005000680a4b0068258a0703401e18240a06680d680e757d712d2868225808000000736e617073686f74712e68244b0068184b00680a4b0068"
    "258a0704401e18240a06680d680e75655d712f655812000000616c6c6f6361746f725f73657474696e677371307d71312858170000005059544f5243485f435544415f414c4c4f435f434f"
    "4e46713258000000007133580e0000006d61785f73706c69745f73697a6571344affffffff581c000000676172626167655f636f6c6c656374696f6e5f7468726573686f6c647135470000"
    "0000000000005813000000657870616e6461626c655f7365676d656e747371368975581400000065787465726e616c5f616e6e6f746174696f6e7371375d7138752e";
constexpr std::string_view snapshotOfProtocol4 =
    "80049567030000000000007d94288c087365676d656e7473945d947d94288c06646576696365944b008c0761646472657373948a060000000000018c0a746f74616c5f73697a65944a0000"
    "40018c0e616c6c6f63617465645f73697a65944a000030008c0b6163746976655f73697a65944a000030008c0e7265717565737465645f73697a65944a9cff2f008c0673747265616d944b"
    "008c0c7365676d656e745f74797065948c056c61726765948c066672616d6573945d947d94288c0866696c656e616d65948c08747261696e2e7079948c046c696e65944b0a8c046e616d65"
    "948c04737465709475618c06626c6f636b73945d94287d942868058a060000000000018c0473697a65944a0000300068094a9cff2f008c057374617465948c106163746976655f616c6c6f"
    "636174656494680d680e757d942868058a0600003000000168184a0000100168094b0068198c08696e61637469766594680d5d94756575618c0d6465766963655f747261636573945d9428"
    "5d94287d94288c06616374696f6e948c0d7365676d656e745f616c6c6f63948c0461646472948a0600000000000168184a00004001680a4b008c0774696d655f7573948a0700401e18240a"
    "06680d680e757d942868228c05616c6c6f639468248a0600000000000168184a9cff2f00680a4b0068258a0701401e18240a06680d680e757d94286822682768248a060000300000016818"
    "4a00005000680a4b0068258a0702401e18240a06680d680e757d942868228c0e667265655f7265717565737465649468248a0600003000000168184a00005000680a4b0068258a0703401e"
    "18240a06680d680e757d942868228c0e667265655f636f6d706c657465649468248a0600003000000168184a00005000680a4b0068258a0703401e18240a06680d680e757d942868228c08"
    "736e617073686f749468244b0068184b00680a4b0068258a0704401e18240a06680d680e75655d94658c12616c6c6f6361746f725f73657474696e6773947d94288c175059544f5243485f"
    "435544415f414c4c4f435f434f4e46948c00948c0e6d61785f73706c69745f73697a65944affffffff8c1c676172626167655f636f6c6c656374696f6e5f7468726573686f6c6494470000"
    "0000000000008c13657870616e6461626c655f7365676d656e74739489758c1465787465726e616c5f616e6e6f746174696f6e73945d94752e";

std::string inQuotes(const std::string& text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
    return quoted + "'";
}

std::string orZero(const std::string& number) { return number.empty() || number.find_first_not_of("0123456789") != std::string::npos ? "0" : number; }

} // namespace

std::string sqliteOf(const std::string& statements) {
    sqlite3* database = nullptr;
    sqlite3_open(":memory:", &database);
    char* fault = nullptr;
    if (sqlite3_exec(database, ("BEGIN;" + statements + "COMMIT;").c_str(), nullptr, nullptr, &fault) != SQLITE_OK) throw std::runtime_error(fault);
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(database, "main", &size, 0);
    std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    sqlite3_close(database);
    return file;
}

std::string nsightConverted(const KinetoTrace& trace, const std::set<std::string>& without) {
    std::ostringstream out;
    const auto has = [&](const char* table) { return !without.contains(table); };
    const char* kernels = "CUPTI_ACTIVITY_KIND_KERNEL";
    if (has("StringIds")) {
        out << "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);";
        for (std::size_t i = 0; i < trace.names.size(); ++i) out << "INSERT INTO StringIds VALUES (" << i << ", " << inQuotes(trace.names[i]) << ");";
    }
    if (has(kernels)) out << "CREATE TABLE " << kernels << " (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);";
    for (const char* table : {"CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"})
        if (has(table)) out << "CREATE TABLE " << table << " (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, bytes INTEGER);";
    for (const DeviceEvent& event : trace.device) {
        const char* table = event.work == DeviceWork::kernel ? kernels : event.work == DeviceWork::copy ? "CUPTI_ACTIVITY_KIND_MEMCPY"
                                                                                                        : "CUPTI_ACTIVITY_KIND_MEMSET";
        if (!has(table)) continue;
        const auto& [device, stream] = trace.streams[event.stream];
        out << "INSERT INTO " << table << " VALUES (" << event.when.start << ", " << event.when.end << ", " << orZero(device) << ", " << orZero(stream) << ", " << event.correlation;
        if (event.work == DeviceWork::kernel) out << ", 1, " << event.name << ", " << event.name << ");";
        else out << ", 4096);";
    }
    if (has("CUPTI_ACTIVITY_KIND_RUNTIME")) {
        out << "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER);";
        for (const HostCall& call : trace.runtimeCalls) out << "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" << call.when.start << ", " << call.when.end << ", " << 0x1000000 + call.thread << ", " << call.correlation << ", " << call.name << ", 0);";
    }
    if (has("NVTX_EVENTS")) {
        out << "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER, textId INTEGER);";
        for (const HostCall& call : trace.operators) out << "INSERT INTO NVTX_EVENTS VALUES (" << call.when.start << ", " << call.when.end << ", 59, NULL, " << 0x1000000 + call.thread << ", " << call.name << ");";
        out << "INSERT INTO NVTX_EVENTS VALUES (1, NULL, 34, 'a mark', 1, NULL);";
    }
    return sqliteOf(out.str());
}

std::string fromHex(std::string_view digits) {
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
    return bytes;
}

std::string madeSnapshot(int protocol) { return fromHex(protocol == 2 ? snapshotOfProtocol2 : snapshotOfProtocol4); }

} // namespace orrery::test
