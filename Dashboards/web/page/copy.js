// SPDX-License-Identifier: Apache-2.0
// Exports the content of a panel as JSON or CSV, and the whole state as a file. A table is [heads, row, row…].

import {html} from '../base/dom.js';
import {membersText} from '../base/format.js';
import {confirmShortly, showDialog} from '../base/notices.js';
import {copySnapshot, store} from '../model/store.js';

// CSV as in RFC 4180.
export const csvText = (table) => table.map((row) => row.map(csvCell).join(',') + '\r\n').join('');

function csvCell(value) {
    const text = csvValue(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// A text that a spreadsheet would run as a formula is marked as text.
function csvValue(value) {
    if (Array.isArray(value)) return JSON.stringify(value);
    const plain = value && value.constructor === Object ? membersText(value, '=') : value;
    if (typeof plain === 'string' && /^[=+\-@\t\r]/.test(plain)) return "'" + plain;
    return String(plain ?? '');
}

export function jsonText([heads, ...rows]) {
    const objects = rows.map((row) => Object.fromEntries(heads.map((head, index) => [head, row[index] ?? null])));
    return JSON.stringify(objects, null, 2);
}

// Copies to the clipboard. If that is denied, shows the text in a dialog.
export async function copyText(format, text) {
    try {
        await navigator.clipboard.writeText(text);
        confirmShortly(`Copied as ${format}.`);
    } catch {
        const area = html('textarea', {rows: 12, readonly: true, 'aria-label': format}, text);
        showDialog('Copy as ' + format, area);
    }
}

// Saves the snapshot as a file, which axiom-dashboard can render and compare.
export function saveSnapshot() {
    const href = URL.createObjectURL(new Blob([JSON.stringify(copySnapshot())]));
    html('a', {href, download: `axiom-${Math.round(store.at)}.json`}).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
}
