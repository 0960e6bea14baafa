// SPDX-License-Identifier: Apache-2.0
// Selects a range of time: all charts show the range of a drag over one of them.

// The time under the pointer as a share of the width of `area`.
function shareOf(area, {clientX}) {
    const {left, width} = area.getBoundingClientRect();
    return (clientX - left) / width;
}

// Makes the times in `area`, which is a part of `plot`, selectable. Returns the plot.
function brushed(plot, area) {
    const mark = h('i.brush', {hidden: true});
    let from = null, to;
    const draw = (event) => {
        const box = area.getBoundingClientRect();
        to = Math.max(0, Math.min(1, shareOf(area, event)));
        mark.hidden = from == null || from === to;
        mark.style.left = box.left - plot.getBoundingClientRect().left + Math.min(from, to) * box.width + 'px';
        mark.style.width = Math.abs(from - to) * box.width + 'px';
    };
    plot.append(mark);
    area.onpointerdown = (event) => {
        if (event.button) return;
        from = shareOf(area, event);
        area.setPointerCapture(event.pointerId);
    };
    area.onpointermove = (event) => from != null && draw(event);
    // A cancelled drag, such as one that scrolls the page, has no effect.
    area.onlostpointercapture = () => {
        from = null;
        mark.hidden = true;
    };
    area.onpointerup = (event) => {
        if (from == null) return;
        draw(event);
        if (Math.abs(from - to) > 0.01) zoom(Math.min(from, to), Math.max(from, to));
    };
    return plot;
}
