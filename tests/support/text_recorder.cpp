// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/text_recorder.hpp"

#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>

namespace orrery::test {
namespace {

class RecordingEngine : public QPaintEngine {
public:
    explicit RecordingEngine(std::vector<DrawnText>& texts) : QPaintEngine(AllFeatures), texts_(texts) {}

    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override {}
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}
    void drawPath(const QPainterPath&) override {}
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
    Type type() const override { return User; }

    void drawTextItem(const QPointF& origin, const QTextItem& item) override {
        if (item.text().trimmed().isEmpty()) return;
        const QRectF box(origin.x(), origin.y() - item.ascent(), item.width(), item.ascent() + item.descent());
        texts_.push_back({item.text(), painter()->deviceTransform().map(QPolygonF(box))});
    }

private:
    std::vector<DrawnText>& texts_;
};

class RecordingDevice : public QPaintDevice {
public:
    explicit RecordingDevice(const QSize& size) : size_(size), engine_(texts) {}
    QPaintEngine* paintEngine() const override { return &engine_; }

    std::vector<DrawnText> texts;

protected:
    int metric(PaintDeviceMetric metric) const override {
        constexpr int dotsPerInch = 96;
        switch (metric) {
        case PdmWidth: return size_.width();
        case PdmHeight: return size_.height();
        case PdmWidthMM: return size_.width() * 254 / (10 * dotsPerInch);
        case PdmHeightMM: return size_.height() * 254 / (10 * dotsPerInch);
        case PdmNumColors: return 1 << 24;
        case PdmDepth: return 24;
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY: return dotsPerInch;
        case PdmDevicePixelRatio: return 1;
        case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
        }
        return 0;
    }

private:
    QSize size_;
    mutable RecordingEngine engine_;
};

} // namespace

std::vector<DrawnText> recordTexts(const QSize& size, const std::function<void(QPainter&)>& paint) {
    RecordingDevice device(size);
    QPainter painter(&device);
    paint(painter);
    painter.end();
    return device.texts;
}

std::vector<DrawnText> recordTexts(const Exportable& chart, const QSize& size) {
    return recordTexts(size, [&](QPainter& painter) { chart.renderChart(painter, QRectF({0, 0}, QSizeF(size))); });
}

QString labelFaults(const std::vector<DrawnText>& texts, const QSize& size) {
    // A line's box has air above capitals and below the base line; a pixel of it may be shared.
    const auto tight = [](const DrawnText& text) {
        const QPointF middle = text.centre();
        QPolygonF area;
        for (const QPointF& corner : text.area) {
            const QPointF offset = middle - corner;
            area << corner + QPointF(offset.x() > 0 ? 1 : offset.x() < 0 ? -1
                                                                         : 0,
                                     offset.y() > 0 ? 1 : offset.y() < 0 ? -1
                                                                         : 0);
        }
        return area;
    };
    QString faults;
    const QRectF device({-0.5, -0.5}, QSizeF(size) + QSizeF(1, 1));
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (!device.contains(tight(texts[i]).boundingRect())) faults += QStringLiteral("“%1” is cut; ").arg(texts[i].text);
        for (std::size_t j = i + 1; j < texts.size(); ++j) {
            const QRectF shared = tight(texts[i]).intersected(tight(texts[j])).boundingRect();
            if (shared.width() > 0.5 && shared.height() > 0.5) faults += QStringLiteral("“%1” lies on “%2”; ").arg(texts[i].text, texts[j].text);
        }
    }
    return faults;
}

} // namespace orrery::test
