// SPDX-License-Identifier: Apache-2.0
// Reads the state of the chosen client from the process.

import {isIdle} from '../connection/live.js';
import {request} from '../connection/server.js';
import {chosenComponent} from '../model/components.js';
import {drawPanel} from '../page/panel.js';

async function ask(path, query) {
    const answer = await request(path, query);
    return answer.ok ? answer.json() : null;
}

// Makes a reader for a panel, which it draws after each answer. There is one request at a time.
export function makeStateReader(panel) {
    // The client by its name and its id, the update that the user has chosen (null for the latest), and the answer.
    const reader = {name: null, id: null, chosenUpdate: null, state: null};
    let isBusy = false;
    // Whether the state is wanted again after the request in flight.
    let isWantedAgain = false;
    // Whether the panel is drawn because of an answer: it then needs no other one.
    let isDrawing = false;

    reader.updates = () => reader.state?.list || [];
    reader.isLatest = () => reader.chosenUpdate == null;
    reader.choose = (update) => {
        reader.chosenUpdate = update;
        reader.read();
    };
    reader.read = async () => {
        const {name} = chosenComponent() || {};
        isWantedAgain = isBusy;
        if (isBusy || isDrawing || !name || !panel.isVisible || isIdle()) return;
        if (reader.name !== name) Object.assign(reader, {name, id: null, chosenUpdate: null, state: null});
        isBusy = true;
        await requestState(reader);
        isBusy = false;
        if (isWantedAgain) {
            reader.read();
            return;
        }
        isDrawing = true;
        drawPanel(panel);
        isDrawing = false;
    };
    return reader;
}

async function requestState(reader) {
    try {
        reader.id ??= (await ask('api/state', {component: reader.name}))?.clients?.at(-1)?.id;
        const query = reader.chosenUpdate == null ? {} : {update: reader.chosenUpdate};
        const state = reader.id ? await ask('api/state/' + reader.id, query) : null;
        reader.state = state;
        if (!state) {
            reader.id = null;
            reader.chosenUpdate = null;
        }
    } catch {
        reader.state = null;
    }
}
