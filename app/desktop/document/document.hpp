// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/boxed_json.hpp"
#include "core/base/json.hpp"
#include "core/base/problem.hpp"

#include <QElapsedTimer>
#include <QObject>
#include <QUndoStack>

#include <optional>
#include <vector>

namespace orrery {

/// The scenario that a window shows: a JSON document, its file and its undo history. Every change goes through `edit`, so
/// every change can be undone, and undoing all of them gives the bytes that were loaded. One of the document's variants may be open: then
/// that is what is shown, and edits change its list of edits. Undoing a step opens what it was made in.
class ScenarioDocument : public QObject {
    Q_OBJECT
public:
    explicit ScenarioDocument(QObject* parent = nullptr);

    const Json& json() const { return json_; }                                  ///< as its file has it, with its variants; valid until the next edit
    const BoxedJson& shown() const { return open_.isEmpty() ? json_ : shown_; } ///< what views show: the open variant, or `json()`
    QString openVariant() const { return open_; }                               ///< empty: the scenario itself
    /// Opens a variant by its name; empty: the scenario itself. False: there is none called so.
    bool openVariant(const QString& name);
    /// The scenario as it was last read or saved.
    const Json& savedJson() const { return saved_; }
    QUndoStack& undoStack() { return undoStack_; }

    QString filePath() const { return filePath_; } ///< absolute; empty: never saved
    QString displayName() const;                   ///< the file's name, or the scenario's for one that was never saved
    QString baseFolder() const;                    ///< what relative paths in the scenario start from
    bool isModified() const { return !undoStack_.isClean(); }
    QByteArray toBytes() const; ///< what saving writes: two-space indentation, keys in their order, one newline at the end

    /// Applies the edits as one undo step named `text`. Quick successive edits of the same places become one step.
    /// Gives false, and changes nothing, when an edit has no place to go to.
    bool edit(const QString& text, const std::vector<ScenarioEdit>& edits);
    /// Edits the document itself, whatever is open, and opens `open` with it, in one step.
    bool editFile(const QString& text, const std::vector<ScenarioEdit>& edits, const QString& open);

    /// Starts over with `json`, which has no file yet. `baseFolder` is where its relative paths start, if they do anywhere.
    void reset(Json json, const QString& baseFolder = {});
    /// The same with what no file has yet: it counts as modified, and saving asks where to.
    void startUnsaved(Json json, const QString& baseFolder = {});
    /// Starts over with unsaved work: like `reset`, but modified, and `filePath` is where saving puts it. `fileHash`: of that file as the
    /// work began with it.
    void restore(Json json, const QString& filePath, const QByteArray& fileHash = {});

    /// Replaces the document by a scenario file's. On errors nothing changes.
    Problems load(const QString& path);
    /// The same with what was read of it.
    void load(const QString& path, Json json, const QByteArray& fileHash);
    /// Hash of the document's file as it was last read or written here (contentHash); empty: not known.
    QByteArray fileHash() const { return fileHash_; }
    /// Whether the document's file exists and holds something else than what was last read from it or written to it.
    bool isFileChanged() const;
    /// Writes the document to `path`, which becomes its file. The old file stays whole when writing fails.
    Problems save(const QString& path);

    /// Reads a Hugging Face config.json and makes it the model, as one undo step.
    Problems embedModelConfig(const QString& path);
    void embedModelConfig(const QString& path, const Json& config);

signals:
    void changed();  ///< after every change of `json()`, by editing, undo, loading or starting over
    void replaced(); ///< another document took this one's place; comes before `changed`
    void modifiedChanged(bool modified);
    void filePathChanged(const QString& path);

private:
    friend class EditCommand;
    void setJson(BoxedJson json);
    void showOpen(); ///< what the open variant is now; the scenario itself, where it is gone
    std::optional<std::vector<ScenarioEdit>> inOpenVariant(const std::vector<ScenarioEdit>& edits) const;
    void setFilePath(const QString& path);

    BoxedJson json_ = Json::object(); ///< boxed: a drawn cluster is long, and each edit hands it on
    BoxedJson saved_ = Json::object();
    QString open_;
    BoxedJson shown_; ///< of the open variant
    QUndoStack undoStack_;
    QString filePath_;
    QByteArray fileHash_;
    QString baseFolder_;
};

/// One undo step: edits forward and the edits that take them back.
class EditCommand : public QUndoCommand {
public:
    /// `edited` is what `forward` makes of the document now, so that the first redo has it already.
    EditCommand(ScenarioDocument& document, const QString& text, std::vector<ScenarioEdit> forward,
                std::vector<ScenarioEdit> inverse, QString open, std::optional<BoxedJson> edited = {});

    void redo() override;
    void undo() override;
    int id() const override { return 1; }
    bool mergeWith(const QUndoCommand* other) override;

private:
    ScenarioDocument& document_;
    std::vector<ScenarioEdit> forward_;
    std::vector<ScenarioEdit> inverse_;
    QString openBefore_, openAfter_;  ///< the variant that was open
    std::optional<BoxedJson> edited_; ///< until the first redo
    QElapsedTimer age_;               ///< since the last edit that went into this step
};

} // namespace orrery
