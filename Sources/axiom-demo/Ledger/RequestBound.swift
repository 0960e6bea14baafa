// SPDX-License-Identifier: Apache-2.0

/// An error that one request to the upstream led to.
protocol RequestBound: Error {
    /// The number of the request, from ``FaultBook/newRequest()``.
    var request: UInt64 { get }
}
