// SPDX-License-Identifier: Apache-2.0
// A panel is a section with a function that draws it. Only visible panels are drawn each time.

import {button, byId, factList, html, menu, update} from '../base/dom.js';
import {duration, inUnit, joined} from '../base/format.js';
import {resolveNotice, showNotice} from '../base/notices.js';
import {chosenComponent, isOfChosen} from '../model/components.js';
import {shownRing} from '../model/range.js';
import {sizeOfRing} from '../model/rings.js';
import {settings, showSettings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {makeTable} from '../table/table.js';
import {toggle} from './controls.js';
import {copyText, csvText, jsonText} from './copy.js';

// The panels by id, and those that are not made yet, in the order of the page.
export const panels = {};
export const unmadePanels = [];

// Declares a panel. `build(body, tools, panel)` fills the body once and returns the function that draws, which may
// return the note beside the title. Options:
// - view: the view that has it. The last one by default.
// - isWide: whether it has the width of the page. True by default.
// - isOfComponent: whether it is part of the page of a component. True by default.
// - isAlone: whether the main page does not have it.
// - list: the list that it shows, if that is not its id.
// - exists(component): whether there is such a panel, for the chosen component if there is one.
// - isEmpty(component): whether it has nothing to show. It then is a word in a line, until it is asked for.
// - isOfRange: whether all of it is of the shown range. Other panels say so while a range is chosen.
// - table(): the table to copy.
// - text(): the text to copy.
export function panel(id, title, options, build) {
    panels[id] = {id, title, build, view: 'process', isWide: true, isOfComponent: true, ...options};
    unmadePanels.push(panels[id]);
}

// The table to copy of a list of the snapshot: all fields of its rows, without their ids.
export const tableOfList = (list) => () => {
    const rows = rowsOf(list);
    const fields = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== 'id');
    return [fields, ...rows.map((row) => fields.map((name) => row[name]))];
};

// Whether no row of a list is of the chosen component.
export const hasNoRows = (list) => () => !rowsOf(list).some(isOfChosen);

// Declares a panel with one table, which shows the rows of the chosen component. Options are those of the panel, those
// of the table, and
// - isShown(row): whether a row is shown.
// - emptyText(): why there are no rows.
// - note(rows): the note beside the title.
// - tool(): a control.
// - rows: the list with its rows, if that is not its id.
export function tablePanel(id, title, columns, options) {
    const table = makeTable(id, title, columns, options);
    const {isShown = () => true, emptyText = () => options.empty, note = () => '', tool, rows: source = id} = options;
    const properties = {table: table.content, isEmpty: hasNoRows(options.list || id), ...options};
    panel(id, title, properties, (body, tools) => {
        body.append(table.build());
        if (table.hasLongTexts) tools.prepend(toggle('Wrap', 'whole'));
        if (tool) tools.prepend(tool());
        return () => {
            const rows = rowsOf(source).filter((row) => isOfChosen(row) && isShown(row));
            table.draw(rows, store[source].size ? 'No matches.' : emptyText());
            return note(rows);
        };
    });
}

// Declares a panel of charts over the shown ring, with the facts of its list below. Copying gives these series.
export function chartPanel(id, title, series, makeCharts, options) {
    const table = () => tableOfRing(shownRing(), series);
    panel(id, title, {table, isWide: false, isOfComponent: false, isOfRange: true, ...options}, (body) => {
        const charts = makeCharts();
        const facts = factList();
        body.append(html('div.charts', ...charts), facts);
        return () => {
            for (const chart of charts) chart.draw(shownRing());
            if (store[id]) facts.draw(factsOf(id));
        };
    });
}

function tableOfRing(ring, series) {
    const {start, step} = ring;
    const rows = Array.from({length: sizeOfRing(ring)}, (_, index) => {
        const time = new Date((start + index * step) * 1000).toISOString();
        return [time, ...series.map((name) => ring.series[name]?.[index])];
    });
    return [['time', ...series], ...rows];
}

// A list of the snapshot whose rows have name, value and unit, as [label, value] pairs.
export const factsOf = (list) => rowsOf(list).map(({name, value, unit}) => [name, inUnit(value, unit)]);

const visibility = new IntersectionObserver(
    (entries) => {
        for (const {target, isIntersecting} of entries) setVisible(panels[target.id], isIntersecting);
    },
    {rootMargin: '150px'},
);

function setVisible(it, isInView) {
    // A new panel has already been drawn.
    const isNew = it.isInView === undefined;
    it.isInView = isInView;
    if (isInView && !isNew) drawPanel(it);
}

export function makePanel(it) {
    const body = html('div.body');
    const copies = copyButtons(it);
    const tools = html('div.tools', copies.length && menu('Copy', 'Copy ' + it.title, ...copies));
    const titleID = it.id + '-title';
    it.note = html('span.note');
    it.heading = html('h2', {id: titleID, tabindex: -1, dir: 'auto'}, it.title);
    const head = html('div.head', it.heading, it.note, tools);
    const properties = {
        id: it.id,
        class: it.isWide && 'wide',
        'aria-labelledby': titleID,
        'data-now': !it.isOfRange,
    };
    it.sectionNode = html('section', properties, head, body);
    it.draw = it.build(body, tools, it);
    byId('main').append(it.sectionNode);
    visibility.observe(it.sectionNode);
    showSettings();
    drawPanel(it);
}

function copyButtons({id, text, table}) {
    const copyButton = (format, make) => button(format, () => copyText(format, make()));
    return [
        text && copyButton('Text', text),
        store.promql?.[id] && copyButton('PromQL', () => queryOf(id)),
        table && copyButton('JSON', () => jsonText(table())),
        table && copyButton('CSV', () => csvText(table())),
    ].filter(Boolean);
}

// The query of a panel. Only those of the page of a component have a component.
const queryOf = (id) => store.promql[id].replace('$component', JSON.stringify(chosenComponent()?.name));

// The view that the page shows: that of the panel in the URL, or the one that was chosen, if it is there.
export const currentView = (view = panels[settings.panel]?.view || settings.tab) =>
    (isThere(panels[view]) && view) || 'health';

// Whether there is such a panel, on the page of a component if one is chosen.
export const isThere = (it, component = chosenComponent()) => !it?.exists || it.exists(component);

// A trace is alone on the page.
export function isHidden(it, component = chosenComponent()) {
    if (settings.trace) return it.id !== 'trace';
    const isOfPage = component ? it.isOfComponent : !it.isAlone && it.view === currentView();
    return !isOfPage || !isThere(it, component);
}

// Whether a panel of the page is no more than a word, because it has nothing to show and was not asked for.
export const isFolded = (it, component = chosenComponent()) =>
    it.id !== settings.panel && it.isEmpty?.(component) && !isHidden(it, component);

export function showOrHide(it, component) {
    if (it.sectionNode) it.sectionNode.hidden = isHidden(it, component) || isFolded(it, component);
}

export function drawPanel(it) {
    if (!store.receivedAt || !it.sectionNode) return;
    showOrHide(it);
    try {
        const note = joined(it.draw(), ageNote(it));
        update(it.note, {text: note, title: note});
        resolveNotice(it.id);
    } catch (error) {
        // A panel that fails must not affect the other panels.
        showNotice(it.id, 'bad', `The panel ${it.title} cannot show this data: ${error.message}`);
    }
}

// Says how old the rows of a panel are, if that is worth a note.
function ageNote(it) {
    const age = store.ages[it.list || it.id];
    return age > 2 && `▲ rows up to ${duration(age * store.tick)} old`;
}
