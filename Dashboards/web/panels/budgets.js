// SPDX-License-Identifier: Apache-2.0
// Performance budgets: limits, measurements, and burn rates.

// p99 as a multiple of the limit: below 1 it is within the limit.
FIELDS.p99OfLimit = (b) => (b.p99 == null ? null : b.p99 / b.limit);
FIELDS.ofLimit = (w) => w.value / w.limit;
FIELDS.over = (b) => (b.within == null ? null : 1 - b.within);
FIELDS.allowed = (b) => (b.objective == null ? null : 1 - b.objective);
// A budget without measurements shows n/a: a zero would look like success.
FIELDS.missed = (b) => (b.checks > 0 ? b.violations : null);

const budgetTable = table('budgets', 'Performance budgets', 'name::Budget, status:v:Verdict, limit:u:Limit, p99:u:p99, p99OfLimit:o:Of limit, over:p:Over, allowed:p:Allowed, burn.5m:x:Burn 5m, burn.1h:x:Burn 1h, burn.6h:x:Burn 6h, missed:n:Missed, spark:k:5 min, note::Note', {sort: '-status', empty: 'No budget has been measured yet.'});
const worstTable = table('worst', 'Worst offenders', 'budget::Budget, call::Where, value:u:Seen, ofLimit:x:Of limit, at:t:When', {sort: '-ofLimit', linked: 'call', target: (row) => seeking(row, row.action, row.unit === 'seconds' && row.value)});

panel('budgets', 'Budgets', {data: budgetTable.data}, (body, tools) => {
    const chart = lineChart('Violations', rate, 'violations=');
    tools.prepend(toggle('Unmeasured too', 'unmeasured'));
    body.append(budgetTable.build(), h('div.split', h('div', h('h3', 'Worst offenders'), worstTable.build()), chart));
    return () => {
        const list = all('budgets'), one = chosen(), worst = (b) => (b.worst || []).filter(isChosen);
        budgetTable.draw(list.filter((b) => (one ? worst(b).length : b.checks > 0 || state.unmeasured)), one ? 'No operation of this component is among the worst of a budget.' : undefined);
        worstTable.draw(list.flatMap((b) => worst(b).map((w) => ({...w, budget: b.name, unit: b.unit, limit: w.limit ?? b.limit}))));
        // It counts the violations of the whole process.
        chart.hidden = one;
        chart.draw(shown());
        return 'met violated unmeasured unbuilt'.split(' ').map((status) => `${list.filter((b) => b.status === status).length} ${stateOf(status)[1]}`).join(', ');
    };
});
