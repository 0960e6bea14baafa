// SPDX-License-Identifier: Apache-2.0
// The heads of a table, with buttons that sort it.

import {button, html, update} from '../base/dom.js';
import {sum} from '../base/format.js';
import {settings} from '../model/settings.js';
import {meaningOf, widthOf} from './columns.js';
import {sortBy, sortOf} from './order.js';

const HELD = 'The order is that of some seconds ago: it changes every 5 s, and not while you are in the table';

// Whether a column that can be chosen is shown. The setting has the columns that are shown or hidden other than by
// default.
export const isColumnShown = ({key, isOptional}) => isOptional === settings.cols.split(',').includes(key);

export function drawHead(table) {
    const columns = table.columns.filter((column, index) => !table.hasChoice || index === 0 || isColumnShown(column));
    if (keysOf(columns) !== keysOf(table.shownColumns)) showColumns(table, columns);
    const {key, isDownwards} = sortOf(table);
    columns.forEach((column, index) => {
        const direction = isDownwards ? 'descending' : 'ascending';
        const isSorted = column.key === key;
        const title = isSorted && table.isHeld ? HELD : meaningOf(table.id, column);
        const kind = [column.show && 'n', isSorted && table.isHeld && 'held'].filter(Boolean).join(' ');
        update(table.head.children[index], {'aria-sort': isSorted && direction, class: kind || false, title});
    });
    update(table.grid, {'aria-rowcount': table.isVirtual && table.rows.length + 1});
}

const keysOf = (columns) => columns.map(({key}) => key).join();

function showColumns(table, columns) {
    table.shownColumns = columns;
    table.body.replaceChildren();
    table.body.childrenByKey = null;
    table.head.replaceChildren(...columns.map((column) => makeHead(table, column)));
    table.grid.style.minWidth = sum(columns.map(widthOf)) + 'em';
}

function makeHead(table, column) {
    const {title, format} = column;
    const label = format === 'spark' ? title : button(title, () => sortBy(table, column));
    const head = html('th', {scope: 'col'}, label);
    head.style.width = widthOf(column) + 'em';
    return head;
}
