// SPDX-License-Identifier: Apache-2.0
// What is wrong: the process judges, and each problem says in words what it is and where to look.

// Those that hold, the gravest first, and then those that ended in the time that is shown.
const problems = () => all('problems').filter((p) => !p.ended || p.ended >= begins()).sort((a, b) => !!a.ended - !!b.ended || (a.kind === b.kind ? b.at - a.at : a.kind === 'bad' ? -1 : 1));

// Fills the strip, which is never blank.
function drawVerdict(found, n) {
    const {size} = db.components;
    const title = n ? some(n, 'problem') : size ? `No problems ${found[0] ? `now, ${found.length} ended ` : ''}in the last ${RANGES[state.range]}` : 'No components yet: no orchestrator has been started';
    badge($('problems'), n ? found[0].kind : size ? 'good' : 'idle', title);
    each($('list'), found.slice(0, 12), () => h('li', h('a')), (item, {panel, component, kind, text, ended}) => set(item.firstChild, {href: address({panel, sel: keyOf(db.components.get(component))}), class: ended ? 'note' : kind, text: listed(text, ended && 'until ' + clock(ended))}));
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
