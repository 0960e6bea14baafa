// SPDX-License-Identifier: Apache-2.0
// The strip with the verdict and the list of problems. It has the same height with any number of problems, unless all
// are listed.

import {byId, html, idOf, setText, update, updateChildren} from '../base/dom.js';
import {refresh} from '../base/frames.js';
import {joined, plural} from '../base/format.js';
import {announce} from '../base/notices.js';
import {showKind} from '../base/states.js';
import {isDown, live} from '../connection/live.js';
import {explained} from '../model/errors.js';
import {isObservation, isSymptom, problemAddress, withSymptoms} from '../model/problems.js';
import {clockTime} from '../model/range.js';
import {RANGES, fixedRange, settings} from '../model/settings.js';
import {rowsOf, store} from '../model/store.js';

// What shows the kinds of problems.
const CLASSES = {bad: 'bad', warn: 'warn', note: 'info'};

const narrow = matchMedia('(max-width: 640px)');
let listsAll = false;
// The ids of the problems in the short list.
let slots = [];
let announcedTitle = '';

export function drawVerdict(problems, currentCount) {
    const size = narrow.matches ? 3 : 5;
    const observationCount = problems.filter(isObservation).length;
    const title = titleOf(problems, currentCount, observationCount);
    drawTitle(kindOfVerdict(problems, currentCount, observationCount), title);
    drawCounts(problems, currentCount, observationCount);
    drawMore(problems, size);
    update(byId('list'), {class: listsAll && 'all'});
    const listed = listsAll ? withSymptoms(problems) : shortList(problems, size);
    updateChildren(byId('list'), listed, makeProblem, drawProblem, ({id, since}) => `${id} ${since}`);
    // Only a change, so that it does not replace a notice that waits to be announced.
    if (announcedTitle !== title) announce(title);
    announcedTitle = title;
}

function titleOf(problems, currentCount, observationCount) {
    if (currentCount) return plural(currentCount, 'problem');
    if (!store.components.size) return 'No components yet: no orchestrator has been started';
    if (observationCount) return 'No failures; ' + plural(observationCount, 'observation');
    const ended = problems.length ? `now, ${problems.length} ended ` : '';
    const range = fixedRange ? 'the shown range' : 'the last ' + RANGES[settings.range];
    return `No problems ${ended}in ${range}`;
}

function kindOfVerdict(problems, currentCount, observationCount) {
    if (currentCount) return problems[0].kind;
    if (!store.components.size) return 'idle';
    return observationCount ? 'info' : 'good';
}

function drawTitle(kind, title) {
    if (isDown()) showKind(byId('problems'), 'idle', `At ${clockTime(live.endedAt || store.at)}: ${title}`);
    else showKind(byId('problems'), kind, title);
}

function drawCounts(problems, currentCount, observationCount) {
    const severe = problems.filter(({ended, kind}) => !ended && kind === 'bad').length;
    const warnings = currentCount - severe;
    const observations = currentCount && observationCount && plural(observationCount, 'observation');
    setText(
        byId('counts'),
        joined(severe && severe + ' severe', warnings && plural(warnings, 'warning'), observations),
    );
}

function drawMore(problems, size) {
    const hidden = problems.length - size;
    const closedText = hidden > 0 ? `and ${hidden} more` : 'Show symptoms';
    update(byId('more'), {
        text: listsAll ? 'Show fewer' : closedText,
        'aria-expanded': String(listsAll),
        hidden: hidden <= 0 && !rowsOf('problems').some(isSymptom),
        onclick: toggleList,
    });
}

function toggleList() {
    listsAll = !listsAll;
    refresh();
}

// The problems of the short list. Each keeps its slot while it is one of the first; a slot that becomes free gets the
// next. While the pointer or the focus is in the list, no slot changes.
function shortList(problems, size) {
    const first = problems.slice(0, size);
    const isInUse = byId('list').matches(':hover, :focus-within');
    const kept = slots
        .map((id) => (isInUse ? store.problems.get(id) : first.find((problem) => problem.id === id)))
        .slice(0, size);
    const added = first.filter((problem) => !kept.includes(problem));
    const length = Math.max(first.length, kept.length);
    const filled = Array.from({length}, (_, index) => kept[index] || added.shift());
    const shown = [...filled, ...added].filter(Boolean).slice(0, size);
    slots = shown.map(idOf);
    return shown;
}

const makeProblem = () => html('li', html('a', {dir: 'auto'}));

function drawProblem(item, problem) {
    const {kind, text, since, ended, cause} = problem;
    const time = ended ? 'until ' + clockTime(ended) : since && 'since ' + clockTime(since);
    const whole = joined(text, time);
    update(item, {class: cause != null && 'symptom'});
    update(item.firstChild, {
        href: problemAddress(problem),
        class: ended ? 'note' : CLASSES[kind],
        text: whole,
        title: explained(whole),
    });
}
