// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

/// What the body of a request acts on: the last part of its path.
package enum ActionSubject: String, Sendable, CaseIterable {
    case breaker, fault, capability
}

/// Decodes the body of a request for an action. Strict: each member has to be known, of its type and in its range, and a
/// member that the action does not use is refused.
struct ActionDecoder {
    private let object: FlatObject
    private let set: String

    /// - Throws: ``QueryError`` that names the member and what is permitted.
    static func action(_ subject: ActionSubject, _ body: [UInt8]) throws(QueryError) -> DeveloperAction {
        let decoder = try ActionDecoder(body, subject.choices)
        return try decoder.action(subject)
    }

    private init(_ body: [UInt8], _ choices: [String]) throws(QueryError) {
        object = try FlatObject(body)
        for name in object.names where !["component", "set", "value", "seconds"].contains(name) {
            throw QueryError(name, "unknown", "the members are component, set, value and seconds")
        }
        guard case .text(let set)? = object.members["set"], choices.contains(set) else {
            throw QueryError("set", object.text("set"), "give one of \(choices.joined(separator: ", "))")
        }
        self.set = set
    }

    private func action(_ subject: ActionSubject) throws(QueryError) -> DeveloperAction {
        let name = try component()
        if !["latency", "errors"].contains(set) { try refuse("value") }
        switch set {
        case "open": return .openBreaker(name, for: try duration())
        case "shadow": return .shadowBreaker(name, for: try duration())
        case "latency":
            let seconds = try number("value", above: 0, to: DeveloperAction.longestLatency)
            return .delay(name, by: .seconds(seconds), for: try duration())
        case "errors": return .fail(name, ratio: try number("value", from: 0, to: 1), for: try duration())
        case "away": return .takeAway(name, for: try duration())
        default:
            try refuse("seconds")
            return subject.ending(name)
        }
    }

    private func component() throws(QueryError) -> String {
        guard case .text(let name)? = object.members["component"], !name.isEmpty, name.utf8.count <= 1_000 else {
            throw QueryError("component", object.text("component"), "give the name of a component")
        }
        return name
    }

    private func duration() throws(QueryError) -> Duration {
        .seconds(try number("seconds", from: 1, to: DeveloperAction.longest))
    }

    private func refuse(_ name: String) throws(QueryError) {
        guard object.members[name] != nil else { return }
        throw QueryError(name, object.text(name), "leave it out with set \"\(set)\"")
    }

    private func number(
        _ name: String,
        above bound: Double? = nil,
        from least: Double = 0,
        to most: Double
    ) throws(QueryError) -> Double {
        if case .number(let value)? = object.members[name], value >= least, value <= most,
            bound.map({ value > $0 }) ?? true
        {
            return value
        }
        let range = "\(bound == nil ? "from \(Int(least))" : "above 0") to \(Int(most))"
        throw QueryError(name, object.text(name), "give a number \(range)")
    }
}

extension ActionSubject {
    /// The values of `set`. The last one ends what the others began.
    fileprivate var choices: [String] {
        switch self {
        case .breaker: ["open", "shadow", "reset"]
        case .fault: ["latency", "errors", "none"]
        case .capability: ["away", "back"]
        }
    }

    fileprivate func ending(_ name: String) -> DeveloperAction {
        switch self {
        case .breaker: .resetBreaker(name)
        case .fault: .endFaults(name)
        case .capability: .bringBack(name)
        }
    }
}

extension FlatObject {
    /// A member as text for an error.
    fileprivate func text(_ name: String) -> String {
        switch members[name] {
        case .text(let text)?: text
        case .number(let number)?: "\(number)"
        case nil: "missing"
        }
    }
}
