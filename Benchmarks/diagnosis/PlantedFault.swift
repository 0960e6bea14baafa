// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A fault of one component of a simulated application.
enum PlantedFault: Sendable, CaseIterable {
    /// Its own work takes sixty times as long.
    case slow
    /// Nearly all of its calls fail.
    case failing
    /// Nearly all of its calls fail, and each component above throws an error of its own, with this one as its cause.
    case deep
    /// It fails for ten seconds in each twenty.
    case flapping
    /// Its service is gone: calls are rejected.
    case unavailable
    /// It fails once in a while, from the start of the application on.
    case misconfigured
    /// Most attempts fail, and its callers repeat them up to eight times.
    case retrying
    /// The state of a client grows by 300 kB a minute.
    case growing
    /// A client is not called any more.
    case silent
    /// Contexts appear, 20 a minute, and are never released.
    case leaking

    /// The kind of the components that may have it.
    var ofKind: ComponentKind {
        switch self {
        case .growing, .silent: .client
        case .leaking: .context
        default: .capability
        }
    }

    /// The share of the calls that fail at a second of the run.
    func failing(at second: Int) -> Double {
        switch self {
        case .slow, .growing, .silent, .retrying, .leaking: 0
        case .failing, .deep, .unavailable: 0.95
        case .misconfigured: 0.3
        case .flapping: second % 20 < 10 ? 0.95 : 0
        }
    }

    /// The share of the attempts that fail and are repeated.
    var repeated: Double { self == .retrying ? 0.7 : 0 }
}

/// An error of a simulated component.
struct SimulatedError: AxiomError {
    let code: ErrorCode
    let origin: ComponentDescriptor?
    var cause: (any Error)?
    var message: String { "A planted fault." }
    var recoverySuggestion: String { "Find it." }
}
