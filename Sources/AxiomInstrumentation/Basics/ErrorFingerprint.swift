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
    init(type: String) {
        (self.type, code) = (type, nil)
    }

    private static func code(of error: any Error) -> String? {
        if let error = error as? any AxiomError { return error.code.rawValue }
        if Swift.type(of: error) == NSError.self { return (error as NSError).domain }
        // Generic code whose failure type is `any Error` puts an error into a second box. The cast opens both.
        guard let inner = (error as Any) as? any Error else { return nil }
        return EnumMetadata.caseName(ofValue: inner)
    }
}

/// Identifies errors that count as the same error: what they are, and the component in which they arose.
package struct ErrorFingerprint: Sendable, Hashable {
    package let error: SpanError
    /// The component in which the error arose.
    package let component: ComponentDescriptor

    init(_ error: any Error, in component: ComponentDescriptor) {
        (self.error, self.component) = (SpanError(error), component)
    }
}
