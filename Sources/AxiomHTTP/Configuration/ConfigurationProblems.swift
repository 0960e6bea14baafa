// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Foundation

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

package enum AuthenticationOption: Hashable, Sendable {
    /// The user of this name.
    case user(String)
    case scrapeToken
}

/// Reads the files that configurations name.
package enum OptionFile {
    /// The contents of a regular file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes.
    ///   - remedy: What to name instead of a file that is none, or too long.
    /// - Throws: ``FileError`` whose message is the cause and the remedy.
    package static func read(_ path: String, limit: Int, _ remedy: String) throws(FileError) -> [UInt8] {
        let code: CInt?
        do throws(FileError) {
            if let bytes = try FileBytes.read(path, limit: limit) { return bytes }
            code = ENOENT
        } catch {
            code = error.code
        }
        guard let code else {
            let size = limit < 1 << 20 ? "\(limit) bytes" : "\(limit >> 20) MiB"
            throw FileError("\(path) is no file of \(size) at most; \(remedy)")
        }
        throw FileError("cannot read \(path): \(String(cString: strerror(code))); \(help(code))", code: code)
    }

    private static func help(_ code: CInt) -> String {
        switch code {
        case EACCES, EPERM: "give the user of this process the permission to read it"
        case ENOENT, ENOTDIR: "check the path"
        default: "check the path and the file"
        }
    }
}
