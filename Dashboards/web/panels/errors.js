// SPDX-License-Identifier: Apache-2.0
// Errors, grouped by component and code, never by message.

tablePanel('errors', 'Errors', 'code::Error, component::Component, severity:v:Severity, count:n:Count, first:t:First seen, last:t:Last seen, recovered:n:Recovered, sample::Sample',
    {sort: '-count', linked: 'last', target: (row) => seeking(row, row.code, 0, 'failures'), empty: 'No errors.'},
    (rows) => listed(`${some(sum(rows.map((e) => e.count)), 'error')} in ${some(rows.length, 'group')}`, db.dropped.errors && some(db.dropped.errors, 'group') + ' dropped'));
