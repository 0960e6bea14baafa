// SPDX-License-Identifier: Apache-2.0
// How much of each capability works, since when and why.

FIELDS.conditions = ({conditions}) => conditions?.join('; ');
LONG.conditions = 24;

tablePanel('capabilities', 'Capabilities', 'component::Capability, level:v:Level, since:t:Since, changes:n:Changes, reason::Reason, conditions::Conditions', {
    sort: '-level', keyed: true, linked: 'component', target: ({id}) => choosing(db.components.get(id)), has: (row) => (row ? db.capabilities.has(row.id) : db.capabilities.size),
}, (rows) => {
    const n = rows.filter(({level}) => level !== 'full').length;
    return n ? some(n, 'degraded type') : 'none is degraded';
});
