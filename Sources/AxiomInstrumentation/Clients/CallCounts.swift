// SPDX-License-Identifier: Apache-2.0

/// How often one component called another.
package struct CallCounts: Sendable, Hashable {
    /// The calls that ended, however they did; those that were refused are among them.
    package let calls: UInt64
    /// Those that failed: no more than the calls.
    package let failures: UInt64
}
