// SPDX-License-Identifier: Apache-2.0
// Comparisons with the profile that was loaded as the baseline.

tablePanel('regressions', 'Regressions', 'call::Call, verdict:v:Verdict, percentile::At, baseline:s:Baseline, current:s:Now, ratio:x:Ratio, requests:n:Calls, reason::Reason', {
    sort: '-ratio', linked: 'call', target: (row) => seeking(row, row.action, row.current),
    why: () => db.baseline.note || (db.baseline.loaded ? 'Nothing to compare yet.' : 'No baseline is loaded.'),
}, () => db.baseline.loaded && `against ${word(db.baseline.name)} of ${clock(db.baseline.recordedAt)}`);
