// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

/// Makes many mutations of the demo. Mutations of different files are judged together: where one has a finding, the
/// findings name the file.
struct PreservingCorpus: Sendable {
    /// Mutations whose files are disjoint.
    struct Batch: Sendable {
        var changes: [String: String?] = [:]
        /// The mutations with their seeds.
        var mutations: [(name: String, seed: UInt64, paths: [String])] = []
    }

    let batches: [Batch]
    /// How many mutations of each kind there are.
    let counts: [String: Int]

    /// - Parameter limit: How many mutations a batch has at most.
    init(_ count: Int, of demo: ParsedProgram, seed: UInt64, limit: Int = 8) {
        var (batches, counts, batch) = ([Batch](), [String: Int](), Batch())
        var (made, attempt) = (0, UInt64(0))
        // Each kind in its turn. A place that a kind does not allow is followed by another place, not by another kind.
        while made < count, attempt < UInt64(20 * count) {
            let mutation = PreservingMutation.all[made % PreservingMutation.all.count]
            var generator = SplitMix64(seed: seed &+ attempt)
            attempt += 1
            guard let changes = mutation.changes(demo, &generator), !changes.isEmpty,
                changes.contains(where: { $0.value != demo.program.texts[$0.key] })
            else { continue }
            if batch.mutations.count == limit || changes.keys.contains(where: { batch.changes.keys.contains($0) }) {
                batches.append(batch)
                batch = Batch()
            }
            batch.changes.merge(changes) { $1 }
            batch.mutations.append((mutation.name, seed &+ attempt - 1, changes.keys.sorted()))
            counts[mutation.name, default: 0] += 1
            made += 1
        }
        if !batch.mutations.isEmpty { batches.append(batch) }
        (self.batches, self.counts) = (batches, counts)
    }

    /// What the verifier says about mutations that mean what the demo means: nothing.
    static func complaints(about batch: Batch, of demo: ParsedProgram) -> [String] {
        let verdict = demo.program.replacing(batch.changes).judge()
        let places = verdict.findings.map {
            "\($0.location.path):\($0.location.start.line) \($0.rule.rawValue): \($0.message)"
        }
        let errors = verdict.unreadableFiles.map { "\($0.location.path):\($0.location.start.line) does not parse" }
        guard !(places + errors).isEmpty else { return [] }
        return places + errors + batch.mutations.map { "  one of: \($0.name), seed \($0.seed), \($0.paths.prefix(4))" }
    }
}
