// SPDX-License-Identifier: Apache-2.0
// Decides when the page is drawn. main.js sets what `start` and `draw` do.

// `start()` is called with the first data. `draw(turn)` draws the page, and returns false if there is nothing to draw
// yet: turn 0 draws everything anew, other turns draw new data.
export const page = {hasStarted: false, start: null, draw: null};

let frame = 0;
let timer = 0;
let turn = 0;
let drawnAt = -1e9;

// While a button of the pointer is pressed, nothing moves away from below it, but for a second at most: a list that the
// browser opens may keep the release.
let pressedAt = -1e9;
window.onpointerdown = () => {
    pressedAt = performance.now();
};
window.onpointerup = window.onpointercancel = () => {
    pressedAt = -1e9;
};

function draw() {
    clearTimeout(timer);
    frame = 0;
    timer = 0;
    // The time of the begin, so that a slow drawing does not delay the next one.
    const begin = performance.now();
    if (!page.draw(turn)) return;
    drawnAt = begin;
    turn++;
}

function requestFrame() {
    frame ||= requestAnimationFrame(drawUnlessPressed);
}

function drawUnlessPressed() {
    if (performance.now() > pressedAt + 1000) return draw();
    frame = requestAnimationFrame(drawUnlessPressed);
}

// Draws everything at once.
export function drawNow() {
    turn = 0;
    draw();
}

// Schedules one drawing of everything, however often it is called.
export function refresh() {
    turn = 0;
    requestFrame();
}

// Called when new data has arrived. Draws at most once in `interval` seconds.
export function refreshData(interval) {
    if (!page.hasStarted) page.start();
    else if (!frame) timer ||= setTimeout(requestFrame, drawnAt + interval * 1000 - 50 - performance.now());
}
