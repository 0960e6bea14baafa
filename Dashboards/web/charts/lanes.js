// SPDX-License-Identifier: Apache-2.0
// Lifetimes as bars: one lane for each component type. Overlapping instances are stacked.

const LANES = 100, STACK = 6, ENDINGS = 'live finished cancelled failed leaked'.split(' ');

// Groups instances by component and stacks those that overlap. Components with suspected leaks come first.
function lanesOf(instances) {
    const lanes = new Map();
    for (const one of [...instances].sort((a, b) => (b.how === 'leaked') - (a.how === 'leaked') || a.start - b.start)) {
        const {component: id, start, end = null, how} = one;
        if ((end ?? db.at) < begins() || start > ends()) continue;
        if (!lanes.has(id)) lanes.set(id, {id, ends: [], bars: [], size: 0, leaks: 0});
        const lane = lanes.get(id), free = lane.ends.findIndex((end) => end <= start), row = free < 0 ? lane.ends.length : free;
        lane.size++;
        lane.leaks += how === 'leaked';
        if (row >= STACK) continue;
        lane.ends[row] = end ?? Infinity;
        lane.bars.push([row, one]);
    }
    return [...lanes.values()].sort((a, b) => b.leaks - a.leaks || nameOf(a.id).localeCompare(nameOf(b.id)));
}

function lanesChart() {
    const list = h('ul.lanes'), frame = region('Lanes of instances', list), rest = h('p.note'), x = (t) => Math.max(0, Math.min(1000, (t - begins()) / span() * 1000));
    const el = h('div', h('p.keys', ...ENDINGS.map((how) => h('span', canvasOf(16, 8, s('rect.life ' + how, {width: 16, height: 8})), how))), frame, rest);
    el.draw = (instances) => {
        const found = lanesOf(instances), lanes = found.slice(0, LANES), hidden = instances.length - sum(lanes.map((lane) => lane.bars.length));
        each(list, lanes, () => h('li', h('div', h('a', {dir: 'auto'}), h('span.note')), canvasOf(1, 1)), ({children: [label, svg]}, {id, size, leaks, ends, bars}) => {
            const type = db.components.get(id);
            set(label.firstChild, {href: choosing(type), text: nameOf(id), title: nameOf(id)});
            write(label.lastChild, listed(type ? count(type.live) + ' alive' : some(size, 'instance'), leaks && '▲ ' + some(leaks, 'leak suspect')));
            set(svg, {viewBox: `0 0 1000 ${ends.length * 8}`});
            each(svg, bars, () => s('rect', {height: 6}), (bar, [row, {start, end, how}]) => set(bar, {x: x(start), y: row * 8 + 1, width: Math.max(2, x(end ?? db.at) - x(start)), class: 'life ' + how}), ([, one]) => one.id);
        }, byID);
        write(rest, listed(clock(begins()) + ' to ' + clock(ends()), found.length > LANES && some(found.length - LANES, 'more type'), hidden && count(hidden) + ' more in the table', db.dropped.instances && count(db.dropped.instances) + ' older dropped'));
    };
    return el;
}
