// SPDX-License-Identifier: Apache-2.0
// Formats numbers: three significant digits with a unit, and "n/a" for what is not a number.

const NA = 'n/a', real = (v) => typeof v === 'number' && !Number.isNaN(v);
// Not Intl.NumberFormat: its first use takes 30 ms.
const grouped = (v) => String(Math.round(v)).replace(/\B(?=(\d{3})+$)/g, ',');
const digits = (v, size = Math.abs(v)) => (size >= 1e15 ? v.toExponential(1) : size >= 99.95 ? grouped(v) : String(+v.toPrecision(3)));

// The value in the largest of `units` that it fills: [from, name, size when it differs], the largest first.
function scaled(v, units) {
    if (!Number.isFinite(v)) return NA;
    const [from, name, unit = from] = units.find(([u]) => Math.abs(v) >= u * 0.9995) || units.at(-1);
    return digits(v / unit).replace('-', '−') + name;
}

const COUNT = [[1e12, ' T'], [1e9, ' G'], [1e6, ' M'], [1e5, ' k', 1e3], [1, '']], BYTES = [[2 ** 30, ' GiB'], [2 ** 20, ' MiB'], [2 ** 10, ' KiB'], [1, ' B']];
const TIME = [[172800, ' d', 86400], [7200, ' h', 3600], [120, ' min', 60], [1, ' s'], [1e-3, ' ms'], [1e-6, ' µs'], [1e-9, ' ns']];

const count = (v) => scaled(v, COUNT), bytes = (v) => scaled(v, BYTES), seconds = (v) => (v === 0 ? '0 s' : scaled(v, TIME));
// A duration in whole units, the two largest of them: '8 min 14 s', '2 h 03 min'.
function whole(v) {
    if (!Number.isFinite(v)) return NA;
    const all = Math.max(0, Math.round(v)), [size, name, part, small] = [[86400, 'd', 3600, 'h'], [3600, 'h', 60, 'min'], [60, 'min', 1, 's']].find(([size]) => all >= size) || [];
    return size ? `${grouped(Math.floor(all / size))} ${name} ${String(Math.floor(all % size / part)).padStart(2, '0')} ${small}` : all + ' s';
}
const share = (v) => (real(v) ? count(v * 100) + ' %' : NA), rate = (v) => (real(v) ? count(v) + '/s' : NA), times = (v) => (real(v) ? count(v) + '×' : NA);
const word = (v) => (v == null || v === '' ? NA : String(v));
const some = (n, one) => `${count(n)} ${one}${n === 1 ? '' : 's'}`;
const wordsIn = (object, sign) => Object.entries(object || {}).map((pair) => pair.join(sign)).join(', ');
const listed = (...parts) => parts.filter(Boolean).join(', ');
const sum = (list) => list.reduce((a, b) => a + (b || 0), 0);

// `local` formats a local time, with 23 characters including milliseconds; `clock` leaves out the date if it is that of the
// last tick.
function local(t, size = 19) {
    const date = new Date(Math.round(t * 1000));
    return real(t) && Math.abs(t) < 8e12 ? new Date(date - date.getTimezoneOffset() * 6e4).toISOString().slice(0, size).replace('T', ' ') : NA;
}
const clock = (t, size) => local(t, size).replace(local(db.at).slice(0, 11), '');
// The time zone at a time, such as UTC+2 or UTC−3:30.
const minutesOf = (t) => -new Date(t * 1000).getTimezoneOffset();
function zone(t = db.at) {
    const minutes = minutesOf(t), size = Math.abs(minutes);
    return 'UTC' + (size ? (minutes < 0 ? '−' : '+') + Math.floor(size / 60) + (size % 60 ? ':' + size % 60 : '') : '');
}

// A time in ISO 8601 with its offset from UTC.
const stamp = (t) => local(t).replace(' ', 'T') + (minutesOf(t) < 0 ? '-' : '+') + new Date(Math.abs(minutesOf(t)) * 6e4).toISOString().slice(11, 16);

// The states of the protocol, each with icon, colour and word: never colour alone.
const ICONS = {good: '✓', warn: '▲', bad: '✕', idle: '–', info: '●'}, KNOWN = new Map();
for (const [kind, names] of Object.entries({
    good: 'full,live,polling=live by polling,met,ok,closed,success', bad: 'off=unavailable,lost=connection lost,ended=process ended,violated=missed,regressed,severe,open,forced-open=forced open,error,critical,failure',
    warn: 'limited,minimal,half-open,would=would be open,warning,rejected', info: 'static=static export,paused,shadow,info,notice',
    idle: 'hidden=asleep,unmeasured=not measured yet,unbuilt=not built,unavailable=n/a,insufficient=too little data',
})) {
    for (const [name, said = name] of pairs(names)) KNOWN.set(name, [kind, said]);
}
const stateOf = (name) => KNOWN.get(name) || ['idle', word(name)], kindOf = (name) => stateOf(name)[0];

// Shows a state, or a kind of state with the given text.
function badge(node, name, said) {
    const kind = said ? name : kindOf(name);
    return set(node, {class: 'badge ' + kind, text: (ICONS[kind] || '●') + '\u2002' + (said || stateOf(name)[1])});
}
