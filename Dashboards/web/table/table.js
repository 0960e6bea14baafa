// SPDX-License-Identifier: Apache-2.0
// Sortable tables. Large tables (ten thousand rows) create only the visible rows; ARIA attributes then give the number
// of rows and the index of each row to screen readers.

import {html, region, setText, update} from '../base/dom.js';
import {refresh} from '../base/frames.js';
import {chosenComponent, componentAddress} from '../model/components.js';
import {settings} from '../model/settings.js';
import {isLongText} from './columns.js';
import {drawHead} from './head.js';
import {sortRows} from './order.js';
import {drawRows} from './rows.js';

// A table with more rows creates only the visible ones.
const MOST_ROWS = 60;

export const printing = {isActive: false};

// Makes a table. It has `build()`, which creates its nodes, `buildTitled()`, which adds the caption as a title,
// `draw(rows, emptyText)`, and `content()`, which returns
// [heads, row…] to copy. Options:
// - sort: the key of the column by which it is sorted, after a - if downwards.
// - hasChoice: whether columns can be chosen, and the names are links to components.
// - linked: the key of the column with a link.
// - target(row): the address of that link. By default the page of the component.
// - isKeyed: whether nodes stay with their rows.
// - calm: the seconds between two changes of the order. 5 by default.
// - orders: further orders, each with a key and `value(row)`.
// - kindOf(row), signOf(row): the class of a row, and the sign before its link.
// - empty: the text of an empty table.
export function makeTable(id, caption, columns, options) {
    const table = {
        id,
        caption,
        columns,
        calm: 5,
        orders: [],
        kindOf: () => false,
        linked: options.hasChoice && 'name',
        target: componentAddress,
        ...options,
        rows: [],
        shownColumns: [],
        openRows: new Set(),
        scrolled: 0,
        hasLongTexts: columns.some(isLongText),
    };
    table.build = () => buildTable(table);
    table.buildTitled = () => html('div', html('h3', caption), table.build());
    table.draw = (rows, emptyText = table.empty) => drawTable(table, rows, emptyText);
    table.content = () => [
        columns.map(({title}) => title),
        ...table.rows.map((row) => columns.map((column) => column.value(row))),
    ];
    return table;
}

function drawTable(table, rows, emptyText) {
    const showsWholeTexts = table.hasLongTexts && (settings.whole || chosenComponent());
    table.scroll.hidden = !rows.length;
    table.blank.hidden = Boolean(rows.length);
    setText(table.blank, emptyText || 'Nothing yet.');
    update(table.grid, {class: showsWholeTexts && 'whole'});
    table.isVirtual = rows.length > MOST_ROWS && !printing.isActive && !showsWholeTexts;
    sortRows(table, rows);
    drawHead(table);
    drawRows(table);
}

// Creates the nodes of a table: with its panel, which is after the first paint.
function buildTable(table) {
    table.head = html('tr');
    table.body = html('tbody');
    table.before = makePadding();
    table.after = makePadding();
    const caption = html('caption.away', table.caption);
    table.grid = html('table', caption, html('thead', table.head), table.before, table.body, table.after);
    table.blank = html('p.empty');
    table.scroll = region(table.caption + ' table', table.grid);
    table.scroll.onscroll = () => {
        table.scrolled = table.scroll.scrollTop;
        drawRows(table);
    };
    // What the user has left is put in order at once.
    table.scroll.onpointerleave = () => {
        table.calmUntil = 0;
        refresh();
    };
    table.body.onclick = ({target}) => openRow(table, target);
    return html('div', table.scroll, table.blank);
}

// A row with the height of the rows that are not created.
const makePadding = () => html('tbody', {'aria-hidden': 'true'}, html('tr', html('td.pad')));

// A click on a row with a long text shows all of it.
function openRow(table, target) {
    const {row} = target.closest('tr');
    if (!table.hasLongTexts || target.closest('a') || !window.getSelection().isCollapsed) return;
    const wasOpen = table.openRows.delete(row.id);
    if (!wasOpen) table.openRows.add(row.id);
    drawRows(table);
}
