// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/json_forward.hpp"
#include "widgets/cluster/editing/canvas_actions.hpp"
#include "widgets/cluster/scene/canvas_scene.hpp"

#include <QLineF>
#include <QObject>
#include <QPointF>
#include <QString>
#include <QTimer>
#include <Qt>
#include <optional>
#include <vector>

class QPainter;

namespace orrery {

struct ThemeColors;

/// What the mouse does from a press to its release. The scene knows where it was pressed and where it is.
class CanvasGesture {
public:
    virtual ~CanvasGesture() = default;

    /// The mouse went on by `step` px. False: what lies below it is looked at as without a gesture.
    virtual bool move(QPointF step, Qt::KeyboardModifiers modifiers) = 0;
    virtual void release(Qt::KeyboardModifiers) {} ///< the canvas has let go of the gesture
    virtual void cancel() {}                       ///< the same
    virtual void paint(QPainter&, const ThemeColors&) const {}
    virtual std::optional<Qt::CursorShape> cursor() const { return {}; }
    virtual QPointF offset() const { return {}; }           ///< scene; what is selected is shown so far from its place
    virtual bool endsWithDocument() const { return false; } ///< it is about nodes that another document may not have
};

/// The view follows the mouse.
class PanGesture : public CanvasGesture {
public:
    explicit PanGesture(CanvasActions& actions) : actions_(actions) {}
    bool move(QPointF step, Qt::KeyboardModifiers modifiers) override;
    std::optional<Qt::CursorShape> cursor() const override { return Qt::ClosedHandCursor; }

private:
    CanvasActions& actions_;
};

/// A rubber band: what it touches is selected, beside what was before.
class BandGesture : public CanvasGesture {
public:
    BandGesture(const CanvasScene& scene, CanvasActions& actions) : scene_(scene), actions_(actions), before_(scene.look.selection) {}
    bool move(QPointF step, Qt::KeyboardModifiers modifiers) override;
    void cancel() override { actions_.setSelection(before_); }
    void paint(QPainter& painter, const ThemeColors& colours) const override;

private:
    const CanvasScene& scene_;
    CanvasActions& actions_;
    ClusterSelection before_;
};

class CanvasActions;
class ClusterEditing;
struct CanvasScene;

/// Drags what is selected. The card under the press leads: it lands on the grid, or in line with another card.
class MoveGesture : public CanvasGesture {
public:
    MoveGesture(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions)
        : scene_(scene), editing_(editing), actions_(actions) {}
    bool move(QPointF step, Qt::KeyboardModifiers modifiers) override;
    void release(Qt::KeyboardModifiers modifiers) override;
    void cancel() override;
    void paint(QPainter& painter, const ThemeColors& colours) const override;
    QPointF offset() const override { return offset_; }
    bool endsWithDocument() const override { return true; }

private:
    int leader() const;                          ///< node; -1: none
    QPointF landing(int leader, QPointF wanted); ///< scene; and the guides to it

    const CanvasScene& scene_;
    ClusterEditing& editing_;
    CanvasActions& actions_;
    QPointF offset_;
    std::vector<QLineF> guides_; ///< scene, from the leader to the cards that it is in line with
};

/// Moving what is selected by keys: steps that follow one another quickly become one edit.
class Nudge : public QObject {
    Q_OBJECT
public:
    Nudge(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions);

    QPointF offset() const { return offset_; } ///< scene; shown, but not asked for yet
    void by(QPointF step);
    void commit(); ///< asks for the edit now, where there is one
    void forget();

private:
    const CanvasScene& scene_;
    ClusterEditing& editing_;
    CanvasActions& actions_;
    QPointF offset_;
    QTimer pause_; ///< runs out when no more step follows
};

} // namespace orrery

class QPainter;

namespace orrery {

class Catalog; // core/catalog
class Theme;

/// What the next click places, and its ghost below the mouse.
class PendingPlacement {
public:
    PendingPlacement(const CanvasScene& scene, const Catalog& catalog) : scene_(scene), catalog_(catalog) {}

    void arm(const Json& fragment, const QString& label);
    void disarm();
    bool isArmed() const { return !fragment_.is_null(); }
    const Json& fragment() const { return fragment_; }
    const QString& label() const { return label_; }

    void showAt(QPointF widget) { at_ = scene_.view.toScene(widget); }
    void hide() { at_.reset(); }
    bool isShown() const { return at_.has_value(); }
    void paint(QPainter& painter, const Theme& theme) const;

private:
    const CanvasScene& scene_;
    const Catalog& catalog_;
    Json fragment_; ///< null: nothing
    QString label_;
    ClusterDocument ghost_;
    ClusterGeometry geometry_;
    std::optional<QPointF> at_; ///< scene
};

class CanvasActions;
class ClusterEditing;

/// A link that is being drawn: by two clicks with the tool for it, or by a drag from one of the handles of a card.
class LinkDrawing {
public:
    LinkDrawing(const CanvasScene& scene, ClusterEditing& editing, CanvasActions& actions)
        : scene_(scene), editing_(editing), actions_(actions) {}

    bool isPending() const { return from_ >= 0; }
    bool isFrom(int node) const { return from_ == node; }
    void begin(int node) { from_ = node; }
    void cancel() { from_ = -1; }
    /// -1: nowhere, so no link. From one of several marked nodes, all of them are connected.
    void finish(int node);
    void click(int node); ///< the first end or the second; -1: on the ground

    int handleAt(QPointF widget) const; ///< the card under the mouse whose handle is there; -1: none
    void paint(QPainter& painter, const ThemeColors& colours) const;
    void paintHandles(QPainter& painter, const ThemeColors& colours) const;

private:
    bool hasHandles() const;
    std::vector<QPointF> handles() const; ///< widget, of the card under the mouse

    const CanvasScene& scene_;
    ClusterEditing& editing_;
    CanvasActions& actions_;
    int from_ = -1;
};

/// The drag from a handle to the other end.
class LinkGesture : public CanvasGesture {
public:
    LinkGesture(const CanvasScene& scene, LinkDrawing& drawing) : scene_(scene), drawing_(drawing) {}
    bool move(QPointF, Qt::KeyboardModifiers) override { return false; }
    void release(Qt::KeyboardModifiers) override { drawing_.finish(scene_.nodeUnder(scene_.mouse)); }
    void cancel() override { drawing_.cancel(); }
    std::optional<Qt::CursorShape> cursor() const override { return Qt::CrossCursor; }
    bool endsWithDocument() const override { return true; }

private:
    const CanvasScene& scene_;
    LinkDrawing& drawing_;
};

} // namespace orrery
