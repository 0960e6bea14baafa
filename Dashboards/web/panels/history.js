// SPDX-License-Identifier: Apache-2.0
// The problems of the last day: those that ended, and those that are ongoing.

FORMATS.e = (v) => (v == null ? 'ongoing' : clock(v));
FORMATS.d = whole;
Object.assign(WIDTHS, {e: 9.5, d: 8});
FIELDS.gravity = (p) => (p.kind === 'bad' ? 'severe' : 'warning');
FIELDS.lasted = (p) => (p.ended ?? db.at) - p.since;
FIELDS.because = (p) => db.problems.get(p.cause)?.text;
const historyTable = table('history', 'Problem history', 'since:t:Began, text::Problem, gravity:v:Severity, ended:e:Ended, lasted:d:Lasted, because::Because of', {
    sort: '-since', empty: 'No problems in the last 24 hours.', linked: 'since', target: problemAt,
});

panel('history', 'Problem history', {list: 'problems', data: historyTable.data}, (body) => {
    body.append(historyTable.build());
    return () => {
        const rows = all('problems').filter(isChosen), over = rows.filter((p) => p.ended).length;
        historyTable.draw(rows);
        return listed(over + ' ended', rows.length - over && `${rows.length - over} ongoing`);
    };
});
