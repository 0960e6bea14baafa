// SPDX-License-Identifier: Apache-2.0
// The first request of a live page. It has an element of its own at the top, so that the answer is on its way while the
// browser reads the rest of the page. A hidden page sends none.
if (!document.hidden) {
    window.first = fetch(`api/snapshot${location.search || '?'}&`, {
        cache: 'no-store',
        signal: AbortSignal.timeout(10000),
    });
}
