// SPDX-License-Identifier: Apache-2.0
// The latest errors of the chosen component, each with its whole message. A server sends them on request.

Object.assign(LONG, {message: 34, context: 14});
Object.assign(SHORT, {code: 16, settled: 8});
FIELDS.settled = (o) => (o.outcome === 'ended' ? 'not recovered' : o.outcome);
FIELDS.code = (row) => row.code ?? db.errors.get(row.error)?.code;
// The context that the application gave: what names the user, the session, the device and the version, and its attributes.
FIELDS.context = ({context}) => {
    const {attributes, ...own} = context || {};
    return listed(wordsIn(own, ' '), wordsIn(attributes, ' '));
};
const ASKS = 5000;

// Requests the latest errors of a group if there are new ones, at most every five seconds.
async function askGroup(group) {
    const size = group.count + group.recovered;
    if (idle() || group.asked === size || performance.now() < group.next) return;
    Object.assign(group, {asked: size, next: performance.now() + ASKS});
    try {
        const answer = await request('api/errors/' + group.id), {instance, occurrences} = answer.ok ? await answer.json() : {};
        if (instance !== db.instance) return;
        for (const {id, error} of all('occurrences')) if (error === group.id) db.occurrences.delete(id);
        put('occurrences', occurrences);
        refresh();
    } catch {
        group.asked = null;
    }
}

tablePanel('occurrences', 'Latest errors', 'at:t:Time, code::Error, action::Action, settled::Outcome, message::Message, context::Context', {
    alone: true, list: 'errors', sort: '-at', calm: 0, empty: 'No errors are kept.', linked: 'at', target: ({trace}) => trace && address({trace}),
}, (rows) => {
    if (chosen()) all('errors').filter(isChosen).forEach(askGroup);
    return listed(some(rows.length, 'error'), 'at most 20 of each group', rows.some((o) => o.trace) && 'a time opens the trace');
});
