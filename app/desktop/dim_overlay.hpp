#pragma once

#include <QWidget>

namespace orrery {

class Theme;

/// Lies over a view whose numbers are not the scenario's any more, and lets the mouse through: old numbers stay readable, but
/// nobody takes them for new ones.
class DimOverlay : public QWidget {
    Q_OBJECT
public:
    DimOverlay(const Theme& theme, QWidget* view);

    void setDimmed(bool dimmed);
    bool isDimmed() const { return !isHidden(); }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    const Theme& theme_;
};

} // namespace orrery
