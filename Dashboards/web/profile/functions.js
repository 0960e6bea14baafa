// SPDX-License-Identifier: Apache-2.0
// The table of the frames, by what they used themselves and with all that they called.

import {plural, shortName} from '../base/format.js';
import {address} from '../model/settings.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';
import {changeOf, estimate} from './statistics.js';
import {MEASURES, changeText, labelOf, shareText} from './texts.js';
import {makeFunctions} from './tree.js';

// Names of functions have at most 120, and a sign before them: none is cut, so that no two rows read the same.
const MOST_CHARACTERS = 122;

// A number with a text of its own.
const shown = (width, show) => ({width, show});
const SHARE = shown(9, (value, row) => row.ofSelf);

// The names stay in place when a narrow table is scrolled.
const NAME_WIDTH = window.innerWidth > 640 ? 30 : 13;
const NAME = column('frame', 'Function', {width: NAME_WIDTH}, {cut: MOST_CHARACTERS});
const MODULE = column('module', '', 'label');
const COLUMNS = [
    NAME,
    MODULE,
    column('self', '', shown(6, (value, {format}) => format(value))),
    column('selfShare', 'Self share', SHARE),
    column('total', '', shown(6, (value, {format}) => format(value))),
    column('totalShare', 'Total share', shown(9, (value, row) => row.ofTotal)),
    column('samples', '', 'count'),
];
const COMPARED_COLUMNS = [
    NAME,
    column('change', '', shown(8, (value) => (value ? changeText(value) : 'none'))),
    column('shareBefore', 'Total before', shown(9, (value, row) => row.ofBefore)),
    column('totalShare', 'Total after', shown(9, (value, row) => row.ofTotal)),
    column('selfShare', 'Self after', SHARE),
    MODULE,
];

export function makeFunctionTable() {
    const table = makeTable('profile', 'Functions', COLUMNS, {
        calm: 0,
        linked: 'frame',
        target: ({name}) => address({find: name}),
    });
    table.drawFunctions = (sides, view) => {
        // Each kind of table has an order of its own.
        table.id = view.isCompared ? 'profiles' : 'profile';
        table.columns = view.isCompared ? COMPARED_COLUMNS : COLUMNS;
        table.sort = view.isCompared ? '-change' : '-self';
        const rows = [...makeFunctions(sides, view.measure)].map(([id, node]) => rowOf(id, node, view));
        table.draw(rows.filter(({self, total, shareBefore}) => self || total || shareBefore));
        return plural(rows.length, 'function');
    };
    return table;
}

function rowOf(id, {frame, now, before}, {root, measure}) {
    const share = estimate(now, root.now, measure);
    const shareBefore = estimate(before, root.before, measure);
    return {
        id,
        name: frame.name,
        frame: labelOf(frame),
        module: frame.module,
        format: MEASURES[measure][1],
        self: now.own.value,
        total: now.value,
        samples: now.samples,
        selfShare: estimate(now.own, root.now, measure).share,
        totalShare: share.share,
        shareBefore: shareBefore.share,
        change: changeOf(shareBefore, share),
        ofSelf: shareText(now.own, root.now, measure),
        ofTotal: shareText(now, root.now, measure),
        ofBefore: shareText(before, root.before, measure),
    };
}
