// SPDX-License-Identifier: Apache-2.0

/// What a developer can do to a running component from the dashboard, to see how the application reacts.
///
/// Every action but those that end others has a duration, after which it ends by itself.
package enum DeveloperAction: Sendable, Hashable {
    /// Lets the circuit breaker of a component reject every call.
    case openBreaker(String, for: Duration)
    /// Lets the circuit breaker of a component admit every call, and count what it would have rejected.
    case shadowBreaker(String, for: Duration)
    /// Closes the circuit breaker of a component and ends what was done to it.
    case resetBreaker(String)
    /// Delays each call of a client.
    case delay(String, by: Duration, for: Duration)
    /// Lets a share of the calls of a client fail.
    case fail(String, ratio: Double, for: Duration)
    /// Ends the faults of a client.
    case endFaults(String)
    /// Takes a capability away.
    case takeAway(String, for: Duration)
    /// Brings a capability back.
    case bringBack(String)

    /// The longest duration of an action, in seconds.
    package static let longest = 600.0
    /// The longest latency that can be injected, in seconds.
    package static let longestLatency = 10.0

    package var component: String {
        switch self {
        case .openBreaker(let name, _), .shadowBreaker(let name, _), .resetBreaker(let name), .delay(let name, _, _),
            .fail(let name, _, _), .endFaults(let name), .takeAway(let name, _), .bringBack(let name):
            name
        }
    }

    /// How long it lasts; nil for an action that ends others.
    var duration: Duration? {
        switch self {
        case .openBreaker(_, let duration), .shadowBreaker(_, let duration), .delay(_, _, let duration),
            .fail(_, _, let duration), .takeAway(_, let duration):
            duration
        case .resetBreaker, .endFaults, .bringBack: nil
        }
    }

    /// What it acts on. An action replaces one that is in force on the same part of the same component.
    package enum Part: String, Sendable, Hashable, CaseIterable {
        case breaker, latency, errors, capability
    }

    /// The parts that it acts on.
    var parts: [Part] {
        switch self {
        case .openBreaker, .shadowBreaker, .resetBreaker: [.breaker]
        case .delay: [.latency]
        case .fail: [.errors]
        case .endFaults: [.latency, .errors]
        case .takeAway, .bringBack: [.capability]
        }
    }

    /// What it does, as the beginning of a sentence.
    var sentence: String {
        switch self {
        case .openBreaker(let name, _): "Circuit \(name) forced open"
        case .shadowBreaker(let name, _): "Circuit \(name) put in shadow mode"
        case .resetBreaker(let name): "Circuit \(name) reset"
        case .delay(let name, let latency, _): "Latency of \(Self.text(latency / .seconds(1))) s injected into \(name)"
        case .fail(let name, let ratio, _): "Errors injected into \(Self.text(ratio * 100)) % of the calls of \(name)"
        case .endFaults(let name): "Injected faults of \(name) ended"
        case .takeAway(let name, _): "Capability \(name) taken away"
        case .bringBack(let name): "Capability \(name) brought back"
        }
    }

    private static func text(_ number: Double) -> String {
        let rounded = (number * 1_000).rounded() / 1_000
        return Int(exactly: rounded).map { String($0) } ?? "\(rounded)"
    }
}

/// Reports an action on a component that does not exist or does not allow it.
package struct ActionRefusal: Error, Hashable {
    /// What is missing, and what there is.
    package let message: String
}
