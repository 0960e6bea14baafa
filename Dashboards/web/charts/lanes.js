// SPDX-License-Identifier: Apache-2.0
// Lifetimes as bars: one lane for each component type. Overlapping instances are stacked.

import {html, idOf, region, setText, svg, update, updateChildren} from '../base/dom.js';
import {count, joined, plural, sum} from '../base/format.js';
import {componentAddress, nameOf} from '../model/components.js';
import {clockTime, shownBegin, shownEnd, shownSeconds} from '../model/range.js';
import {store} from '../model/store.js';
import {makeDrawing} from './marks.js';

const MOST_LANES = 100;
// The most bars above one another, and the height of each.
const MOST_ROWS = 6;
const ROW_HEIGHT = 8;
// The units of the width of a lane.
const WIDTH = 1000;
const ENDINGS = ['live', 'finished', 'cancelled', 'failed', 'leaked'];

const endOf = ({end}) => end ?? store.at;
const isLeaked = ({how}) => how === 'leaked';

// Groups instances by component and stacks those that overlap. Components with suspected leaks come first.
function lanesOf(instances) {
    const lanes = new Map();
    const byStart = (left, right) => isLeaked(right) - isLeaked(left) || left.start - right.start;
    for (const instance of [...instances].sort(byStart)) {
        if (endOf(instance) < shownBegin() || instance.start > shownEnd()) continue;
        const id = instance.component;
        if (!lanes.has(id)) lanes.set(id, {id, rowEnds: [], bars: [], size: 0, leaks: 0});
        addTo(lanes.get(id), instance);
    }
    return [...lanes.values()].sort(
        (left, right) => right.leaks - left.leaks || nameOf(left.id).localeCompare(nameOf(right.id)),
    );
}

// Puts the bar of an instance into the first row that is free. A lane that is full only counts it.
function addTo(lane, instance) {
    const free = lane.rowEnds.findIndex((end) => end <= instance.start);
    const row = free < 0 ? lane.rowEnds.length : free;
    lane.size++;
    if (isLeaked(instance)) lane.leaks++;
    if (row >= MOST_ROWS) return;
    lane.rowEnds[row] = instance.end ?? Infinity;
    lane.bars.push({id: instance.id, row, instance});
}

export function makeLanes() {
    const list = html('ul.lanes');
    const note = html('p.note');
    const legend = html('p.keys', ...ENDINGS.map(makeKey));
    const chart = html('div', legend, region('Lanes of instances', list), note);
    chart.draw = (instances) => {
        const all = lanesOf(instances);
        const lanes = all.slice(0, MOST_LANES);
        const hiddenBars = instances.length - sum(lanes.map(({bars}) => bars.length));
        updateChildren(list, lanes, makeLane, drawLane, idOf);
        setText(note, noteOf(all.length - lanes.length, hiddenBars));
    };
    return chart;
}

const makeKey = (how) =>
    html('span', makeDrawing(16, 8, svg('rect.life ' + how, {width: 16, height: ROW_HEIGHT})), how);

const makeLane = () => html('li', html('div', html('a', {dir: 'auto'}), html('span.note')), makeDrawing(1, 1));

function drawLane(item, {id, size, leaks, rowEnds, bars}) {
    const [label, drawing] = item.children;
    const component = store.components.get(id);
    const number = component ? count(component.live) + ' alive' : plural(size, 'instance');
    update(label.firstChild, {href: componentAddress(component), text: nameOf(id), title: nameOf(id)});
    setText(label.lastChild, joined(number, leaks && '▲ ' + plural(leaks, 'leak suspect')));
    update(drawing, {viewBox: `0 0 ${WIDTH} ${rowEnds.length * ROW_HEIGHT}`});
    updateChildren(drawing, bars, () => svg('rect', {height: ROW_HEIGHT - 2}), drawBar, idOf);
}

function drawBar(bar, {row, instance}) {
    const begin = xOf(instance.start);
    const width = Math.max(2, xOf(endOf(instance)) - begin);
    update(bar, {x: begin, y: row * ROW_HEIGHT + 1, width, class: 'life ' + instance.how});
}

const xOf = (moment) => Math.max(0, Math.min(WIDTH, ((moment - shownBegin()) / shownSeconds()) * WIDTH));

function noteOf(hiddenLanes, hiddenBars) {
    const {instances: dropped} = store.dropped;
    return joined(
        `${clockTime(shownBegin())} to ${clockTime(shownEnd())}`,
        hiddenLanes && plural(hiddenLanes, 'more type'),
        hiddenBars && count(hiddenBars) + ' more in the table',
        dropped && count(dropped) + ' older dropped',
    );
}
