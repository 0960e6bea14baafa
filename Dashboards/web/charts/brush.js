// SPDX-License-Identifier: Apache-2.0
// Selects a range of time: all charts show the range of a drag over one of them.

import {html} from '../base/dom.js';
import {zoom} from '../model/range.js';

// A shorter drag, as a share of the width, is a click.
const SHORTEST_DRAG = 0.01;

// The time under the pointer as a share of the width of `area`.
export function positionIn(area, {clientX}) {
    const {left, width} = area.getBoundingClientRect();
    return (clientX - left) / width;
}

// Makes the times in `area`, which is a part of `plot`, selectable. Returns the plot.
export function makeSelectable(plot, area) {
    const mark = html('i.brush', {hidden: true});
    // The ends of the drag; `from` is null if there is none.
    let from = null;
    let to = 0;
    const drawMark = (event) => {
        const {left, width} = area.getBoundingClientRect();
        to = Math.max(0, Math.min(1, positionIn(area, event)));
        mark.hidden = from == null || from === to;
        mark.style.left = left - plot.getBoundingClientRect().left + Math.min(from, to) * width + 'px';
        mark.style.width = Math.abs(from - to) * width + 'px';
    };
    plot.append(mark);
    area.onpointerdown = (event) => {
        if (event.button) return;
        from = positionIn(area, event);
        area.setPointerCapture(event.pointerId);
    };
    area.onpointermove = (event) => {
        if (from != null) drawMark(event);
    };
    // A cancelled drag, such as one that scrolls the page, has no effect.
    area.onlostpointercapture = () => {
        from = null;
        mark.hidden = true;
    };
    area.onpointerup = (event) => {
        if (from == null) return;
        drawMark(event);
        if (Math.abs(from - to) > SHORTEST_DRAG) zoom(Math.min(from, to), Math.max(from, to));
    };
    return plot;
}
