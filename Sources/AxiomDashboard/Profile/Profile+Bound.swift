// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

extension Profile {
    /// The profile with at most `limit` stacks, the heaviest ones. Of the others, each operation has one that has their sum and
    /// ends with a frame that says so; if there are too many operations, one has the rest. Frames without a stack are left out.
    func bounded(to limit: Int) -> Profile {
        var (bounded, most) = (self, limit * 3 / 4)
        bounded.stacks = []
        var (sorted, smaller) = (stacks, [[Int]: Stack]())
        if stacks.count > limit { sorted = heaviestFirst } else { most = limit }
        for stack in sorted.dropFirst(most) {
            var path = Array(stack.frames.prefix { frames[$0].isOperation || frames[$0].kind == .outside })
            if smaller[path] == nil, smaller.count >= limit - most - 1 { path = [] }
            smaller[path, default: Stack(frames: path + [frames.count])].add(stack)
        }
        let all = frames + [Frame(.missing, "smaller stacks")]
        var numbers: [Int: Int] = [:]
        bounded.frames = []
        for stack in sorted.prefix(most) + smaller.values {
            for index in stack.frames where numbers[index] == nil {
                numbers[index] = bounded.frames.count
                bounded.frames.append(all[index])
            }
            var renumbered = Stack(frames: stack.frames.map { numbers[$0] ?? 0 })
            renumbered.add(stack)
            bounded.stacks.append(renumbered)
        }
        return bounded
    }

    /// The largest of its shares of the times, the allocated and the live bytes decides on the weight of a stack.
    private var heaviestFirst: [Stack] {
        let values: [(Stack) -> Double] = [
            { Double($0.processor) + Double($0.waiting) }, { Double($0.allocated) }, { Double($0.live) },
        ]
        let totals = values.map { value in max(1, stacks.reduce(0) { $0 + value($1) }) }
        let weighed = stacks.map { stack in (stack, zip(values, totals).map { $0(stack) / $1 }.max() ?? 0) }
        return weighed.sorted { $0.1 > $1.1 }.map(\.0)
    }
}
