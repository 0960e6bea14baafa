// SPDX-License-Identifier: Apache-2.0
// Exports the content of a panel as PromQL, JSON or CSV. A table is [heads, row, row…].

// CSV as in RFC 4180. A cell that a spreadsheet would run as a formula is marked as text.
const csv = (rows) => rows.map((row) => row.map((v) => {
    if (v && v.constructor === Object) v = wordsIn(v, '=');
    const plain = typeof v === 'string' && /^[=+\-@\t\r]/.test(v) ? "'" + v : String(v ?? '');
    return /[",\r\n]/.test(plain) ? '"' + plain.replaceAll('"', '""') + '"' : plain;
}).join() + '\r\n').join('');

const json = ([heads, ...rows]) => JSON.stringify(rows.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i] ?? null]))), null, 2);

// Copies to the clipboard. If that is denied, shows the text in a dialog.
function copy(what, content) {
    navigator.clipboard.writeText(content).then(() => notice(`Copied as ${what}.`), () => dialog('Copy as ' + what, h('textarea', {rows: 12, readonly: true, 'aria-label': what}, content)));
}

// Saves the snapshot as a file, which axiom-dashboard can render and compare.
function save() {
    const href = URL.createObjectURL(new Blob([JSON.stringify(dump())]));
    h('a', {href, download: `axiom-${Math.round(db.at)}.json`}).click();
    setTimeout(() => URL.revokeObjectURL(href), 10000);
}

function dialog(title, ...content) {
    const box = $('dialog');
    box.replaceChildren(h('h2', {id: 'titled'}, title), ...content, button('Close', () => box.close()));
    box.showModal();
}

// The notices at the top of the page, by subject. A notice stays until its subject is resolved.
const banners = new Map();
function banner(about, kind, said) {
    banners.delete(about);
    if (said) banners.set(about, [kind, said]);
    $('banner').hidden = !banners.size;
    each($('banner'), [...banners.values()], () => h('p', h('span')), (line, state) => badge(line.firstChild, ...state));
}

// A short confirmation: shown for 4 seconds, and announced to screen readers.
function notice(said) {
    setTimeout(banner, 4000, 'notice');
    banner('notice', 'info', said);
    announce(said);
}
