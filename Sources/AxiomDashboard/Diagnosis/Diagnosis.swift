// SPDX-License-Identifier: Apache-2.0

/// What is wrong with an application and why, in at most ``limit`` bytes: the first line of its page, for programs.
///
/// It is made of a snapshot: of a running application, or of one that was saved. It names what the page names, in the same
/// words, and no messages of errors.
package struct Diagnosis: Encodable, Sendable, Hashable {
    package enum Verdict: String, Encodable, Sendable {
        /// Nothing is wrong, and nothing is unusual.
        case healthy
        /// Nothing fails. Something is unusual, or an unconfirmed limit is missed.
        case observations
        case problems
    }

    /// A problem that follows from no other one.
    package struct Cause: Encodable, Sendable, Hashable {
        /// The sentence of the page.
        package let says: String
        /// Whether it does harm now; else it may.
        package let isHarmful: Bool
        package let component: String?
        /// Seconds since 1970.
        package let since: Double
        /// What follows from it.
        package internal(set) var effects: [String]
        /// The components on the way to the cause, the first affected one first. Each called the next one in the last minute;
        /// of a failure, calls on each step failed. Empty if there is no such way.
        package internal(set) var path: [String]
        /// Measured numbers, or an error with its chain.
        package internal(set) var evidence: String?
        /// Where the page shows more: the fragment of its address.
        package let next: String
    }

    /// The most bytes of the JSON and of the Markdown.
    package static let limit = 2_048
    /// The most causes, effects of a cause, and observations.
    private static let (mostCauses, mostEffects, mostObservations) = (5, 3, 5)

    package let schema = "axiom/diagnosis"
    package let version = 1
    package let app: String
    /// When it was observed, in seconds since 1970.
    package let at: Double
    package let verdict: Verdict
    /// How many problems follow from no other one, and how many observations there are. The lists have as many of them as there
    /// is room for.
    package let problems, observations: Int
    package private(set) var causes: [Cause]
    package private(set) var observed: [String]

    /// Reads a snapshot, or a page that was exported.
    ///
    /// - Parameters:
    ///   - file: JSON of any version, or the page.
    ///   - source: What the input is called in errors.
    /// - Throws: ``DashboardFileError`` that names the input and says what to do.
    package init(_ file: [UInt8], from source: String) throws(DashboardFileError) {
        self.init(try SavedSnapshot(file, from: source))
    }

    init(_ snapshot: SavedSnapshot) {
        let lasting = (snapshot.problems ?? []).filter { $0.ended == nil && $0.later == nil }
        let ids = Set(lasting.map(\.id))
        let roots = lasting.filter { $0.cause.map { !ids.contains($0) } ?? true }
        let problems = roots.filter { !$0.isObservation }.sorted { Self.rank($0) < Self.rank($1) }
        let evidence = DiagnosisEvidence(snapshot)
        let observed = roots.filter(\.isObservation).map { finding in
            let explained = evidence.explanation(finding).map { "; \($0.text.clipped(160))" } ?? ""
            return finding.text.clipped(160) + explained
        }
        (app, at) = ((snapshot.app?.name ?? "Axiom").clipped(80), snapshot.capturedAt)
        verdict = problems.isEmpty ? (observed.isEmpty ? .healthy : .observations) : .problems
        causes = problems.prefix(Self.mostCauses).map { problem in
            let effects = lasting.filter { $0.cause == problem.id }
            return evidence.cause(problem, effects, most: Self.mostEffects)
        }
        (self.problems, observations) = (problems.count, observed.count)
        self.observed = Array(observed.prefix(Self.mostObservations))
        while json.count > Self.limit || markdown().utf8.count > Self.limit, shorten() {}
    }

    /// The order of the page: what does harm first, then what began first.
    private static func rank(_ finding: SavedSnapshot.Finding) -> (Int, Double, Int) {
        (finding.isBad ? 0 : 1, finding.since, finding.id)
    }

    /// Leaves out what says least: effects, then observations, paths and evidence of the last causes, then the last causes.
    ///
    /// - Returns: False if nothing is left.
    private mutating func shorten() -> Bool {
        if let index = causes.indices.reversed().first(where: { causes[$0].effects.count > 1 }) {
            causes[index].effects.removeLast()
        } else if observed.popLast() != nil {
            return true
        } else if let index = causes.indices.dropFirst().reversed().first(where: { causes[$0].isDetailed }) {
            (causes[index].effects, causes[index].path, causes[index].evidence) = ([], [], nil)
        } else if causes.count > 1 {
            causes.removeLast()
        } else {
            return false
        }
        return true
    }
}

extension Diagnosis.Cause {
    fileprivate var isDetailed: Bool { !effects.isEmpty || !path.isEmpty || evidence != nil }
}
