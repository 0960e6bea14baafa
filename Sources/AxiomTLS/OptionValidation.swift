// SPDX-License-Identifier: Apache-2.0

package import AxiomHTTP

extension HTTPAuthentication {
    private static let shortestToken = 16

    /// Checks every option.
    package func validate() throws(AuthenticationProblem) {
        for (name, hash) in users.sorted(by: { $0.key < $1.key }) {
            guard !name.isEmpty, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }) else {
                throw AuthenticationProblem(
                    .user(name),
                    "the user name \(name.debugDescription) is empty or has a colon or a control character, "
                        + "which basic authentication cannot send; choose another name"
                )
            }
            if let problem = BcryptHash.problem(of: hash) {
                throw AuthenticationProblem(.user(name), "the hash of the user \(name) \(problem)")
            }
        }
        guard let scrapeToken else { return }
        guard scrapeToken.utf8.count >= Self.shortestToken, scrapeToken.utf8.allSatisfy(Self.isTokenByte) else {
            throw AuthenticationProblem(
                .scrapeToken,
                "the scrape token has fewer than \(Self.shortestToken) characters, or others than letters, digits "
                    + "and -._~+/=; make one, for example by `openssl rand -hex 32`"
            )
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~+/=".utf8.contains(byte)
        }
    }
}
