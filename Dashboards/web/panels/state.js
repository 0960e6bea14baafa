// SPDX-License-Identifier: Apache-2.0
// The state of the chosen client: a tree, its subscribers, and its latest updates with what each changed. The process keeps
// states only while this panel is in view.

FIELDS.cause = ({component, action, trace}) => (action ? `${component}.${action}` : trace ? 'unknown as yet' : NA);
FIELDS.part = ({path}) => path.join(' › ') || 'everything';
const updateTable = table('updates', 'Updates', 'update:n:Update, at:t:At, cause::Caused by, bytes:b:Memory', {sort: '-update', calm: 0, empty: 'No update since this panel came into view.'});
const changeTable = table('changes', 'Changes', 'part::Part, before::Before, after::After', {empty: 'Nothing that is shown has changed.'});

// A part of a state as a list item. A part that is closed has no children in the page.
function drawPart(item, {name, type, text, children}) {
    const label = name == null ? '' : name + ': ';
    if (!children) return write(item, label + text);
    item.box ||= item.appendChild(h('details', {ontoggle: () => drawParts(item)}, h('summary'), h('ul')));
    item.parts = children;
    write(item.box.firstChild, label + [type, text].filter(Boolean).join('.'));
    drawParts(item);
}
const drawParts = ({box, parts}) => box.open && each(box.lastChild, parts, () => h('li'), drawPart, partKey);
const partKey = ({name, children}) => name + !children;

panel('state', 'State', {data: updateTable.data, has: (row) => row?.kind === 'client' && db.app.inspects && live.mode !== 'static'}, (body, tools, it) => {
    let got, id, whose, busy, again, fresh, wanted = null;
    const tree = h('ul.tree'), readers = facts(), title = h('h3'), link = h('a', 'Trace'), list = () => got?.list || [];
    const slider = h('input', {type: 'range', 'aria-label': 'Update', oninput: () => pick(list()[slider.value].update)}), latest = button('Latest', () => pick(null));
    const ask = async (path, query) => {
        const answer = await request(path, query);
        return answer.ok && answer.json();
    };
    const pick = (update) => {
        wanted = update;
        pull();
    };
    const pull = async () => {
        const {name} = chosen() || {};
        again = busy;
        if (busy || fresh || !name || !it.seen || idle()) return;
        if (whose !== name) [whose, id, wanted, got] = [name, null, null, null];
        busy = true;
        try {
            id ??= (await ask('api/state', {component: name})).clients?.at(-1)?.id;
            const answer = id && await ask('api/state/' + id, wanted == null ? {} : {update: wanted});
            got = answer || null;
            if (!answer) id = wanted = null;
        } catch {
            got = null;
        }
        busy = false;
        if (again) return pull();
        fresh = true;
        drawPanel(it);
        fresh = false;
    };
    tools.prepend(slider, latest);
    body.append(h('div.split', h('div', h('h3', 'Value'), tree, h('h3', 'Subscribers'), readers), h('div', title, link, changeTable.build(), h('h3', 'Updates'), updateTable.build())));
    updateTable.body.onclick = ({target}) => pick(target.closest('tr').row.update);
    return () => {
        pull();
        const all = list(), at = all.findIndex((row) => row.update === got.shown), row = all[at];
        set(slider, {max: all.length - 1, disabled: !row, 'aria-valuetext': row && `Update ${row.update}, ${FIELDS.cause(row)}, ${clock(row.at)}`});
        slider.value = at;
        set(latest, {'aria-pressed': String(wanted == null)});
        updateTable.open = new Set([got?.shown]);
        updateTable.draw(all.map((row) => ({...row, id: row.update})));
        changeTable.draw((got?.changes || []).map((row) => ({...row, id: FIELDS.part(row)})), got?.before == null && 'There is no earlier state to compare with.');
        each(tree, got ? [got.tree] : [], () => h('li'), (item, node) => {
            const isNew = !item.box;
            drawPart(item, node);
            if (isNew && item.box) item.box.open = true;
        });
        readers.draw((got?.subscribers || []).map(({by, pending, lag}) => [by || 'another subscriber', pending ? `${count(pending)} pending, ${seconds(lag)} behind` : 'up to date']));
        write(title, row ? `Update ${row.update} by ${FIELDS.cause(row)}` : 'Update');
        set(link, {hidden: !row?.trace, href: row?.trace && address({trace: row.trace})});
        return got ? listed(`update ${got.shown} of ${got.updates}`, 'state of ' + bytes(got.bytes), got.dropped && `${count(got.dropped)} older dropped`) : 'no state yet';
    };
});
