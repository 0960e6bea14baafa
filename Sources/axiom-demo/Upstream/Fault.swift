// SPDX-License-Identifier: Apache-2.0

/// What a server does to a request when it does not simply answer it.
enum Fault: Hashable, Sendable, CaseIterable {
    /// It answers 503.
    case unavailable
    /// It answers when nobody waits any longer.
    case timeout
    /// It breaks the connection off.
    case reset
    /// It answers late, and in time.
    case slow
}
