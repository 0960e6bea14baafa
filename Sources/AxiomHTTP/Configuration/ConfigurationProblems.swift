// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a TLS configuration or one of its files, and in which option.
package struct TLSProblem: Error, Hashable {
    /// The option that has to change, or whose file has to.
    package enum Option: Hashable, Sendable {
        case certificateFile
        case keyFile
        case clientAuthentication
        case clientAuthoritiesFile
        case allowedClientNames
        case minimumVersion
        case maximumVersion
        /// An entry of the list.
        case cipherSuite(Int)
        /// An entry of the list.
        case curve(Int)
    }

    /// The option.
    package let option: Option
    /// The cause and the remedy in one sentence.
    package let message: String

    init(_ option: Option, _ message: String) {
        (self.option, self.message) = (option, message)
    }
}

/// What is wrong with the options of authentication, and in which.
package struct AuthenticationProblem: Error, Hashable {
    /// The option that has to change.
    package enum Option: Hashable, Sendable {
        /// The user of this name.
        case user(String)
        case scrapeToken
    }

    /// The option.
    package let option: Option
    /// The cause and the remedy in one sentence, without a secret.
    package let message: String

    init(_ option: Option, _ message: String) {
        (self.option, self.message) = (option, message)
    }
}
