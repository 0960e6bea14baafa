// SPDX-License-Identifier: Apache-2.0
// A panel is a section with a function that draws it. Only visible panels are drawn each time.

const panels = {}, unmade = [];
let printing = false;

// `build(body, tools, panel)` fills the body once and returns the function that draws. That function may return the note
// beside the title. Options: `wide`; `one` if the panel is part of the page of a component; both are on by default; `alone` if
// the main page does not have it; `list`, the list that it shows, if that is not its id; `has(row)`, whether there is such a
// panel for the chosen component; `data()`, which returns the table to copy; and `text()`, which returns a text to copy.
function panel(id, title, options, build) {
    unmade.push(panels[id] = {id, title, build, wide: true, one: true, ...options});
}

// The table to copy of a list of the snapshot, with the given fields.
const dataOf = (list, fields) => () => [fields.split(' '), ...all(list).map((row) => fields.split(' ').map((key) => row[key]))];

// A panel with one table, which shows the rows of the chosen component.
function tablePanel(id, title, columns, options, note = () => '', more) {
    const it = table(id, title, columns, options);
    panel(id, title, {data: it.data, ...options}, (body, tools) => {
        body.append(it.build());
        if (it.long) tools.prepend(toggle('Whole texts', 'whole'));
        if (more) tools.prepend(more());
        return () => {
            const rows = all(id).filter((row) => isChosen(row) && (!options.only || options.only(row)));
            it.draw(rows, db[id].size ? 'No matches.' : options.why?.() || options.empty);
            return note(rows);
        };
    });
}

const sight = new IntersectionObserver((entries) => entries.forEach(({target, isIntersecting}) => {
    const it = panels[target.id];
    const before = it.seen;
    it.seen = isIntersecting;
    // A new panel has already been drawn.
    if (isIntersecting && before === false) drawPanel(it);
}), {rootMargin: '150px'});

function makePanel(it) {
    const {id, title, data, text} = it, body = h('div.body'), take = (what, make) => [what, () => copy(what, make())];
    const tools = h('div.tools', menu('Copy', 'Copy ' + title, ...[text && take('Text', text), db.promql?.[id] && take('PromQL', () => db.promql[id].replace('$component', JSON.stringify(chosen().name))), data && take('JSON', () => json(data())), data && take('CSV', () => csv(data()))].filter(Boolean)));
    it.note = h('span.note');
    it.name = h('h2', {id: id + '-title', tabindex: -1, dir: 'auto'}, title);
    it.el = h('section', {id, class: it.wide && 'wide', 'aria-labelledby': id + '-title'}, h('div.head', it.name, it.note, tools), body);
    it.draw = it.build(body, tools, it);
    $('main').append(it.el);
    sight.observe(it.el);
    follow();
    drawPanel(it);
}

function makeAll() {
    buildNav();
    unmade.splice(0).forEach(makePanel);
}

// The links to the panels that are not made yet. They come after the first paint, and before the panels, which they would move.
function buildNav() {
    for (const it of unmade) if (!it.alone && !it.link) {
        const {id, title} = it;
        it.count = h('b');
        $('nav').append(it.link = h('a', {href: '#panel=' + id, onclick: (event) => {
            event.preventDefault();
            goTo(id);
        }}, title + ' ', it.count));
        drawLinkOf(it);
    }
}

// A link to a panel, with the number of problems there.
let held = [];
function drawLinkOf(it) {
    if (!it.link || !db.received) return;
    it.link.hidden = isHidden(it);
    write(it.count, held.filter((problem) => problem.panel === it.id).length || '');
}

// A trace is alone. The page of a chosen component has the panels with the option `one`; the main page has all others but
// those that are `alone`.
const isHidden = (it, row = chosen()) => (state.trace ? it.id !== 'trace' : (row ? !it.one : it.alone) || (it.has && !it.has(row)));

function drawPanel(it) {
    if (!db.received || !it.el) return;
    it.el.hidden = isHidden(it);
    try {
        const age = db.ages[it.list || it.id] * db.step, text = listed(it.draw(), age > 2 * db.step && `▲ rows up to ${whole(age)} old`);
        set(it.note, {text, title: text});
        banner(it.id);
    } catch (error) {
        // A panel that fails must not affect the other panels.
        banner(it.id, 'bad', `The panel ${it.title} cannot show this data: ${error.message}`);
    }
}

// Scrolls to a panel and moves the focus to it.
function goTo(id) {
    const it = panels[id];
    if (!it) return;
    if (isHidden(it)) return it.alone || visit(address({sel: it.one ? state.sel : '', panel: id}));
    makeAll();
    it.el.scrollIntoView();
    it.name.focus({preventScroll: true});
    choose({panel: state.trace ? '' : id});
}

// A list of labels and values; its `draw` takes [[label, value]…].
function facts(kind) {
    const list = h('dl', {class: kind});
    list.draw = (rows) => each(list, rows, () => h('div', h('dt'), h('dd')), (item, row) => row.forEach((text, i) => write(item.children[i], text)));
    return list;
}

// A list of the snapshot whose rows have name, value and unit, as rows for `facts`.
const factsOf = (list) => all(list).map((row) => [row.name, inUnit(row.value, row)]);

// A panel of charts over the shown ring, with the facts of its list below. Copying gives the series of the charts.
function chartPanel(id, title, keys, charts, wide = false) {
    keys = keys.split(' ');
    const data = () => {
        const {start, step, series} = shown();
        return [['time', ...keys], ...Array.from({length: sizeOf(shown())}, (_, i) => [new Date((start + i * step) * 1000).toISOString(), ...keys.map((key) => series[key]?.[i])])];
    };
    panel(id, title, {data, wide, one: false}, (body) => {
        const more = facts(), list = charts();
        body.append(h('div.charts', ...list), more);
        return () => {
            for (const chart of list) chart.draw(shown());
            if (db[id]) more.draw(factsOf(id));
        };
    });
}
