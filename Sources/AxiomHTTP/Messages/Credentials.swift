// SPDX-License-Identifier: Apache-2.0

/// What a request says in its `Authorization` header. Its description has no secret.
package enum Credentials: Sendable, Equatable, CustomStringConvertible {
    /// RFC 7617.
    case basic(user: String, password: [UInt8])
    /// RFC 6750.
    case bearer([UInt8])
    /// There is no such header, more than one, or one that is malformed or of another scheme.
    case none

    private static let longestHeader = 4_096

    package init(_ headers: HTTPHeaders) {
        let values = headers.values(of: "Authorization")
        guard values.count == 1, let value = values.first, value.utf8.count <= Self.longestHeader,
            let space = value.firstIndex(of: " ")
        else {
            self = .none
            return
        }
        let rest = value[space...].drop { $0 == " " }
        switch value[..<space].lowercased() {
        case "basic": self = Self.basic(rest) ?? .none
        case "bearer": self = rest.isEmpty ? .none : .bearer(Array(rest.utf8))
        default: self = .none
        }
    }

    private static func basic(_ text: Substring) -> Credentials? {
        guard let bytes = SecretMemory.decodeBase64(text), let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let user = String(validating: bytes[..<colon], as: UTF8.self)
        else { return nil }
        return .basic(user: user, password: Array(bytes[(colon + 1)...]))
    }

    package var description: String {
        switch self {
        case .basic: "basic"
        case .bearer: "bearer"
        case .none: "none"
        }
    }
}
