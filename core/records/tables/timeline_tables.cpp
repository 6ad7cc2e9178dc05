// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/records/tables/timeline_tables.hpp"
#include "core/base/json.hpp"

#include <map>
#include <sqlite3.h>

namespace orrery {
namespace {

/// A member's name as a step of a JSON pointer (RFC 6901).
std::string pointerStep(const std::string& name) {
    std::string step = "/";
    for (const char c : name) step += c == '~' ? "~0" : c == '/' ? "~1"
                                                                 : std::string(1, c);
    return step;
}

} // namespace

struct DatabaseMaker::Handle {
    sqlite3* database = nullptr;
    std::map<std::string_view, sqlite3_stmt*> inserts; ///< by table; the names are literals
    ~Handle() {
        for (const auto& [table, statement] : inserts) sqlite3_finalize(statement);
        sqlite3_close(database);
    }
};

DatabaseMaker::DatabaseMaker() : handle_(std::make_unique<Handle>()) {
    if (sqlite3_open_v2(":memory:", &handle_->database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_PRIVATECACHE, nullptr) != SQLITE_OK) {
        fail();
        return;
    }
    run("BEGIN");
    run(std::string(timelineSchema()).c_str());
}

DatabaseMaker::~DatabaseMaker() = default;

void DatabaseMaker::fail() {
    if (fault_.empty()) fault_ = handle_->database != nullptr ? sqlite3_errmsg(handle_->database) : "no memory for a database";
}

void DatabaseMaker::run(const char* words) {
    if (fault_.empty() && sqlite3_exec(handle_->database, words, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

void DatabaseMaker::row(const char* table, std::initializer_list<TableValue> values) {
    if (!fault_.empty()) return;
    sqlite3_stmt*& insert = handle_->inserts[table];
    if (insert == nullptr) {
        std::string words = std::string("INSERT INTO ") + table + " VALUES (";
        for (std::size_t i = 0; i < values.size(); ++i) words += i == 0 ? "?" : ",?";
        words += ')';
        if (sqlite3_prepare_v2(handle_->database, words.c_str(), -1, &insert, nullptr) != SQLITE_OK) return fail();
    }
    int column = 0;
    for (const TableValue& value : values) {
        ++column;
        if (const auto* whole = std::get_if<std::int64_t>(&value)) sqlite3_bind_int64(insert, column, *whole);
        else if (const auto* number = std::get_if<double>(&value)) sqlite3_bind_double(insert, column, *number);
        else if (const auto* text = std::get_if<std::string_view>(&value)) sqlite3_bind_text(insert, column, text->data(), static_cast<int>(text->size()), SQLITE_STATIC);
        else sqlite3_bind_null(insert, column);
    }
    if (sqlite3_step(insert) != SQLITE_DONE) fail();
    sqlite3_reset(insert);
    sqlite3_clear_bindings(insert);
}

void DatabaseMaker::about(const Json& texts) {
    for (const auto& [key, text] : texts.items()) row("about", {std::string_view(key), std::string_view(text.get_ref<const std::string&>())});
}

void DatabaseMaker::figures(const Json& document, const std::string& pointer) {
    if (document.is_object()) {
        for (const auto& [name, value] : document.items()) figures(value, pointer + pointerStep(name));
    } else if (document.is_array()) {
        for (std::size_t i = 0; i < document.size(); ++i) figures(document[i], pointer + "/" + std::to_string(i));
    } else if (document.is_string()) {
        row("figure", {pointer, document.get_ref<const std::string&>()});
    } else if (document.is_boolean()) {
        row("figure", {pointer, std::int64_t{document.get<bool>() ? 1 : 0}});
    } else if (document.is_number_integer()) {
        row("figure", {pointer, document.get<std::int64_t>()});
    } else if (document.is_number()) {
        row("figure", {pointer, document.get<double>()});
    }
}

std::optional<std::string> DatabaseMaker::finish() {
    run("COMMIT");
    if (!fault_.empty()) return std::nullopt;
    sqlite3_int64 size = 0;
    unsigned char* bytes = sqlite3_serialize(handle_->database, "main", &size, 0);
    if (bytes == nullptr) {
        fault_ = "no memory for a database of " + std::to_string(size) + " bytes";
        return std::nullopt;
    }
    std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    return file;
}

std::string_view timelineSchema() {
    return R"sql(
CREATE TABLE about (
  key TEXT PRIMARY KEY, -- "format" ("orrery-timeline/1"), "source" ("simulated", "recorded"), "kind", "name", "duration_s", "program", "version", "commit", "catalogue"
  value
) WITHOUT ROWID;
CREATE TABLE figure (
  pointer TEXT PRIMARY KEY, -- JSON pointer into the result, of recorded ranks /traces/FILE/…
  value                     -- a number or a text; lists and objects have a row for each of their values
) WITHOUT ROWID;
CREATE TABLE lane (
  id INTEGER PRIMARY KEY, -- from 0: a stage of the pipeline, an instance of the engine, a recorded rank
  name TEXT NOT NULL,     -- the ranks it stands for: "0-31"; of a record its rank, or its file
  role TEXT,              -- "prefill", "decode", "recorded", …
  static_bytes REAL       -- memory that is there all the time: weights, optimizer, framework; null: not said
);
CREATE TABLE stream (
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL REFERENCES lane,
  name TEXT NOT NULL -- "compute", "tensor", "pipeline", …; of a record device and stream
);
CREATE TABLE operation (
  id INTEGER PRIMARY KEY, -- what all events of one kind share
  name TEXT NOT NULL,     -- "mlp.gate_up"; of a record the kernel's name
  class TEXT NOT NULL,    -- "computation", "communication", "copy" (or fill)
  phase TEXT,             -- "forward", "backward", "recompute", "optimizer", "communication", "prefill", "decode"; null: not said
  collective TEXT,        -- "all_reduce", "all_gather", "reduce_scatter", "alltoall", "sendrecv", "broadcast"; null: none
  alone_s REAL,           -- that one event takes where nothing runs beside it; null: not said, here and below
  flops REAL,             -- of one event
  bytes REAL,             -- that one event reads and writes in the device's memory
  message_bytes REAL,     -- of a collective, as nccl-tests counts them
  bound TEXT,             -- what keeps it from being faster: "compute", "memory", "network", "latency"
  source TEXT             -- where its time is from: "measured", "predicted", "roofline"
);
CREATE TABLE event (
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL REFERENCES lane,
  stream INTEGER NOT NULL REFERENCES stream,
  operation INTEGER NOT NULL REFERENCES operation,
  start_s REAL NOT NULL,    -- seconds from the begin
  end_s REAL NOT NULL,
  exposed_s REAL NOT NULL,  -- its share of the lane's wall clock: what no computation covers, of a copy what neither computation nor communication covers; all
                            -- shares of a lane and its gaps sum to the time from its first event to its last
  waiting_s REAL,           -- of a collective, until the last rank came; null: nobody knows
  micro_batch INTEGER,      -- of a batch the token that the step makes, of served requests the step; null: none
  layer INTEGER,            -- in the whole model; null: none
  chunk INTEGER,            -- of an interleaved pipeline; null: none
  segment TEXT,             -- what it is part of: "layer", "embedding", "head", "optimizer"; of a record the innermost module, "BertLayer_3"
  operator TEXT,            -- of a record: the innermost operator of the framework that launched it
  launch INTEGER REFERENCES call -- of a record: the call of the runtime that launched it
);
CREATE TABLE gap (
  id INTEGER PRIMARY KEY,
  lane INTEGER NOT NULL REFERENCES lane,
  start_s REAL NOT NULL, -- the device does nothing from here
  end_s REAL NOT NULL,
  kind TEXT NOT NULL,    -- "launch" (the host was late), "queued" (launched, but nothing ran), "unknown" (no launch was recorded), "planned" (simulated)
  next_event INTEGER REFERENCES event -- what ends it
);
CREATE TABLE call (
  id INTEGER PRIMARY KEY, -- what a thread of the host called; of records alone
  lane INTEGER NOT NULL REFERENCES lane,
  thread TEXT NOT NULL,
  kind TEXT NOT NULL, -- "operator" of the framework, "runtime" or driver of the device
  name TEXT NOT NULL,
  start_s REAL NOT NULL,
  end_s REAL NOT NULL,
  shapes TEXT -- of its arguments
);
CREATE TABLE memory (
  lane INTEGER NOT NULL REFERENCES lane,
  time_s REAL NOT NULL,
  allocated_bytes REAL NOT NULL, -- by tensors that come and go, from this moment on; of a record all that the framework's allocator holds
  temporary_bytes REAL NOT NULL  -- in use inside the running operation alone; of a record what the allocator has reserved beyond
);
CREATE TABLE link (
  id INTEGER PRIMARY KEY, -- one direction of a link of the drawing with all its copies; of simulated timelines alone
  from_node TEXT NOT NULL,
  to_node TEXT NOT NULL,
  kind TEXT NOT NULL,              -- "cable", "scale_up", "pcie"
  capacity_bytes_per_s REAL NOT NULL, -- of all copies
  copies INTEGER NOT NULL,
  bytes REAL NOT NULL,             -- over the whole timeline, all copies
  mean_use REAL NOT NULL,          -- share of the capacity, over copies and time
  peak_use REAL NOT NULL           -- the same of the busiest copy of each user, added up; at most 1
);
CREATE TABLE link_use (
  link INTEGER NOT NULL REFERENCES link,
  operation INTEGER NOT NULL REFERENCES operation,
  bytes REAL NOT NULL, -- that this operation sends over the link, of `link.bytes`
  PRIMARY KEY (link, operation)
) WITHOUT ROWID;
CREATE VIEW event_named AS -- events with the words of what they belong to
  SELECT event.id, lane.name AS lane, stream.name AS stream, operation.name AS operation, operation.class, operation.phase, operation.collective, start_s, end_s,
         end_s - start_s AS duration_s, exposed_s, waiting_s, micro_batch, layer, chunk, segment, operator
  FROM event JOIN lane ON lane.id = event.lane JOIN stream ON stream.id = event.stream JOIN operation ON operation.id = event.operation;
CREATE VIEW time_by_operation AS -- where the time goes, a lane
  SELECT lane.name AS lane, operation.name AS operation, operation.class, operation.phase, COUNT(*) AS events, SUM(end_s - start_s) AS duration_s, SUM(exposed_s) AS exposed_s
  FROM event JOIN lane ON lane.id = event.lane JOIN operation ON operation.id = event.operation GROUP BY event.lane, event.operation ORDER BY event.lane, exposed_s DESC;
CREATE VIEW longest_gaps AS -- in which a device does nothing, and what ends them
  SELECT lane.name AS lane, gap.start_s, gap.end_s - gap.start_s AS duration_s, gap.kind, operation.name AS next_operation
  FROM gap JOIN lane ON lane.id = gap.lane LEFT JOIN event ON event.id = gap.next_event LEFT JOIN operation ON operation.id = event.operation ORDER BY duration_s DESC;
CREATE VIEW exposed_communication_by_layer AS -- communication that nothing hides
  SELECT lane.name AS lane, event.layer, event.segment, operation.collective, COUNT(*) AS events, SUM(end_s - start_s) AS duration_s, SUM(exposed_s) AS exposed_s
  FROM event JOIN lane ON lane.id = event.lane JOIN operation ON operation.id = event.operation WHERE operation.class = 'communication'
  GROUP BY event.lane, event.layer, event.segment, operation.collective ORDER BY exposed_s DESC;
CREATE VIEW bytes_by_link AS -- what the links carry, the fullest first
  SELECT from_node, to_node, kind, bytes, mean_use, peak_use FROM link ORDER BY mean_use DESC, bytes DESC;
)sql";
}

} // namespace orrery
