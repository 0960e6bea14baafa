// SPDX-License-Identifier: Apache-2.0

/// How the life of a component ended.
public enum ComponentEnding: UInt8, Sendable, Hashable, CaseIterable {
    /// It was needed no more.
    case finished
    /// It was let go before its start was over: the initialisation of a capability or the activation of a client was
    /// called off, or a context disappeared before it had appeared.
    case cancelled
    /// Its start threw: a capability was not initialised, a client not activated, or the appearance of a context ended in
    /// an error.
    case failed
}
