// SPDX-License-Identifier: Apache-2.0
// Requests what a panel shows and the stream does not send.

import {request} from '../connection/server.js';
import {settings} from '../model/settings.js';
import {drawPanel} from './panel.js';

// Requests JSON, or a text, for a panel, gives it to `job.receive`, and draws the panel. There is one request at a
// time, at most one for each refresh unless `job.due` is set to 0, and none for ten seconds after a failure, which
// `job.reason` says.
// `job.isGone` says that the server knows no such thing.
export async function ask(panel, job, path, query, format = 'json') {
    const time = performance.now();
    if (job.isBusy || time < job.due) return;
    job.isBusy = true;
    job.reason = '';
    job.due = time + Math.max(100, settings.rate * 1000 - 50);
    try {
        const answer = await request(path, query);
        const data = await answer[format]().catch(() => ({}));
        job.isGone = answer.status === 404;
        if (!answer.ok) throw Error(data.error || `the server answered ${answer.status}`);
        job.receive(data);
    } catch (error) {
        job.reason = `This cannot be read: ${error.message}`;
        job.due = time + (job.isGone ? 1000 : 10000);
    }
    job.isBusy = false;
    drawPanel(panel);
}
