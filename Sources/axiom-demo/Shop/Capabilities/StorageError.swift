// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A file could not be read or written.
struct StorageError: AxiomError {
    let operation: String
    let path: String
    let problem: String

    var code: ErrorCode { "SHOP_STORAGE" }
    var message: String { "Could not \(operation) \(path): \(problem)." }
    var recoverySuggestion: String { "Check the folder's permissions and the space that is left, or name another." }
}
