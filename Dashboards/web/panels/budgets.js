// SPDX-License-Identifier: Apache-2.0
// Performance budgets: limits, measurements, and burn rates.

FIELDS.margin = (b) => (b.p99 == null ? null : 1 - b.p99 / b.limit);
FIELDS.over = (w) => w.value / w.limit;
// A budget without measurements shows n/a: a zero would look like success.
FIELDS.missed = (b) => (b.checks > 0 ? b.violations : null);

const budgetTable = table('budgets', 'Performance budgets', 'name::Budget, status:v:Verdict, limit:u:Limit, p99:u:p99, margin:p:Margin, within:p:Within, burn.5m:x:Burn 5 min, burn.1h:x:1 h, burn.6h:x:6 h, missed:n:Missed, spark:k:Missed in 5 min, note::Note', {sort: '-status', empty: 'No budgets are registered.'});
const worstTable = table('worst', 'Worst offenders', 'budget::Budget, call::Where, value:u:Seen, over:x:Of limit, at:t:When', {sort: '-over'});

panel('budgets', 'Budgets', {wide: true, data: budgetTable.data}, (body) => {
    const chart = lineChart('Violations', rate, 'violations=');
    body.append(budgetTable.el, h('div.split', h('div', h('h3', 'Worst offenders'), worstTable.el), chart));
    return () => {
        const list = all('budgets');
        budgetTable.draw(list);
        worstTable.draw(list.flatMap(({name: budget, unit, limit, worst = []}) => worst.filter(isChosen).map((w) => ({...w, budget, unit, limit}))));
        chart.draw(shown());
        return 'met violated unmeasured unbuilt'.split(' ').map((status) => `${list.filter((b) => b.status === status).length} ${stateOf(status)[1]}`).join(', ');
    };
});
