// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import Foundation

/// What identifies an error: its type, and its code or case.
///
/// The message is never part of it, because it may differ each time. Nor is the number of an `NSError`: for a Swift
/// enum it is the position of the case, which changes when a case is added.
package struct SpanError: Sendable, Hashable {
    /// The name of the error's type, without its module.
    package let type: String
    /// The code of an `AxiomError`, the name of an enum's case, the domain of an `NSError`; nil for other types.
    package let code: String?

    /// Cost: about 1 µs; the error is not described.
    package init(_ error: any Error) {
        type = String(describing: Swift.type(of: error))
        code = Self.code(of: error)
    }

    /// An error about which no more is known than `type`.
    init(type: String) { (self.type, code) = (type, nil) }

    /// The code, or the type's name if there is none.
    package var codeOrType: String { code ?? type }

    private static func code(of error: any Error) -> String? {
        if let error = error as? any AxiomError { return error.code.rawValue }
        if Swift.type(of: error) == NSError.self { return (error as NSError).domain }
        // Generic code whose failure type is `any Error` puts an error into a second box. The cast opens both.
        guard let inner = (error as Any) as? any Error else { return nil }
        return EnumMetadata.caseName(ofValue: inner)
    }
}

/// The deepest cause of an error.
package struct RootCause: Sendable, Hashable {
    package let error: SpanError
    /// The component that threw the deepest cause for which it is known; nil if it is known for none.
    package let component: ComponentDescriptor?
}

extension ErrorChain {
    /// Nil for an error that is its own cause.
    var root: RootCause? {
        guard links.count > 1, let last = links.last else { return nil }
        let placed = links.dropFirst().last(where: \.isPlaced)
        return RootCause(error: SpanError(last.error), component: placed?.component)
    }

    /// The codes, or the types of errors without one, from the error to its deepest cause, with the component of the
    /// deepest cause for which it is known, as in `TRIPS_FAILED ← TRIPS_GATEWAY_401 ← TRIPS_VAULT_KEY (Vault)`.
    /// It has no message and no associated value, because these may be personal.
    package var text: String {
        let placed = links.dropFirst().lastIndex(where: \.isPlaced)
        var names = links.indices.map { index in
            let place = index == placed ? links[index].component.map { " (\($0.name))" } : nil
            return SpanError(links[index].error).codeOrType + (place ?? "")
        }
        if isCut { names.append("…") }
        return names.joined(separator: " ← ")
    }
}

extension ErrorChain.Link {
    fileprivate var isPlaced: Bool { component != nil }
}

/// Identifies errors that count as the same error: what they are, the component in which they arose, and their deepest
/// cause.
package struct ErrorFingerprint: Sendable, Hashable {
    package let error: SpanError
    /// The component in which the error arose.
    package let component: ComponentDescriptor
    /// Nil if the error has no cause.
    package let root: RootCause?

    init(_ error: any Error, in component: ComponentDescriptor, _ chain: ErrorChain?) {
        (self.error, self.component, root) = (SpanError(error), component, chain?.root)
    }
}
