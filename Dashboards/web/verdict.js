// SPDX-License-Identifier: Apache-2.0
// The list of problems. The process finds them; each has a text and a link to its panel.

// Current problems, the most severe first, and then problems that ended in the shown range.
const problems = () => all('problems').filter((p) => !p.ended || p.ended >= begins()).sort((a, b) => !!a.ended - !!b.ended || (a.kind === b.kind ? b.at - a.at : a.kind === 'bad' ? -1 : 1));

// Fills the strip of the verdict, which is never empty.
function drawVerdict(found, n) {
    const {size} = db.components;
    const title = n ? some(n, 'problem') : size ? `No problems ${found[0] ? `now, ${found.length} ended ` : ''}in the last ${RANGES[state.range]}` : 'No components yet: no orchestrator has been started';
    badge($('problems'), n ? found[0].kind : size ? 'good' : 'idle', title);
    each($('list'), found.slice(0, 12), () => h('li', h('a')), (item, {panel, component, kind, text, ended}) => set(item.firstChild, {href: address({panel, sel: keyOf(db.components.get(component))}), class: ended ? 'note' : kind, text: listed(text, ended && 'until ' + clock(ended))}));
    announce(title);
}

// Announces a change to screen readers, at most every five seconds. The last change is always announced.
let saying, due;
function announce(text) {
    saying = {text};
    due ||= setTimeout(() => {
        due = 0;
        set($('say'), saying);
    }, 5000);
}
