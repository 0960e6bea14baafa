// SPDX-License-Identifier: Apache-2.0

extension Orchestrator {
    /// What is under way, for tests.
    package nonisolated var quiescence: Quiescence { supervisor.quiescence }

    /// Returns when nothing is under way in the mounted contexts and no rendering is due: every observation waits with
    /// nothing pending, and no operation and no retry is under way, unless it waits for the test. Waits for the operations
    /// of unmounted contexts, too.
    ///
    /// - Parameters:
    ///   - contexts: Other contexts to wait for, which no presentation shows.
    ///   - limit: How long to wait, in real time.
    /// - Returns: False if the limit expired first.
    @discardableResult
    package func quiet(_ contexts: [any Context] = [], upTo limit: Duration = .seconds(60)) async -> Bool {
        let runtimes = contexts.map(\.runtime)
        return await quiescence.wait(upTo: limit) { [weak self] in
            let mounted = self?.mounts.hosts.compactMap(\.root) ?? []
            // A mounted context appears as soon as the main actor is free.
            return mounted.allSatisfy { $0.life != .pending && $0.isQuiet } && runtimes.allSatisfy(\.isQuiet)
        }
    }

    /// What is under way and does not wait for the test, for a failure: a line for each context.
    package var underWay: [String] {
        let mounted = mounts.hosts.compactMap(\.root).flatMap(\.tree)
        return (mounted + quiescence.leaving).compactMap { runtime in
            guard let context = runtime.context else { return nil }
            let (operations, observations) = context.underWay
            guard operations + observations > 0 else { return nil }
            let counts = "\(operations) operations and \(observations) observations"
            return "\(runtime.descriptor.name): \(counts) are under way."
        }
    }
}

extension ContextRuntime {
    /// The context and all below it.
    fileprivate var tree: [ContextRuntime] { [self] + downstreamRuntimes.flatMap(\.tree) }
}
