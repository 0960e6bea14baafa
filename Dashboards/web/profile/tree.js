// SPDX-License-Identifier: Apache-2.0
// The tree of a profile: a node for each frame below another, with what all stacks through it used. With a second
// profile, to compare with, each node has two sides: `now` and `before`.

const OPERATIONS = ['context', 'client', 'capability', 'request', 'work'];
const MEASURES = ['samples', 'processor', 'waiting', 'allocated', 'live'];

export const isOperation = ({kind}) => OPERATIONS.includes(kind);

const amount = (value) => (value > 0 && value < Infinity ? value : 0);

// What a stack used, by the chosen measure: `time` is that on a processor and waiting together.
function valueOf(stack, measure) {
    if (measure === 'time') return amount(stack.processor) + amount(stack.waiting);
    return amount(stack[measure]);
}

// The stacks of a profile with their frames in place of indices. With an action they begin with it: its callers are
// left out.
export function stacksOf({frames, stacks}, action) {
    const read = (stack) => ({...stack, frames: stack.frames.map((index) => frames[index]).filter(Boolean)});
    const all = stacks.map(read);
    if (!action) return all;
    const isAction = (frame) => isOperation(frame) && frame.name === action;
    return all
        .filter((stack) => stack.frames.some(isAction))
        .map((stack) => ({...stack, frames: stack.frames.slice(stack.frames.findIndex(isAction))}));
}

const makeSums = (isWait) => ({isWait, value: 0, ...Object.fromEntries(MEASURES.map((name) => [name, 0]))});

// What one side of a node used with all that is below it, and without that.
const makeSide = ({kind}) => ({...makeSums(kind === 'wait'), own: makeSums(kind === 'wait')});

export const makeNode = (frame, parent) => ({
    frame,
    parent,
    depth: parent ? parent.depth + 1 : 0,
    below: new Map(),
    list: [],
    now: makeSide(frame),
    before: makeSide(frame),
});

// Adds what a stack used to one side of a node. `isEnd` says whether its last frame is that of the node.
function add(side, stack, measure, isEnd) {
    for (const sums of isEnd ? [side, side.own] : [side]) {
        for (const name of MEASURES) sums[name] += amount(stack[name]);
        sums.value += valueOf(stack, measure);
    }
}

const keyOf = ({kind, name, module, guessed}) => JSON.stringify([kind, name, module, guessed]);

function childOf(node, frame) {
    const key = keyOf(frame);
    if (!node.below.has(key)) node.below.set(key, makeNode(frame, node));
    return node.below.get(key);
}

// The tree of the stacks of both sides. The heaviest of its siblings is the first.
export function makeTree(sides, measure) {
    const root = makeNode({kind: 'all', name: 'All'});
    for (const [side, stacks] of Object.entries(sides)) {
        for (const stack of stacks) {
            let node = root;
            add(root[side], stack, measure, !stack.frames.length);
            stack.frames.forEach((frame, index) => {
                node = childOf(node, frame);
                add(node[side], stack, measure, index === stack.frames.length - 1);
            });
        }
    }
    sortBelow(root);
    return root;
}

function sortBelow(node) {
    node.list = [...node.below.values()].sort((left, right) => right.now.value - left.now.value);
    for (const child of node.list) sortBelow(child);
}

// The frames, each with the sums of all stacks in which it is: a recursive function counts once, and one that is a
// guess in some stacks is the same function.
export function makeFunctions(sides, measure) {
    const nodes = new Map();
    const nameOf = (frame) => keyOf({...frame, guessed: false});
    for (const [side, stacks] of Object.entries(sides)) {
        for (const stack of stacks) {
            const found = new Map(stack.frames.map((frame) => [nameOf(frame), frame]));
            const last = stack.frames.length ? nameOf(stack.frames.at(-1)) : '';
            for (const [key, frame] of found) {
                if (!nodes.has(key)) nodes.set(key, makeNode(frame));
                const node = nodes.get(key);
                if (node.frame.guessed) node.frame = frame;
                add(node[side], stack, measure, key === last);
            }
        }
    }
    return nodes;
}

// The actions with what they used, the heaviest first.
export function actionsOf(stacks, measure) {
    const totals = new Map();
    for (const stack of stacks) {
        const names = new Set(stack.frames.filter(isOperation).map(({name}) => name));
        for (const name of names) totals.set(name, (totals.get(name) || 0) + valueOf(stack, measure));
    }
    return [...totals].sort((left, right) => right[1] - left[1]);
}

// The share of the stacks below a node in which a frame has a text in its name.
export function matchingShare(node, matches) {
    const valueOfMatches = (one) =>
        matches(one.frame) ? one.now.value : one.list.reduce((sum, child) => sum + valueOfMatches(child), 0);
    return node.now.value > 0 ? valueOfMatches(node) / node.now.value : 0;
}

// What the path in the address calls a node. Siblings of one name differ in the library, or one is guessed.
const stepOf = ({frame: {name, module, guessed}}) =>
    ((guessed ? '?' : '') + name + (module ? '@' + module : '')).replaceAll(';', ':');

// The path from the root to a node, for the address.
export const zoomOf = (node) => pathOf(node).slice(1).map(stepOf).join(';');

// The node at the end of such a path, as far as there is one. With an action it begins with that, as the stacks do.
export function nodeAt(root, zoom, action) {
    const steps = zoom ? zoom.split(';') : [];
    let node = root;
    for (const step of steps.slice(Math.max(0, steps.indexOf(action)))) {
        const next = node.list.find((child) => child.now.value > 0 && stepOf(child) === step);
        if (!next) break;
        node = next;
    }
    return node;
}

// The nodes from the root to a node.
export const pathOf = (node) => (node ? [...pathOf(node.parent), node] : []);
