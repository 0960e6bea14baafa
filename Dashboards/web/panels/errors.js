// SPDX-License-Identifier: Apache-2.0
// Errors, grouped by component and code, never by message.

// The meaning and the remedy of the code follow the text, so that an open row shows them too.
FIELDS.sample = (e) => e.sample + (e.meaning ? ' ▸ ' + helpOf(e) : '');
FIELDS.severity = ({severity, count}) => (count === 0 ? 'recovered' : severity);

tablePanel('errors', 'Errors', 'code::Error, component::Component, severity:v:Severity, count:n:Count, first:t:First seen, last:t:Last seen, recovered:n:Recovered, sample::Sample',
    {sort: '-count', linked: 'last', target: (row) => seeking(row, row.code, 0, 'failures'), empty: 'No errors.'},
    (rows) => listed(`${some(sum(rows.map((e) => e.count)), 'error')} in ${some(rows.length, 'group')}`, db.dropped.errors && some(db.dropped.errors, 'group') + ' dropped'));
