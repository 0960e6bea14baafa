// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation
internal import Foundation

/// What the body of a request acts on: the last part of its path.
package enum ActionSubject: String, Sendable, CaseIterable {
    case breaker, fault, capability
}

/// Decodes the body of a request for an action. Strict: each member has to be known, of its type and in its range, and a
/// member that the action does not use is refused.
struct ActionDecoder {
    /// A member of a body: a text or a number.
    enum Member: Decodable, Hashable {
        case text(String)
        case number(Double)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            self = try (try? container.decode(String.self)).map { .text($0) } ?? .number(container.decode(Double.self))
        }

        fileprivate var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    private let members: [String: Member]
    private let set: String

    /// - Throws: ``QueryError`` that names the member and what is permitted.
    static func action(_ subject: ActionSubject, _ body: [UInt8]) throws(QueryError) -> DeveloperAction {
        let decoder = try ActionDecoder(members(of: body), subject.choices)
        return try decoder.action(subject)
    }

    private init(_ members: [String: Member], _ choices: [String]) throws(QueryError) {
        let known = ["component", "set", "value", "seconds"]
        for name in members.keys.sorted() where !known.contains(name) {
            throw QueryError(name, "unknown", "the members are component, set, value and seconds")
        }
        guard case .text(let set)? = members["set"], choices.contains(set) else {
            throw QueryError("set", Self.text(members["set"]), "give one of \(choices.joined(separator: ", "))")
        }
        (self.members, self.set) = (members, set)
    }

    private static func text(_ member: Member?) -> String { member?.description ?? "missing" }

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
        guard case .text(let name)? = members["component"], !name.isEmpty, name.utf8.count <= 1_000 else {
            throw QueryError("component", Self.text(members["component"]), "give the name of a component")
        }
        return name
    }

    private func duration() throws(QueryError) -> Duration {
        .seconds(try number("seconds", from: 1, to: DeveloperAction.longest))
    }

    private func refuse(_ name: String) throws(QueryError) {
        guard members[name] != nil else { return }
        throw QueryError(name, Self.text(members[name]), "leave it out with set \"\(set)\"")
    }

    private func number(
        _ name: String,
        above bound: Double? = nil,
        from least: Double = 0,
        to most: Double
    ) throws(QueryError) -> Double {
        if case .number(let value)? = members[name], value >= least, value <= most,
            bound.map({ value > $0 }) ?? true
        {
            return value
        }
        let range = "\(bound == nil ? "from \(Int(least))" : "above 0") to \(Int(most))"
        throw QueryError(name, Self.text(members[name]), "give a number \(range)")
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

// MARK: - Reading JSON

extension ActionDecoder {
    /// The members of a JSON object whose members are texts and numbers. A member that occurs twice is refused, because
    /// Foundation keeps only one of the two.
    ///
    /// - Throws: ``QueryError`` that names the member, or `body` if the bytes are no such object.
    static func members(of body: [UInt8]) throws(QueryError) -> [String: Member] {
        // Foundation also reads other encodings, and a byte order mark.
        guard let text = String(validating: body, as: UTF8.self), !body.contains(0), body.first != 0xEF else {
            throw QueryError("body", "\(body.count) bytes", "give JSON in UTF-8")
        }
        let members: [String: Member]
        do {
            members = try JSONDecoder().decode([String: Member].self, from: Data(body))
        } catch {
            throw mistake(error)
        }
        // Foundation takes a comma behind the last member.
        guard text.firstMatch(of: #/,\s*\}\s*$/#) == nil else { throw notAnObject }
        let member = #/"((?:[^"\\]|\\.)*)"\s*:/#.matchingSemantics(.unicodeScalar)
        let names = text.matches(of: member).map { String($0.output.1) }
        guard names.count == members.count else {
            let twice = names.first { name in names.count { $0 == name } > 1 }
            throw QueryError(twice ?? "body", "given twice", "give each member once")
        }
        return members
    }

    private static func mistake(_ error: any Error) -> QueryError {
        let path: [any CodingKey] =
            switch error {
            case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
                DecodingError.dataCorrupted(let context):
                context.codingPath
            default: []
            }
        if let member = path.first {
            return QueryError(member.stringValue, "of another type", "give a text or a JSON number")
        }
        return notAnObject
    }

    private static var notAnObject: QueryError {
        QueryError("body", "not a JSON object", "give an object whose members are texts or numbers up to 1e308")
    }
}
