// SPDX-License-Identifier: Apache-2.0
// The events, newest first.

tablePanel('events', 'Events', 'at:t:Time, severity:v:Severity, kind::Kind, component::Component, text::What', {
    sort: '-at', calm: 0, empty: 'No events yet.', only: (e) => !state.ev || e.kind === state.ev,
}, () => db.dropped.events && some(db.dropped.events, 'older event') + ' dropped', () => choice('Kind', 'ev', '=all,transition,violation,regression,hang,action,error,leak,started,ended'));
