// SPDX-License-Identifier: Apache-2.0
// Reads the profiles that the view shows: from the process, or from the file.

import {request} from '../connection/server.js';
import {settings} from '../model/settings.js';
import {drawPanel} from '../page/panel.js';

const SECONDS = 60;
const VERSION = 1;

// Returns an object with the profiles `documents.now` and `documents.before`, with `reason`, which says why they could
// not be read, and with `version`, which changes with both. `read()` reads what the settings say, once for each change
// of them; `again()` reads it at any time. `isFile` says that the page is a file, `hasBefore` that it has two profiles.
export function makeReader(it) {
    const data = JSON.parse(document.getElementById('data').textContent || 'null');
    const reader = {documents: {}, reason: '', version: 0, isFile: Boolean(data)};
    reader.hasBefore = Boolean(data?.before?.profile);
    let readFor = '';
    const put = (documents, reason) => {
        Object.assign(reader, {documents, reason});
        reader.version++;
    };
    reader.again = () => {
        readFor = '';
        reader.read();
    };
    reader.read = () => {
        const {ago, versus, of: trace} = settings;
        const wanted = JSON.stringify([ago, versus, trace]);
        if (wanted === readFor) return;
        readFor = wanted;
        if (data) put(documentsOf(data), '');
        else readAll(Number(ago) || 0, Number(versus) || 0, trace).then(...receivers(wanted));
    };
    // An answer that came too late is dropped.
    const receivers = (wanted) =>
        [(documents) => [documents, ''], (error) => [reader.documents, reasonOf(error)]].map((make) => (result) => {
            if (wanted !== readFor) return;
            put(...make(result));
            drawPanel(it);
        });
    return reader;
}

const documentsOf = ({before, after, profile}) => ({
    now: after ? after.profile : profile,
    before: settings.versus ? before?.profile : undefined,
});

// The process makes one profile at a time.
async function readAll(ago, versus, trace) {
    const now = await read(trace ? {trace} : {seconds: SECONDS, ago});
    if (trace || !versus) return {now};
    return {now, before: await read({seconds: SECONDS, ago: ago + versus})};
}

// While another reader is first, tries again after a second, a few times: the first profile of a process takes longer.
async function read(query, tries = 5) {
    const answer = await request('api/profile', query);
    if (answer.status === 429 && tries > 0) {
        await new Promise((done) => setTimeout(done, 1000));
        return read(query, tries - 1);
    }
    const data = await answer.json().catch(() => ({}));
    if (!answer.ok) throw Error(data.error || `the server answered ${answer.status}`);
    if (data.schema !== 'axiom/profile' || data.version !== VERSION) {
        throw Error(`this page reads profiles of version ${VERSION}: reload the page`);
    }
    return data;
}

function reasonOf(error) {
    if (error instanceof TypeError) return 'The profile cannot be read: the process does not answer.';
    return `The profile cannot be read: ${error.message}`;
}
