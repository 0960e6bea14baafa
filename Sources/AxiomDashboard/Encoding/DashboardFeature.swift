// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

/// What a dashboard shows or does beyond telemetry. Each is off unless a developer sets the option of `DashboardOptions`
/// with the same name. The raw value is the name in the snapshot.
package enum DashboardFeature: String, CaseIterable, Sendable {
    /// The states of clients are served.
    case inspectsState = "inspects"
    /// Developers may act on components.
    case allowsActions = "allows"
    /// The actions of contexts are recorded with what they contain, and served as a test. A recording begins at once.
    case recordsPayloads = "records"

    /// Says why a request that needs this feature is refused, and what to do.
    func refusal(by readings: Readings) -> String {
        let (subject, verb, needed) = words
        guard readings.isInstrumented else {
            return "\(subject) are \(verb) only in a build with the package trait Instrumented."
        }
        return "\(subject) are not \(verb). Set DashboardOptions(\(self): true)\(needed)."
    }

    private var words: (subject: String, verb: String, needed: String) {
        switch self {
        case .inspectsState: ("States", "inspected", "")
        case .allowsActions: ("Actions", "allowed", " and a token")
        case .recordsPayloads: ("Actions", "recorded", "")
        }
    }
}
