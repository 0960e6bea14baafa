// SPDX-License-Identifier: Apache-2.0
// Takes what a panel shows elsewhere: as PromQL, as JSON, as CSV. Tables are [heads, row, row…].

// CSV by RFC 4180; a cell that a spreadsheet would run as a formula is marked as text.
const csv = (rows) => rows.map((row) => row.map((v) => {
    const plain = typeof v === 'string' && /^[=+\-@\t\r]/.test(v) ? "'" + v : String(v ?? '');
    return /[",\r\n]/.test(plain) ? '"' + plain.replaceAll('"', '""') + '"' : plain;
}).join() + '\r\n').join('');

const json = ([heads, ...rows]) => JSON.stringify(rows.map((row) => Object.fromEntries(heads.map((head, i) => [head, row[i] ?? null]))), null, 2);

// To the clipboard; where that is denied, into a dialog from which it can be taken by hand.
function copy(what, content) {
    navigator.clipboard.writeText(content).then(() => notice(`Copied as ${what}.`), () => dialog('Copy as ' + what, h('textarea', {rows: 12, readonly: true, 'aria-label': what}, content)));
}

// The snapshot as a file, which this page can load to compare, and axiom-dashboard can render.
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

// What stands at the top until it is settled, by what it is about.
const banners = new Map();
function banner(about, kind, said) {
    banners.delete(about);
    if (said) banners.set(about, [kind, said]);
    $('banner').hidden = !banners.size;
    each($('banner'), [...banners.values()], () => h('p', h('span')), (line, state) => badge(line.firstChild, ...state));
}

// A word of confirmation, seen for a while and said.
function notice(said) {
    setTimeout(banner, 4000, 'notice');
    banner('notice', 'info', said);
    announce(said);
}
