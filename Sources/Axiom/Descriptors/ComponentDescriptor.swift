// SPDX-License-Identifier: Apache-2.0

/// The kind of a component type, and the name under which metrics, errors and graphs show it.
public struct ComponentDescriptor: Sendable, Hashable, Codable, CustomStringConvertible {
    /// The kind of component.
    public let kind: ComponentKind
    /// The name; unique among the components of one orchestrator.
    public let name: String

    /// Makes a descriptor.
    public init(kind: ComponentKind, name: String) {
        self.kind = kind
        self.name = name
    }

    /// The kind and the name, as in `client CartClient`.
    public var description: String { "\(kind.rawValue) \(name)" }
}

/// The kinds of component that an orchestrator makes, from the system boundary to the user interface.
///
/// State is not one of them: it is a value that a client owns, not a component with its own life cycle.
public enum ComponentKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// Access to something outside the application: network, storage, a device.
    case capability
    /// Domain logic behind an actor, with or without state.
    case client
    /// Coordination of one feature on the main actor.
    case context
    /// The answering of requests, without a screen.
    case request
    /// The application's life cycle.
    case orchestrator
    /// The visible output of one context.
    case presentation
}

/// Gives each registered type a unique name.
///
/// A name that only one type requests is used as it is. Types that request the same name are shown with their module.
/// If they share even the module (private types of two files), they are numbered in the order of registration.
package struct ComponentNames {
    struct Request {
        let type: ObjectIdentifier
        /// The type under which the component is registered and resolved: its own, or a protocol for some capabilities.
        let key: ObjectIdentifier
        let preferred: String
        let qualified: String

        init<C>(_ type: C.Type, as key: ObjectIdentifier? = nil, preferred: String) {
            self.type = ObjectIdentifier(type)
            self.key = key ?? self.type
            self.preferred = preferred
            qualified = ComponentNames.qualifiedName(of: type)
        }

        var module: String { ComponentNames.module(ofQualifiedName: qualified) }
    }

    private var requests: [Request] = []

    /// The module of a type whose name is qualified.
    static func module(ofQualifiedName name: String) -> String { String(name.prefix { $0 != "." }) }

    mutating func add(_ request: Request) { requests.append(request) }

    /// The name of each added type, by its key.
    func resolved() -> [ObjectIdentifier: String] {
        let askers = requests.reduce(into: [:]) { $0[$1.preferred, default: 0] += 1 }
        var taken: Set<String> = []
        var names: [ObjectIdentifier: String] = [:]
        for request in requests {
            let isShared = askers[request.preferred, default: 0] > 1
            let name = Self.free(isShared ? request.qualified : request.preferred, isTaken: taken.contains)
            taken.insert(name)
            names[request.key] = name
        }
        return names
    }

    /// The name itself, or the first of `name#2`, `name#3` and so on that is not taken.
    package static func free(_ name: String, isTaken: (String) -> Bool) -> String {
        guard isTaken(name) else { return name }
        var number = 2
        while isTaken("\(name)#\(number)") { number += 1 }
        return "\(name)#\(number)"
    }

    /// The type's name with its module and enclosing types, without the run-time addresses that Swift prints for
    /// private and local types: `Shop.(unknown context at $7f…).Cart` becomes `Shop.Cart`.
    package static func qualifiedName(of type: Any.Type) -> String {
        var name = String(reflecting: type)
        // Without a regular expression, which would be parsed at each use.
        while let start = name.firstRange(of: "(unknown context at "),
            let end = name[start.upperBound...].firstRange(of: ").")
        {
            name.removeSubrange(start.lowerBound..<end.upperBound)
        }
        return name
    }
}
