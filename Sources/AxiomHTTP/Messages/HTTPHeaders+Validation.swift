// SPDX-License-Identifier: Apache-2.0

extension HTTPHeaders {
    /// What the server itself sends; a handler that set one would contradict it.
    private static let reserved: [(name: String, remedy: String)] = [
        ("Content-Length", "the server derives it from the body"),
        ("Transfer-Encoding", "the server chooses it from the body"),
        ("Connection", "set closesConnection instead"),
        ("Date", "the server sends it"),
    ]

    /// Refuses fields that cannot be sent, above all a CR or LF through which a value could end the header section
    /// and smuggle in fields or a whole response.
    ///
    /// - Throws: ``HTTPServerError`` with code `invalidResponse` that names the field.
    func validateForSending() throws {
        for field in fields {
            guard Self.isToken(field.name) else {
                throw HTTPServerError(.invalidResponse, "\(field.name.debugDescription) is not a header name")
            }
            guard !field.value.isEmpty, !field.value.utf8.contains(where: Self.isControl) else {
                throw HTTPServerError(
                    .invalidResponse,
                    "the value of the header \(field.name) is empty or has a control character such as CR or LF in it"
                )
            }
            if let reserved = Self.reserved.first(where: { Self.equal($0.name, field.name) }) {
                throw HTTPServerError(.invalidResponse, "a handler may not set \(reserved.name): \(reserved.remedy)")
            }
        }
    }

    private static func isToken(_ name: String) -> Bool { isToken(name.utf8) }

    /// RFC 9110 section 5.6.2: letters, digits and `!#$%&'*+-.^_`|~`.
    static func isToken(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                case 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D, 0x2E, 0x5E, 0x5F, 0x60, 0x7C, 0x7E: true
                default: false
                }
            }
    }

    private static func isControl(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F
    }
}
