#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include <vector>

class QDockWidget;
class QMainWindow;
class QSettings;
class QSplitter;
class QWidget;

namespace orrery {

class WindowViews;

/// Where the panels are: the form left, cluster over timeline over operators in the middle, memory, roofline and causes right,
/// jitter in the roofline's place and problems below when asked for. Docks can be moved once unlocked; `reset` puts everything back.
class WindowLayout : public QObject {
    Q_OBJECT
public:
    struct Panel {
        QString id;
        QString title; ///< translated
        QWidget* widget = nullptr;
        QDockWidget* dock = nullptr; ///< null: part of the middle
    };

    WindowLayout(QMainWindow& window, WindowViews& views);

    const std::vector<Panel>& panels() const { return panels_; }
    bool isPanelShown(const QString& id) const;
    void setPanelShown(const QString& id, bool shown);
    /// Shown, and in front of others in its place.
    void bringUp(const QString& id);

    /// Unlocked docks have title bars to drag them by.
    bool isUnlocked() const { return unlocked_; }
    void setUnlocked(bool unlocked);

    /// Gives the cluster most of the middle while it is being drawn, and takes it back.
    void favourCluster(bool favoured);

    void reset();
    void save(QSettings& settings) const;
    bool restore(const QSettings& settings); ///< false: nothing stored, or of another version

private:
    void addDock(const QString& id, const QString& title, QWidget* widget, Qt::DockWidgetArea area, int minimumWidth);
    const Panel* panel(const QString& id) const;

    QMainWindow& window_;
    QSplitter* middle_;
    std::vector<Panel> panels_;
    QList<int> sizesBefore_; ///< of the middle, while the cluster is favoured
    bool unlocked_ = false;
};

} // namespace orrery
