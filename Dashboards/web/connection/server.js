// SPDX-License-Identifier: Apache-2.0
// Requests to the server of the page.

// A URL of the same server. The token in the query of the page is passed on, and nothing else of it.
export const url = (path, query) =>
    `${path}?${location.search.match(/token=[^&]*/) || ''}&${new URLSearchParams(query)}`;

export const request = (path, query) =>
    fetch(url(path, query), {cache: 'no-store', signal: AbortSignal.timeout(10000)});

// Sends an action, and returns the answer: {done} or {error}.
export async function post(path, body) {
    const answer = await fetch(url(path), {
        method: 'POST',
        headers: {'Content-Type': 'application/json'},
        body: JSON.stringify(body),
    });
    return answer.json();
}
