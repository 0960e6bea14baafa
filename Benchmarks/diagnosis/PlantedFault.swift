// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A fault of one component of a simulated application.
enum PlantedFault: Sendable, CaseIterable {
    /// Its own work takes ten times as long.
    case slow
    /// Nearly all of its calls fail.
    case failing
    /// Nearly all of its calls fail, and each component above throws an error of its own, with this one as its cause.
    case deep
    /// It fails for ten seconds in each twenty.
    case flapping
    /// Its service is gone: calls are rejected.
    case unavailable

    /// The share of the calls that fail at a second of the run.
    func failing(at second: Int) -> Double {
        switch self {
        case .slow: 0
        case .failing, .deep, .unavailable: 0.95
        case .flapping: second % 20 < 10 ? 0.95 : 0
        }
    }
}

/// An error of a simulated component.
struct SimulatedError: AxiomError {
    let code: ErrorCode
    let origin: ComponentDescriptor?
    var cause: (any Error)?
    var message: String { "A planted fault." }
    var recoverySuggestion: String { "Find it." }
}
