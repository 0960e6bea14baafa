// SPDX-License-Identifier: Apache-2.0
// The problems of the last day: those that ended, and those that are ongoing.

import {duration, joined} from '../base/format.js';
import {problemAddress} from '../model/problems.js';
import {clockTime, isInRange} from '../model/range.js';
import {store} from '../model/store.js';
import {tablePanel} from '../page/panel.js';
import {column} from '../table/columns.js';

const END = {show: (moment) => (moment == null ? 'ongoing' : clockTime(moment)), width: 9.5};
// The names are sorted by severity.
const GRAVITIES = {bad: 'severe', warn: 'warning', note: 'worth'};
const DURATION = {show: duration, width: 8};

const COLUMNS = [
    column('since', 'Began', 'time'),
    column('text', 'Problem'),
    column('gravity', 'Severity', 'state', {value: ({kind}) => GRAVITIES[kind]}),
    column('ended', '', END),
    column('lasted', '', DURATION, {value: ({since, ended}) => (ended ?? store.at) - since}),
    column('because', 'Because of', 'text', {value: ({cause}) => store.problems.get(cause)?.text}),
];

const isShown = ({since, ended}) => isInRange(since, ended ?? store.at);

function note(rows) {
    const ended = rows.filter((problem) => problem.ended).length;
    const ongoing = rows.length - ended;
    return joined(ended + ' ended', ongoing && ongoing + ' ongoing');
}

tablePanel('history', 'Problem history', COLUMNS, {
    view: 'errors',
    isOfRange: true,
    list: 'problems',
    rows: 'problems',
    sort: '-since',
    linked: 'since',
    target: problemAddress,
    isShown,
    note,
});
