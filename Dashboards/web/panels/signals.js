// SPDX-License-Identifier: Apache-2.0
// What modules record, as tables: a table costs one line. A table or a panel without a value other than 0 is hidden.
// The process names the panels: see signals.json.

import {html, update} from '../base/dom.js';
import {chosenComponent, componentAddress} from '../model/components.js';
import {settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';
import {panel, panels, tableOfList, unmadePanels} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

// The formats of columns by their letters in the protocol.
const FORMATS = {n: 'count', s: 'seconds', b: 'bytes', p: 'share'};

// Declares the panels that the process names and the page does not have yet. Returns whether there were any.
export function declareSignalPanels() {
    const added = Object.entries(store.panels).filter(([id]) => !panels[id]);
    for (const [id, [title, ...tables]] of added) declareSignalPanel(id, title, tables.map(readTable));
    return added.length > 0;
}

// Reads a table from 'Caption; labels; columns'. It has a row for each combination of the values of these labels, which
// are its first columns. The label `component` is any label that names a component. Other columns are
// 'key:format:Title'.
function readTable(text) {
    const [caption, labelText, columnText] = text.split('; ');
    const labels = labelText.split(' ').filter(Boolean);
    const columns = columnText.split(', ').map(readColumn);
    return {caption, labels, columns: [...labels.map(labelColumn), ...columns], rows: makeRowReader(labels, columns)};
}

const labelColumn = (label) =>
    column(label, label[0].toUpperCase() + label.slice(1), 'label', {value: (row) => row[label]});

// The key of a column is a family without `axiom_`: the sum over the other labels. With one of their values behind it,
// it is the sum of that value. Of a distribution this is the number of observations; ` p50` and ` p99` follow it. A /
// between two of them is their ratio.
function readColumn(text) {
    const [key, letter, title] = text.split(':');
    const [part, whole] = key.split('/');
    const unknown = letter === 'n' ? 0 : null;
    const value = (row) => (whole ? (row[part] || 0) / row[whole] : (row[part] ?? unknown));
    return column(key, title, FORMATS[letter], {value});
}

// Returns a function that returns the rows of a table. It computes them once for each change of the data.
function makeRowReader(labels, columns) {
    const families = columns.map(({key}) => key.split(' ')[0]);
    let rows = [];
    let readFor = '';
    return () => {
        const state = store.receivedAt + settings.sel;
        if (state !== readFor) rows = readRows(labels, families);
        readFor = state;
        return rows;
    };
}

function readRows(labels, families) {
    const component = chosenComponent();
    const rows = new Map();
    for (const signal of rowsOf('signals')) {
        const values = {component: signal.labels.client || signal.labels.capability, ...signal.labels};
        const name = signal.family.slice('axiom_'.length);
        const isOther = component && values.component !== component.name;
        if (!families.includes(name) || labels.some((label) => values[label] == null) || isOther) continue;
        const id = labels.map((label) => values[label]).join();
        if (!rows.has(id)) rows.set(id, {...values, id, hasValue: false});
        addSignal(rows.get(id), name, signal, labels);
    }
    return [...rows.values()].filter(({hasValue}) => hasValue);
}

// Adds a signal to the sum of its family, and to those of the values of the labels that the table does not have.
function addSignal(row, name, signal, labels) {
    const otherValues = Object.entries(signal.labels)
        .filter(([label]) => !labels.includes(label))
        .map(([, value]) => ' ' + value);
    row.hasValue ||= Boolean(signal.value);
    for (const part of ['', ...otherValues]) {
        const key = name + part;
        row[key] = (row[key] || 0) + signal.value;
        row[key + ' p50'] = signal.p50;
        row[key + ' p99'] = signal.p99;
    }
}

// The panel is before that of the budgets.
function declareSignalPanel(id, title, tables) {
    const exists = () => tables.some(({rows}) => rows().length > 0);
    panel(id, title, {list: 'signals', exists, table: tableOfList('signals')}, (body) => {
        const boxes = tables.map(makeBox);
        update(body, {class: 'body split signals'});
        body.append(...boxes);
        return () => {
            for (const box of boxes) box.draw();
            return '';
        };
    });
    const declared = unmadePanels.pop();
    unmadePanels.splice(unmadePanels.indexOf(panels.budgets), 0, declared);
}

function makeBox({caption, labels, columns, rows}) {
    const table = makeTable(caption, caption, columns, {
        sort: labels[0],
        isKeyed: true,
        linked: 'component',
        target: ({component}) => componentAddress(rowsOf('components').find(({name}) => name === component)),
    });
    const box = table.buildTitled();
    box.draw = () => {
        box.hidden = !rows().length;
        table.draw(rows());
    };
    return box;
}
