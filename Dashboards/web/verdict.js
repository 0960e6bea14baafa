// SPDX-License-Identifier: Apache-2.0
// What is wrong: the process judges, and each problem says in words what it is and where to look.

// Those that hold, the gravest first; and those that ended in the time that is shown, the latest first.
const byGravity = (a, b) => (a.kind === b.kind ? b.at - a.at : a.kind === 'bad' ? -1 : 1);
const problems = () => all('problems').filter((p) => p.ended == null).sort(byGravity);
const endedProblems = () => all('problems').filter((p) => p.ended >= begins()).sort((a, b) => b.ended - a.ended);

// Fills the strip, which is never blank.
function drawVerdict(found) {
    const {size} = db.components, n = found.length, past = endedProblems(), range = `in the last ${RANGES[state.range]}`;
    const none = past.length ? `No problems now, ${count(past.length)} ended ${range}` : `No problems ${range}`;
    const title = n ? some(n, 'problem') : size ? none : 'No components yet: no orchestrator has been started';
    badge($('problems'), found[0]?.kind || (size ? 'good' : 'idle'), title);
    each($('list'), [...found, ...past].slice(0, 12), () => h('li', h('a')), (item, {panel, component, kind, text, ended}) => set(item.firstChild, {href: address({panel, sel: keyOf(db.components.get(component))}), class: ended == null ? kind : 'note', text: ended == null ? text : `${text}, until ${clock(ended)}`}));
    announce(title);
}

// Says a change aloud, at most every five seconds, and the last one always.
let saying, due;
function announce(text) {
    saying = {text};
    due ||= setTimeout(() => {
        due = 0;
        set($('say'), saying);
    }, 5000);
}
