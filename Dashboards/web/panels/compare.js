// SPDX-License-Identifier: Apache-2.0
// Compares the marked moment with what the page shows.

import {textOf} from '../base/format.js';
import {isIdle} from '../connection/live.js';
import {marks} from '../model/marks.js';
import {clockTime} from '../model/range.js';
import {copySnapshot, store} from '../model/store.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';
import {differencesOf} from './differences.js';

const VALUE = {show: textOf, width: 5};
const CHANGE = {show: (value, row) => row.changeText, width: 5};

const COLUMNS = [
    column('what'),
    column('measure'),
    column('a', 'Before', VALUE, {value: ({before}) => before}),
    column('b', 'After', VALUE, {value: ({after}) => after}),
    column('change', '', CHANGE),
];

const table = makeTable('compare', 'What changed', COLUMNS, {sort: '-change'});

const options = {isOfComponent: false, table: table.content, isEmpty: () => !marks.before};

panel('compare', 'Compare', options, (body) => {
    body.append(table.build());
    return () => {
        const {before} = marks;
        const rows = before ? differencesOf(before, copySnapshot()) : [];
        const end = isIdle() ? clockTime(store.at) : 'now';
        table.draw(rows, before ? 'Nothing changed.' : 'Press Mark first.');
        return before && `${clockTime(before.capturedAt)} against ${end}`;
    };
});
