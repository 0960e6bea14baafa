// SPDX-License-Identifier: Apache-2.0
// Sortable tables. Large tables (ten thousand rows) create only the visible rows; ARIA attributes then give the number of
// rows and the index of each row to screen readers.

const inUnit = (v, {unit}) => ({bytes, ratio: share, count}[unit] || seconds)(v), callOf = ({component, action}) => nameOf(component) + (action ? '.' + action : '');
const FORMATS = {n: count, s: seconds, p: share, b: bytes, r: rate, x: times, t: clock, u: inUnit}, FIELDS = {component: (row) => nameOf(row.component), call: callOf};

// Columns are written 'key:format:Title, …'. A key is a path into the row, or one of FIELDS. A format is one of FORMATS, v
// for a state or k for a sparkline. A ? after the title hides the column by default.
const columnsOf = (text) => text.split(', ').map((part) => {
    const [key, format, title] = part.split(':'), path = key.split('.');
    return {key, format, title: title.replace('?', ''), off: title.endsWith('?'), show: FORMATS[format], get: FIELDS[key] || ((row) => path.reduce((at, name) => at?.[name], row))};
});

// Options: `sort`, `choice` if rows and columns can be chosen, `empty` for the text of an empty table.
function table(id, caption, columns, options) {
    const head = h('tr'), body = h('tbody'), [before, after] = [0, 1].map(() => h('tbody', {'aria-hidden': 'true'}, h('tr', h('td.pad'))));
    const grid = h('table', h('caption.away', caption), h('thead', head), before, body, after), empty = h('p.empty'), scroll = set(region(caption + ' table', grid), {onscroll: () => {
        it.top = scroll.scrollTop;
        drawRows(it);
    }});
    const it = {...options, id, head, body, before, after, grid, scroll, columns: columnsOf(columns), order: [], shown: [], top: 0, el: h('div', scroll, empty)};
    it.draw = (rows, why = it.empty) => {
        empty.hidden = !(scroll.hidden = !rows.length);
        set(empty, {text: why || 'Nothing yet.'});
        it.many = rows.length > 60 && !printing;
        arrange(it, rows);
        drawHead(it);
        drawRows(it);
    };
    it.data = () => [it.columns.map((c) => c.title), ...it.order.map((row) => it.columns.map((c) => c.get(row)))];
    return it;
}

const sortOf = (it) => (state['sort.' + it.id] || it.sort || '').match(/(-?)(.*)/);
const isShown = (c, i) => !i || c.off === state.cols.split(',').includes(c.key);

function drawHead(it) {
    const [, down, key] = sortOf(it), columns = it.choice ? it.columns.filter(isShown) : it.columns;
    if (String(it.shown.map((c) => c.key)) !== String(columns.map((c) => c.key))) {
        it.shown = columns;
        it.body.replaceChildren();
        it.head.replaceChildren(...columns.map((c) => h('th', {scope: 'col', class: c.show && 'n'}, c.format === 'k' ? c.title : button(c.title, () => {
            const [, down, key] = sortOf(it);
            choose({['sort.' + it.id]: ((c.key === key ? !down : c.show) ? '-' : '') + c.key});
        }))));
    }
    columns.forEach((c, i) => set(it.head.children[i], {'aria-sort': c.key === key && (down ? 'descending' : 'ascending')}));
    set(it.grid, {'aria-rowcount': it.many && it.order.length + 1});
}

// Sorts the rows; unknown values come last.
function arrange(it, rows) {
    const [, down, key] = sortOf(it), column = it.columns.find((c) => c.key === key), way = down ? -1 : 1;
    it.order = rows;
    if (column) it.order = rows.map((row) => [column.get(row), row]).sort(([a], [b]) => (a == null) - (b == null) || way * (real(a) && real(b) ? a - b : a == null ? 0 : String(a).localeCompare(b))).map((pair) => pair[1]);
}

// Draws the visible rows between two empty rows with the height of the others.
function drawRows({order, many, top, shown, before, after, body, choice}) {
    const high = state.density === 'compact' ? 26 : 34, first = many ? Math.max(0, Math.floor(top / high) - 5) : 0, rows = order.slice(first, first + (many ? 40 : 1000));
    for (const [pad, n] of [[before, first], [after, order.length - first - rows.length]]) {
        pad.hidden = !n;
        pad.firstChild.firstChild.style.height = n * high + 'px';
    }
    const one = chosen();
    each(body, rows, () => h('tr', ...shown.map((c, i) => h(i ? 'td' : 'th', {class: c.show && 'n', scope: !i && 'row'}, c.format === 'k' ? spark() : h(choice && !i ? 'a' : 'span', {dir: 'auto'})))), (tr, row, i) => {
        set(tr, {'aria-rowindex': many && first + i + 2, class: row === one && 'on'});
        if (choice) set(tr.firstChild.firstChild, {href: choosing(row)});
        shown.forEach(({format, show, get}, k) => {
            const value = get(row), node = tr.children[k].firstChild;
            if (format === 'k') drawSpark(node, value);
            else if (format === 'v') badge(node, value);
            else set(node, {text: show ? show(value, row) : String(value ?? '').slice(0, 500)});
        });
    });
}
