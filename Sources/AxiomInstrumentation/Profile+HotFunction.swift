// SPDX-License-Identifier: Apache-2.0

extension Profile {
    /// A share of samples, with the interval that contains the true share with a probability of 95 % (Wilson, "Probable
    /// inference", 1927). Samples that follow each other are not independent, so that the interval is a little too narrow.
    package struct Share: Sendable, Hashable {
        package let value: Double
        package let low: Double
        package let high: Double

        /// - Parameters:
        ///   - part: 0 or more, at most `total`.
        ///   - total: 0 gives a share of 0 of which nothing is known.
        package init(_ part: Int, of total: Int) {
            guard total > 0 else {
                (value, low, high) = (0, 0, 1)
                return
            }
            let (n, z) = (Double(total), 1.96)
            value = Double(part) / n
            let middle = value + z * z / (2 * n)
            let half = z * (value * (1 - value) / n + z * z / (4 * n * n)).squareRoot()
            low = max(0, (middle - half) / (1 + z * z / n))
            high = min(1, (middle + half) / (1 + z * z / n))
        }
    }

    /// The function that used the processor most while an operation ran, without what it called. It is named only if the
    /// samples prove it: there are 30 or more, the lower bound of its share is 30 % or more, and above the upper bound of the
    /// second function's.
    ///
    /// - Parameter action: The name of the operation's frame, as `Cart.add`.
    package func hotFunction(
        of action: String
    ) -> (name: String, share: Double, low: Double, high: Double, samples: Int)? {
        var (total, byName): (Int, [String: Int]) = (0, [:])
        for stack in stacks where stack.samples > 0 {
            guard stack.frames.contains(where: { frames[$0].isOperation && frames[$0].name == action }) else {
                continue
            }
            total += stack.samples
            guard let last = stack.frames.last, frames[last].kind == .function else { continue }
            byName[frames[last].name, default: 0] += stack.samples
        }
        let ranked = byName.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard total >= 30, let first = ranked.first else { return nil }
        let share = Share(first.value, of: total)
        let second = Share(ranked.dropFirst().first?.value ?? 0, of: total)
        guard share.low >= 0.3, share.low > second.high else { return nil }
        return (first.key, share.value, share.low, share.high, total)
    }
}

extension Profile.Frame {
    /// Whether it is an operation of the application.
    package var isOperation: Bool {
        switch kind {
        case .context, .client, .capability, .request, .work: true
        case .function, .wait, .missing, .outside: false
        }
    }
}
