// SPDX-License-Identifier: Apache-2.0
// Compares two snapshots and shows the differences.

import {button} from '../base/dom.js';
import {textOf} from '../base/format.js';
import {isFile} from '../connection/live.js';
import {markAfter, markBefore, marks} from '../model/marks.js';
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

panel('compare', 'Compare', {isOfComponent: false, table: table.content}, (body, tools) => {
    tools.prepend(button('Mark before', markBefore), button('Mark after', markAfter));
    body.append(table.build());
    return () => {
        const {before, after} = marks;
        if (!before) {
            table.draw([], 'Press Mark before.');
            return '';
        }
        table.draw(differencesOf(before, after || copySnapshot()), 'Nothing changed.');
        return `${clockTime(before.capturedAt)} against ${afterText(after)}`;
    };
});

function afterText(after) {
    if (after) return clockTime(after.capturedAt);
    return isFile() ? clockTime(store.at) : 'now';
}
