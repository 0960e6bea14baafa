// SPDX-License-Identifier: Apache-2.0

package import AxiomInstrumentation
internal import Foundation

/// The parts of a snapshot that a diagnosis reads. A list that an older version of Axiom does not have is nil.
struct SavedSnapshot: Decodable {
    struct App: Decodable {
        let name: String
    }

    struct Finding: Decodable {
        let id: Int
        let kind, panel, text: String
        let component, cause, later: Int?
        let since: Double
        let ended: Double?

        var isObservation: Bool { kind == ProblemLevel.observation.rawValue }
        var isBad: Bool { kind == ProblemLevel.bad.rawValue }
    }

    struct Component: Decodable {
        let id: Int
        let kind, name: String
        let p50, p99: Double?
    }

    struct Edge: Decodable {
        let from, to: Int
        let rate, errorRatio: Double?
    }

    struct ErrorGroup: Decodable {
        let id: Int
        let component: Int?
        let code: String
        let chain: String?
        let count: Int
        let last: Double
    }

    struct Occurrence: Decodable {
        let error: Int
        let at: Double
        let trace: String?
    }

    struct Slow: Decodable {
        let component: Int?
        let action: String
        let seconds: Double
        let trace: String?
    }

    struct Circuit: Decodable {
        let component: Int?
        let failureRatio, failureThreshold, slowRatio, slowThreshold: Double?
    }

    struct Regression: Decodable {
        let component: Int?
        let action, verdict: String
        let baseline, current: Double?
        let trace: String?
    }

    /// What explains a slow problem.
    struct Explained: Decodable {
        let problem: Int
        let action: String?
        let text: String
        let trace: String?
    }

    let app: App?
    let capturedAt: Double
    let problems: [Finding]?
    let components: [Component]
    let edges: [Edge]?
    let errors: [ErrorGroup]?
    let occurrences: [Occurrence]?
    let slowest: [Slow]?
    let circuits: [Circuit]?
    let regressions: [Regression]?
    let explanations: [Explained]?
    let profile: SavedProfile?

    /// Reads a snapshot, or a page that was exported.
    ///
    /// - Parameter source: What the input is called in errors.
    /// - Throws: ``DashboardFileError`` that names the input and says what to do.
    init(_ file: [UInt8], from source: String) throws(DashboardFileError) {
        let json = Self.embedded(in: file) ?? file
        _ = try SnapshotFacts(json, from: source)
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch {
            throw DashboardFileError(
                message: "\(source) has rows that are no rows of a snapshot: it was changed. Save the snapshot again."
            )
        }
    }

    /// The snapshot in an exported page; nil if the file is no page with one.
    private static func embedded(in file: [UInt8]) -> [UInt8]? {
        guard let begin = file.firstRange(of: Array(#"<script type="application/json" id="data">"#.utf8))?.upperBound,
            let end = file[begin...].firstRange(of: Array("</script>".utf8))?.lowerBound
        else { return nil }
        return Array(file[begin..<end])
    }
}

extension Profile {
    /// Reads what ``json(_:)`` wrote, or the profile in a snapshot of version 2 or in a page that was exported. Its instants are
    /// those since 1970.
    ///
    /// - Parameter source: What the input is called in errors.
    /// - Throws: ``DashboardFileError`` that names the input and says what to do.
    package init(_ file: [UInt8], from source: String) throws(DashboardFileError) {
        var found = try? JSONDecoder().decode(SavedProfile.self, from: Data(file))
        if found == nil { found = try SavedSnapshot(file, from: source).profile }
        guard let found else {
            throw DashboardFileError(
                message:
                    "\(source) has no profile: save the page by Export while a profiler runs, which Profiler.start(telemetry) starts."
            )
        }
        guard let profile = found.profile else {
            let remedy = "Use the axiom-dashboard of the process, and save the profile again."
            throw DashboardFileError(
                message: "\(source) has a profile of another version, or one that was changed. \(remedy)"
            )
        }
        self = profile
    }
}
