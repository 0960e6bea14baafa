// SPDX-License-Identifier: Apache-2.0
// The latest actions, the one that ended last first. While the pointer or the focus is in the list, or it is scrolled, no row is added, and a
// button shows how many are newer.

FIELDS.finished = (row) => row.start + row.seconds;
FIELDS.sender = ({by}) => (by ? FIELDS.did(by) : '');
const activityTable = table('activity', 'Latest actions', 'finished:m:Ended, did::Action, seconds:s:Took, outcome:v:Outcome, failed::Error, sender::Sent by, kept::Trace kept', {sort: '-finished', calm: 0, keyed: true, linked: 'did', target: tracing});
const log = {take: ({activity}) => db.activity = activity};

const isBad = ({outcome}) => ['failure', 'rejected'].includes(outcome), wantsBad = () => state.outcome === 'failures';

// The filters that are set, as parameters of the request. The process compares the text with each name on its own.
const filters = (one) => Object.fromEntries(Object.entries({q: state.act.split('.').pop(), component: one?.name, min: state.min / 1000, [wantsBad() ? 'failures' : 'outcome']: wantsBad() ? 1 : state.outcome}).filter((entry) => entry[1]));

// The same here: an export has all actions, and a page that is paused those of earlier filters.
const passes = (one) => (row) => (!one || row.component === one.name) && row.seconds * 1000 >= state.min && (wantsBad() ? isBad(row) : !state.outcome || row.outcome === state.outcome)
    && [FIELDS.did(row), row.kind, row.outcome, FIELDS.failed(row), row.error?.type, row.id, row.trace].join(' ').toLowerCase().includes(state.act.toLowerCase());

panel('activity', 'Activity', {data: activityTable.data}, (body, tools, it) => {
    const el = activityTable.build(), {body: list, scroll} = activityTable;
    const hold = button('Pause actions', () => {
        log.paused = !log.paused;
        refresh();
    }), newer = button('', () => {
        scroll.scrollTop = activityTable.top = 0;
        log.shown = null;
        refresh();
    }, {class: 'newer'});
    set(el, {class: 'log'});
    const save = h('a', {href: api('api/scenario')}, 'Save as test');
    body.append(h('p.keys', field('act', {type: 'search', placeholder: 'Filter', 'aria-label': 'Filter actions'}), choice('Outcome', 'outcome', '=all,failures=only failures,success,failure,cancelled,rejected'), h('label', h('span', 'At least'), field('min', {type: 'number', min: 0, step: 'any'}), 'ms'), hold, newer, save), el);
    return () => {
        const one = chosen(), query = filters(one), key = JSON.stringify(query) + state.act, isNew = key !== log.key;
        if (isNew) log.due = 0;
        if (isLive() && !log.paused && it.seen && !isHidden(it)) ask(it, log, 'api/activity', query);
        const rows = db.activity.filter(passes(one));
        if (!log.shown || isNew || !(activityTable.top || scroll.matches(':hover, :focus-within'))) {
            log.shown = rows;
            // Each row keeps its node, but a node that is inserted again does not count as moved.
            list.replaceChildren();
        }
        log.key = key;
        const known = new Set(log.shown.map(byID)), n = rows.filter(({id}) => !known.has(id)).length;
        hold.hidden = newer.hidden = live.mode === 'static';
        save.hidden = !db.app.records || hold.hidden;
        set(hold, {'aria-pressed': String(!!log.paused)});
        set(newer, {text: n ? count(n) + ' newer' : log.paused || !isLive() ? 'Paused' : 'Up to date', disabled: !n});
        activityTable.draw(log.shown, log.why || (db.activity.length ? 'No matches.' : 'No actions.'));
        return some(rows.length, 'action');
    };
});
