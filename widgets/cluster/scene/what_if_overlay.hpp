// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/cluster/scene/canvas_scene.hpp"

#include <vector>

class QWidget;

namespace orrery {

class Theme;
class WhatIfList;

/// What is supposed not to work as drawn: its marks on the drawing, and the list of it at the drawing's upper right corner.
class WhatIfOverlay {
public:
    WhatIfOverlay(CanvasScene& scene, QWidget& canvas) : scene_(scene), canvas_(canvas) {}

    WhatIfList* makeList(const Theme& theme); ///< owned by the canvas; before the first document
    const std::vector<WhatIf>& all() const { return whatIfs_; }
    const WhatIf* at(int index) const; ///< as the list has them; null: no such

    void takeDocument();                           ///< the scene has another document and its names
    void place();                                  ///< the canvas has another size, or the list has
    double widthBeside(const QRectF& drawn) const; ///< px to leave free at the right so that the list covers nothing drawn

private:
    void mark(const WhatIf& one);

    CanvasScene& scene_;
    QWidget& canvas_;
    WhatIfList* list_ = nullptr;
    std::vector<WhatIf> whatIfs_;
    bool wasLow_ = false; ///< too low for an open list
};

} // namespace orrery
