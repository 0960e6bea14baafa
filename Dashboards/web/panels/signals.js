// SPDX-License-Identifier: Apache-2.0
// What modules record, as tables: a table costs one line. A table or a panel without a value other than 0 is hidden.

// The rows of a table from 'Caption; labels; columns': one for each combination of the values of these labels, which are the
// first columns. The label `component` is any label that names a component. Another column is a family without `axiom_`: the
// sum over the other labels, or with one of their values behind it the sum of that value. Of a distribution this is the number
// of observations; ` p50` and ` p99` follow it. A / between two of them is their ratio.
function signalRows(labels, columns) {
    const families = columns.split(', ').map((text) => text.split(/[ :]/)[0]);
    let known, rows;
    return () => {
        const one = chosen(), stamp = db.received + state.sel, sums = new Map();
        if (stamp === known) return rows;
        for (const {family, labels: said, value, p50, p99} of all('signals')) {
            const own = {component: said.client || said.capability, ...said}, name = family.slice(6), id = labels.map((label) => own[label]).join();
            if (!families.includes(name) || labels.some((label) => own[label] == null) || (one && own.component !== one.name)) continue;
            const row = sums.get(id) || {...own, id};
            sums.set(id, row);
            row.any ||= value;
            for (const part of ['', ...Object.entries(said).filter(([label]) => !labels.includes(label)).map((pair) => ' ' + pair[1])]) {
                row[name + part] = (row[name + part] || 0) + value;
                row[name + part + ' p50'] = p50;
                row[name + part + ' p99'] = p99;
            }
        }
        known = stamp;
        return rows = [...sums.values()].filter(({any}) => any);
    };
}

// A panel with these tables, before that of the budgets. The process names the panels: see signals.json.
function signalPanel(id, title, ...specs) {
    const parts = specs.map((spec) => {
        const [caption, by, columns] = spec.split('; '), labels = by.split(' ').filter(Boolean);
        return [signalRows(labels, columns), caption, labels, columns];
    });
    panel(id, title, {list: 'signals', has: () => parts.some(([rows]) => rows()[0]), data: dataOf('signals', 'family labels value sum p50 p99')}, (body) => {
        const tables = parts.map(([rows, caption, labels, columns]) => {
            const it = table(caption, caption, [...labels.map((label) => label + ':l:' + label[0].toUpperCase() + label.slice(1)), columns].join(', '), {sort: labels[0], keyed: true, linked: 'component', target: ({component}) => choosing(all('components').find(({name}) => name === component))}), box = h('div', h('h3', caption), it.build());
            for (const c of it.columns) {
                const [part, whole] = c.key.split('/');
                c.get = (row) => (whole ? (row[part] || 0) / row[whole] : row[part] ?? (c.format === 'n' ? 0 : null));
            }
            body.append(box);
            return () => {
                box.hidden = !rows()[0];
                it.draw(rows());
            };
        });
        set(body, {class: 'body split signals'});
        return () => tables.forEach((draw) => draw());
    });
    unmade.splice(unmade.indexOf(panels.budgets), 0, unmade.pop());
}
