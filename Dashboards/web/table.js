// SPDX-License-Identifier: Apache-2.0
// Sortable tables. Large tables (ten thousand rows) create only the visible rows; ARIA attributes then give the number of
// rows and the index of each row to screen readers.

const inUnit = (v, {unit}) => ({bytes, ratio: share, count}[unit] || seconds)(v), callOf = ({component, action}) => nameOf(component) + (action ? '.' + action : '');
const FORMATS = {n: count, s: seconds, p: share, b: bytes, r: rate, x: times, t: (v) => clock(v), m: (v) => clock(v, 23), u: inUnit, o: (v) => (v > 1 ? times(v) + ' over' : share(v))}, FIELDS = {component: (row) => nameOf(row.component), call: callOf};

// What a column means, by its key: the same in every table but where the id of the table precedes the key.
const MEANINGS = {
    errorRatio: 'Failed and rejected calls, of all calls of the last 60 s', rate: 'Calls a second in the last 60 s', errors: 'Failed calls since the start', calls: 'Calls since the start',
    p50: 'Half of the calls of the last 60 s took no longer', p90: '90 % of the calls of the last 60 s took no longer', p99: '99 % of the calls of the last 60 s took no longer',
    budgetsp99: '99 % of the checks since the start cost no more', spark: 'The last 5 minutes', over: 'Share of checks over the limit since the start', burn: 'How fast the allowed share is used up: above 1 it is missed',
};
// Percentiles of calls are known as far as the buckets of the histogram tell them apart.
const meaningOf = (id, key) => MEANINGS[id + key] || listed(MEANINGS[key.split('.')[0]], /^p\d/.test(key) && db.bounds.latency?.[0] && 'estimated between two of these bounds: ' + db.bounds.latency.map(seconds).join(', '));
// The widths of columns in em. They do not depend on the content, so that nothing moves when a number grows.
const LONG = {sample: 17, text: 26, note: 8, reason: 16}, SHORT = {name: 12.3, kind: 8, budget: 9.6, action: 13, outcome: 7, how: 7, status: 10, percentile: 5}, WIDTHS = {v: 11.8, k: 7.1, t: 9.5, u: 6.4, o: 7, r: 5.6, s: 6, m: 9, l: 9, '': 14};
const widthOf = ({key, format, show, title}) => (format !== 'l' && LONG[key]) || Math.max(title.length * 0.62 + 2, (!show && SHORT[key]) || WIDTHS[format] || 5);

// Columns are written 'key:format:Title, …'. A key is a path into the row, or one of FIELDS. A format is one of FORMATS, v
// for a state k for a sparkline, or l for a label. A ? after the title hides the column by default.
const columnsOf = (text) => text.split(', ').map((part) => {
    const [key, format, title] = part.split(':'), path = key.split('.');
    return {key, format, title: title.replace('?', ''), off: title.endsWith('?'), show: FORMATS[format], get: FIELDS[key] || ((row) => path.reduce((at, name) => at?.[name], row))};
});

// Options: `sort`, `choice` if rows and columns can be chosen, `linked` for the key of the column with the link `target(row)`,
// `keyed` if nodes stay with their rows, `calm` for the seconds between two changes of the order, `empty` for the text of an
// empty table.
function table(id, caption, columns, options) {
    const it = {calm: 10, linked: options.choice && 'name', target: choosing, ...options, id, columns: columnsOf(columns), order: [], picked: [], top: 0, open: new Set()};
    it.long = it.columns.some((c) => LONG[c.key]);
    it.build = () => buildTable(it, caption);
    it.draw = (rows, why = it.empty) => {
        const whole = it.long && (state.whole || chosen());
        it.blank.hidden = !(it.scroll.hidden = !rows.length);
        write(it.blank, why || 'Nothing yet.');
        set(it.grid, {class: whole && 'whole'});
        it.many = rows.length > 60 && !printing && !whole;
        arrange(it, rows);
        drawHead(it);
        drawRows(it);
    };
    it.data = () => [it.columns.map((c) => c.title), ...it.order.map((row) => it.columns.map((c) => c.get(row)))];
    return it;
}

// Creates the nodes of a table: with its panel, which is after the first paint.
function buildTable(it, caption) {
    const head = h('tr'), body = h('tbody'), [before, after] = [0, 1].map(() => h('tbody', {'aria-hidden': 'true'}, h('tr', h('td.pad'))));
    const grid = h('table', h('caption.away', caption), h('thead', head), before, body, after), blank = h('p.empty'), scroll = set(region(caption + ' table', grid), {onscroll: () => {
        it.top = scroll.scrollTop;
        drawRows(it);
    }});
    // A click on a row with a long text shows all of it.
    body.onclick = ({target}) => {
        const {row} = target.closest('tr');
        if (!it.long || target.closest('a') || !window.getSelection().isCollapsed) return;
        if (!it.open.delete(row.id)) it.open.add(row.id);
        drawRows(it);
    };
    Object.assign(it, {head, body, before, after, grid, scroll, blank});
    return h('div', scroll, blank);
}

const sortOf = (it) => (state['sort.' + it.id] || it.sort || '').match(/(-?)(.*)/);
const isShown = (c, i) => !i || c.off === state.cols.split(',').includes(c.key);

function drawHead(it) {
    const [, down, key] = sortOf(it), columns = it.choice ? it.columns.filter(isShown) : it.columns;
    if (String(it.picked.map((c) => c.key)) !== String(columns.map((c) => c.key))) {
        it.picked = columns;
        it.body.replaceChildren();
        it.body.nodes = null;
        it.head.replaceChildren(...columns.map((c) => {
            const th = h('th', {scope: 'col', class: c.show && 'n', title: meaningOf(it.id, c.key)}, c.format === 'k' ? c.title : button(c.title, () => {
                const [, down, key] = sortOf(it);
                choose({['sort.' + it.id]: ((c.key === key ? !down : c.show) ? '-' : '') + c.key});
            }));
            th.style.width = widthOf(c) + 'em';
            return th;
        }));
        it.grid.style.minWidth = sum(columns.map(widthOf)) + 'em';
    }
    columns.forEach((c, i) => set(it.head.children[i], {'aria-sort': c.key === key && (down ? 'descending' : 'ascending')}));
    set(it.grid, {'aria-rowcount': it.many && it.order.length + 1});
}

// Sorts the rows; unknown values come last. The order of known rows is kept for some seconds, and while the pointer or the
// focus is in the table, so that the row that one reads is the row that one clicks.
function arrange(it, rows) {
    const [spec, down, key] = sortOf(it), column = it.columns.find((c) => c.key === key), way = down ? -1 : 1, time = performance.now();
    const kept = it.spec === spec && (time < it.until || it.body.matches(':hover, :focus-within')) && new Map(it.order.map((row, i) => [row.id, i]));
    const rank = (row) => (kept ? kept.get(row.id) ?? Infinity : 0);
    if (!kept) Object.assign(it, {spec, until: time + it.calm * 1000 * !!it.order.length});
    it.order = rows;
    if (column) it.order = rows.map((row) => [column.get(row), row, rank(row)]).sort(([a, , i], [b, , k]) => (i < k ? -1 : i > k ? 1 : (a == null) - (b == null) || way * (real(a) && real(b) ? a - b : a == null ? 0 : String(a).localeCompare(b)))).map((entry) => entry[1]);
}

// Draws the visible rows between two empty rows with the height of the others.
function drawRows({order, many, top, picked, before, after, body, keyed, linked, target, open}) {
    const high = state.density === 'compact' ? 26 : 34, first = many ? Math.max(0, Math.floor(top / high) - 5) : 0, rows = order.slice(first, first + (many ? 40 : 1000));
    for (const [pad, n] of [[before, first], [after, order.length - first - rows.length]]) {
        pad.hidden = !n;
        pad.firstChild.firstChild.style.height = n * high + 'px';
    }
    each(body, rows, () => h('tr', ...picked.map((c, i) => h(i ? 'td' : 'th', {class: c.show && 'n', scope: !i && 'row'}, c.format === 'k' ? spark() : h(c.key === linked || c.key === 'code' && live.mode !== 'static' ? 'a' : 'span', {dir: 'auto'})))), (tr, row, i) => {
        tr.row = row;
        set(tr, {'aria-rowindex': many && first + i + 2, class: open.has(row.id) && 'open'});
        picked.forEach(({key, format, show, get}, k) => {
            const value = get(row), node = tr.children[k].firstChild;
            if (format === 'k') drawSpark(node, value);
            else if (format === 'v') badge(node, value);
            else {
                const text = show ? show(value, row) : String(value ?? '').slice(0, 500);
                set(node, {text, title: text.length > 12 && explained(text)});
            }
            if (key === linked) set(node, {href: target(row)});
            // The server has a page that explains the codes of the framework.
            if (key === 'code' && live.mode !== 'static') set(node, {href: explained(value) !== value && api('codes') + '#' + value});
        });
    }, keyed ? byID : undefined);
}
