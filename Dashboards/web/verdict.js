// SPDX-License-Identifier: Apache-2.0
// The list of problems. The process finds them; each has a text and a link to its panel. A problem that follows from another
// one is a symptom: it is not counted, and is listed below its cause if all problems are listed.

const narrow = matchMedia('(max-width: 640px)');
let listsAll = false, slots = [], told;

// Current problems, the most severe first and then in the order in which they began, so that none moves while it lasts.
// Then problems that ended in the shown range and have not come back, the latest first.
const isSymptom = (p) => p.cause != null && db.problems.has(p.cause);
const problems = () => all('problems').filter((p) => !isSymptom(p) && (!p.ended || (p.later == null && p.ended >= begins() && p.since <= ends())))
    .sort((a, b) => !!a.ended - !!b.ended || (a.ended ? b.ended - a.ended : (a.kind > b.kind) - (a.kind < b.kind)) || (a.since || 0) - (b.since || 0) || a.id - b.id);

// The address of what shows more about a problem; of a cause, the page of the component.
function problemAt({panel, component}) {
    const sel = keyOf(db.components.get(component));
    return address({panel: sel && panel === 'components' ? 'detail' : panel, sel});
}

// The problems, each with its current symptoms.
const withSymptoms = (found) => found.flatMap((p) => [p, ...all('problems').filter((s) => s.cause === p.id && !s.ended)]);

// The problems of the short list. Each keeps its slot while it is one of the first; a slot that becomes free gets the next.
// While the pointer or the focus is in the list, no slot changes.
function shortList(found, few) {
    const top = found.slice(0, few), kept = slots.map((id) => ($('list').matches(':hover, :focus-within') ? db.problems.get(id) : top.find((p) => p.id === id))).slice(0, few), rest = top.filter((p) => !kept.includes(p));
    const shown = Array.from({length: Math.max(top.length, kept.length)}, (_, i) => kept[i] || rest.shift()).concat(rest).filter(Boolean).slice(0, few);
    slots = shown.map(byID);
    return shown;
}

// Fills the strip of the verdict. It has the same height with any number of problems, unless all are listed.
function drawVerdict(found, n) {
    const {size} = db.components, down = ['lost', 'ended'].includes(live.mode), few = narrow.matches ? 3 : 5, severe = found.filter((p) => !p.ended && p.kind === 'bad').length;
    const title = n ? some(n, 'problem') : size ? `No problems ${found[0] ? `now, ${found.length} ended ` : ''}in ${fixed ? 'the shown range' : 'the last ' + RANGES[state.range]}` : 'No components yet: no orchestrator has been started';
    badge($('problems'), down ? 'idle' : n ? found[0].kind : size ? 'good' : 'idle', down ? `At ${clock(live.endedAt || db.at)}: ${title}` : title);
    write($('counts'), n ? listed(severe && severe + ' severe', n - severe && some(n - severe, 'warning')) : '');
    set($('more'), {text: listsAll ? 'Show fewer' : found.length > few ? `and ${found.length - few} more` : 'Show symptoms', 'aria-expanded': String(listsAll), hidden: found.length <= few && !all('problems').some(isSymptom), onclick: () => {
        listsAll = !listsAll;
        refresh();
    }});
    set($('list'), {class: listsAll && 'all'});
    each($('list'), listsAll ? withSymptoms(found) : shortList(found, few), () => h('li', h('a', {dir: 'auto'})), (item, p) => {
        const {kind, text, since, ended, cause} = p;
        set(item, {class: cause != null && 'symptom'});
        const whole = listed(text, ended ? 'until ' + clock(ended) : since && 'since ' + clock(since));
        set(item.firstChild, {href: problemAt(p), class: ended ? 'note' : kind, text: whole, title: explained(whole)});
    }, ({id, since}) => `${id} ${since}`);
    // Only a change, so that it does not replace a notice that waits to be announced.
    if (told !== title) announce(told = title);
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
