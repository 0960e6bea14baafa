// SPDX-License-Identifier: Apache-2.0
// The problems of the last day: those that ended, and those that are ongoing.

import {duration, joined} from '../base/format.js';
import {isOfChosen} from '../model/components.js';
import {problemAddress} from '../model/problems.js';
import {clockTime, isInRange} from '../model/range.js';
import {rowsOf, store} from '../model/store.js';
import {panel} from '../page/panel.js';
import {column} from '../table/columns.js';
import {makeTable} from '../table/table.js';

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

const table = makeTable('history', 'Problem history', COLUMNS, {
    sort: '-since',
    linked: 'since',
    target: problemAddress,
});

const isShown = (problem) => isOfChosen(problem) && isInRange(problem.since, problem.ended ?? store.at);

const isEmpty = () => !rowsOf('problems').some(isOfChosen);

const options = {view: 'errors', isOfRange: true, list: 'problems', table: table.content, isEmpty};

panel('history', 'Problem history', options, (body) => {
    body.append(table.build());
    return () => {
        const rows = rowsOf('problems').filter(isShown);
        const ended = rows.filter((problem) => problem.ended).length;
        const ongoing = rows.length - ended;
        table.draw(rows);
        return joined(ended + ' ended', ongoing && ongoing + ' ongoing');
    };
});
