// SPDX-License-Identifier: Apache-2.0
// The verdict, and the problems and observations, one line each. The symptoms of a problem unfold below it.

import {button, byId, html, idOf, setText, update, updateChildren} from '../base/dom.js';
import {refresh} from '../base/frames.js';
import {duration, joined, plural} from '../base/format.js';
import {announce} from '../base/notices.js';
import {ICONS, showKind} from '../base/states.js';
import {isDown, live} from '../connection/live.js';
import {NO_COMPONENTS, nameOf} from '../model/components.js';
import {explained} from '../model/errors.js';
import {isObservation, problemAddress, symptomsOf} from '../model/problems.js';
import {clockTime} from '../model/range.js';
import {RANGES, fixedRange, settings} from '../model/settings.js';
import {store} from '../model/store.js';
import {currentView, panels} from './panel.js';

// What shows the kinds of problems.
const CLASSES = {bad: 'bad', warn: 'warn', note: 'info'};

let listsAll = false;
// The problems of the short list.
let shown = [];
// The symptoms of each problem that is unfolded, by its id: none of them leaves while one reads them.
const unfolded = new Map();
let announcedTitle = '';

export function drawVerdict(problems, currentCount) {
    const size = sizeOfList();
    const observationCount = problems.filter(isObservation).length;
    const [kind, title] = verdictOf(problems, currentCount, observationCount);
    drawTitle(kind, title);
    update(byId('verdict'), {class: (currentCount ? 'headed ' : '') + kind});
    drawCounts(problems, currentCount, observationCount);
    drawMore(problems, size);
    const listed = listsAll ? problems : shortList(problems, size);
    // The lines of the short list have fixed places, so that none moves when another problem ends.
    const keyOf = ({id, since}, index) => (listsAll ? `${id} ${since}` : index);
    updateChildren(byId('list'), listed, makeProblem, drawProblem, keyOf);
    // Only a change, so that it does not replace a notice that waits to be announced.
    if (announcedTitle !== title) announce(title);
    announcedTitle = title;
}

// Only the first view has more than the headline.
function sizeOfList() {
    const isElsewhere = settings.sel || settings.trace || currentView() !== 'health';
    return isElsewhere ? 1 : innerWidth > 640 ? 5 : 3;
}

// Its kind and its text.
function verdictOf(problems, currentCount, observationCount) {
    if (currentCount) return [problems[0].kind, plural(currentCount, 'problem')];
    if (!store.components.size) return ['idle', NO_COMPONENTS];
    if (observationCount) return ['info', 'No failures; ' + plural(observationCount, 'observation')];
    const ended = problems.length ? `now, ${problems.length} ended ` : '';
    const range = fixedRange ? 'the shown range' : 'the last ' + RANGES[settings.range];
    return ['good', `No problems ${ended}in ${range}`];
}

function drawTitle(kind, title) {
    const time = isDown() ? `At ${clockTime(live.endedAt || store.at)}: ` : fixedRange ? 'Now: ' : '';
    showKind(byId('problems'), isDown() ? 'idle' : kind, time + title);
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
    const onclick = () => {
        listsAll = !listsAll;
        refresh();
    };
    const text = listsAll ? 'Show fewer' : `and ${hidden} more`;
    update(byId('more'), {text, 'aria-expanded': String(listsAll), hidden: hidden <= 0, onclick});
}

// While the pointer or the focus is in the list, it keeps its problems, so that what one reads is what one clicks.
function shortList(problems, size) {
    const isInUse = byId('list').matches(':hover, :focus-within');
    const first = problems.slice(0, size);
    const kept = isInUse && shown.map(({id}) => store.problems.get(id)).filter(Boolean);
    shown = kept.length >= first.length ? kept : first;
    return shown;
}

const makeProblem = () => html('li', html('a', {dir: 'auto'}), button(''), html('time'), html('ul.tree'));

function drawProblem(item, problem) {
    const {id, since} = problem;
    const [link, chip, age, tree] = item.children;
    const symptoms = symptomsOf(problem, unfolded.get(id));
    const onclick = () => {
        if (!unfolded.delete(id)) unfolded.set(id, symptoms);
        refresh();
    };
    drawLink(link, problem, problem.text);
    update(chip, {
        text: plural(symptoms.length, 'symptom'),
        'aria-expanded': String(unfolded.has(id)),
        hidden: !symptoms.length,
        onclick,
    });
    update(age, {text: ageText(problem), title: since && 'since ' + clockTime(since)});
    if (unfolded.has(id)) unfolded.set(id, symptoms);
    updateChildren(tree, unfolded.has(id) ? groupsOf(symptoms) : [], makeGroup, drawGroup, idOf);
}

// The age of a problem in its largest unit.
function ageText({since, ended}) {
    if (ended) return 'until ' + clockTime(ended);
    return since ? duration(store.at - since).split(' ', 2).join(' ') : '';
}

function drawLink(link, problem, text) {
    const kind = problem.ended ? 'note' : CLASSES[problem.kind];
    update(link, {
        href: problemAddress(problem),
        // A long headline has two lines.
        class: text.length > 80 ? kind + ' long' : kind,
        'data-sign': ICONS[kind],
        text,
        title: explained(problem.text),
    });
}

// The symptoms by their panels, in the order in which these were first affected.
const groupsOf = (symptoms) =>
    [...Map.groupBy(symptoms, ({panel}) => panel)].map(([id, members]) => ({id, members}));

const makeGroup = () => html('li.symptom', html('b'), html('span'));

function drawGroup(item, {id, members}) {
    setText(item.firstChild, `${members.length} in ${panels[id]?.title || id}: `);
    const makeLink = () => html('a', {dir: 'auto'});
    const draw = (link, problem) => {
        drawLink(link, problem, problem.component == null ? problem.text : nameOf(problem.component));
    };
    updateChildren(item.lastChild, members, makeLink, draw, idOf);
}
