// SPDX-License-Identifier: Apache-2.0
// The visible rows of a table.

import {html, idOf, update, updateChildren} from '../base/dom.js';
import {isNumber, shortName} from '../base/format.js';
import {showState} from '../base/states.js';
import {drawSpark, makeSpark} from '../charts/marks.js';
import {isFile} from '../connection/live.js';
import {url} from '../connection/server.js';
import {explained, explainedCode} from '../model/errors.js';
import {settings} from '../model/settings.js';

// How many rows of a large table exist, how many of them are above the visible ones, and how many rows others have at
// most.
const VIRTUAL_ROWS = 40;
const ROWS_ABOVE = 5;
const MOST_ROWS = 1000;
// The most characters of a cell.
const LONGEST_TEXT = 500;

// Draws the visible rows between two empty rows with the height of the others.
export function drawRows(table) {
    const height = settings.density === 'compact' ? 26 : 34;
    const first = table.isVirtual ? Math.max(0, Math.floor(table.scrolled / height) - ROWS_ABOVE) : 0;
    const rows = table.rows.slice(first, first + (table.isVirtual ? VIRTUAL_ROWS : MOST_ROWS));
    pad(table.before, first * height);
    pad(table.after, (table.rows.length - first - rows.length) * height);
    const drawAt = (node, row, index) => drawRow(table, node, row, first + index);
    updateChildren(table.body, rows, () => makeRow(table), drawAt, table.isKeyed ? idOf : undefined);
}

function pad(padding, height) {
    const cell = padding.firstChild.firstChild;
    padding.hidden = !height;
    cell.style.height = height + 'px';
}

function makeRow(table) {
    const cells = table.shownColumns.map((column, index) => {
        const content = makeContent(table, column);
        const kind = [column.show && 'n', column.bar && 'bar'].filter(Boolean).join(' ');
        return html(index ? 'td' : 'th', {class: kind || false, scope: !index && 'row'}, content);
    });
    return html('tr', ...cells);
}

function makeContent(table, {format, key}) {
    if (format === 'spark') return makeSpark();
    const isLink = key === table.linked || isCodeLink(key);
    return html(isLink ? 'a' : 'span', {dir: 'auto'});
}

// The server has a page that explains the codes of the framework.
const isCodeLink = (key) => key === 'code' && !isFile();

function drawRow(table, node, row, index) {
    node.row = row;
    const kind = table.openRows.has(row.id) ? 'open' : table.kindOf(row);
    update(node, {'aria-rowindex': table.isVirtual && index + 2, class: kind});
    table.shownColumns.forEach((column, place) => {
        const cell = node.children[place];
        const content = cell.firstChild;
        drawContent(content, column, row);
        if (column.bar) drawBar(cell, column.bar(row));
        if (column.key === table.linked) {
            update(content, {href: table.target(row), 'data-sign': table.signOf?.(row)});
        }
        // A chain of causes is shown whole, because its end matters most. Rows of a virtual table have one height.
        if (column.key === 'code') update(cell, {class: row.chain && !table.isVirtual && 'wrapped'});
    });
}

function drawBar(cell, [part, kind]) {
    cell.style.setProperty('--part', Math.min(1, part || 0));
    update(cell, {class: isNumber(part) ? `n bar ${kind || ''}` : 'n'});
}

function drawContent(content, {key, format, show, cut, value: valueOf}, row) {
    const value = valueOf(row);
    if (format === 'spark') drawSpark(content, value);
    else if (format === 'state') showState(content, value);
    else {
        const text = show ? show(value, row) : String(value ?? '').slice(0, LONGEST_TEXT);
        update(content, {text: cut ? shortName(text, cut) : text, title: text.length > 12 && explained(text)});
    }
    if (isCodeLink(key)) {
        const code = explainedCode(value);
        update(content, {href: code && `${url('codes')}#${code}`});
    }
}
