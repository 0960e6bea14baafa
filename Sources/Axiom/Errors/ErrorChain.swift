// SPDX-License-Identifier: Apache-2.0

/// An error and its causes, the root cause last.
struct ErrorChain: CustomStringConvertible {
    /// The maximum length. A cause that is a class may lead back to itself.
    private static let limit = 8

    let errors: [any Error]

    init(_ error: any Error) {
        var errors: [any Error] = []
        var next: (any Error)? = error
        while let error = next, errors.count < Self.limit {
            errors.append(error)
            next = (error as? any AxiomError)?.cause
        }
        self.errors = errors
    }

    var description: String {
        errors.map(Self.describe).joined(separator: ", caused by ")
    }

    private static func describe(_ error: any Error) -> String {
        let type = "\(type(of: error))"
        guard let error = error as? any AxiomError else { return "\(type) (\(error))" }
        return "\(type) \(error.code.rawValue)" + (error.origin.map { " in the \($0)" } ?? "")
    }
}
