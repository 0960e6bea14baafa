// SPDX-License-Identifier: Apache-2.0
// The heads of a table, with buttons that sort it.

import {button, html, update} from '../base/dom.js';
import {sum} from '../base/format.js';
import {settings} from '../model/settings.js';
import {meaningOf, widthOf} from './columns.js';
import {sortBy, sortOf} from './order.js';

// Whether a column that can be chosen is shown. The setting has the columns that are shown or hidden other than by
// default.
export const isColumnShown = ({key, isOptional}) => isOptional === settings.cols.split(',').includes(key);

export function drawHead(table) {
    const columns = table.columns.filter((column, index) => !table.hasChoice || index === 0 || isColumnShown(column));
    if (keysOf(columns) !== keysOf(table.shownColumns)) showColumns(table, columns);
    const {key, isDownwards} = sortOf(table);
    columns.forEach((column, index) => {
        const direction = isDownwards ? 'descending' : 'ascending';
        // An order that is held has no arrow: it is no longer that of the values.
        const isSorted = column.key === key && !table.isHeld;
        update(table.head.children[index], {'aria-sort': isSorted && direction});
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
    const {title, format, show} = column;
    const label = format === 'spark' ? title : button(title, () => sortBy(table, column));
    const head = html('th', {scope: 'col', class: show && 'n', title: meaningOf(table.id, column)}, label);
    head.style.width = widthOf(column) + 'em';
    return head;
}
