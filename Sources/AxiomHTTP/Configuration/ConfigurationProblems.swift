// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a configuration or one of its files, and in which option.
package struct OptionProblem<Option: Hashable & Sendable>: Error, Hashable {
    /// The option that has to change, or whose file has to.
    package let option: Option
    /// The cause and the remedy in one sentence, without a secret.
    package let message: String

    package init(_ option: Option, _ message: String) {
        (self.option, self.message) = (option, message)
    }
}

package typealias TLSProblem = OptionProblem<TLSOption>
package typealias AuthenticationProblem = OptionProblem<AuthenticationOption>

/// An option of a TLS configuration.
package enum TLSOption: Hashable, Sendable {
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

/// An option of authentication.
package enum AuthenticationOption: Hashable, Sendable {
    /// The user of this name.
    case user(String)
    case scrapeToken
}
