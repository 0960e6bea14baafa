// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A request to the shop's servers failed.
struct UpstreamError: AxiomError, RequestBound, Hashable {
    enum Reason: Hashable, Sendable {
        /// An answer that is none of the 200s.
        case status(Int)
        /// No answer by the deadline.
        case timeout
        /// The connection broke off.
        case reset
        /// No connection.
        case unreachable(String)
        /// Something that is no answer.
        case malformed(String)
    }

    let request: UInt64
    let path: String
    let reason: Reason

    var code: ErrorCode {
        switch reason {
        case .status: "SHOP_NETWORK_STATUS"
        case .timeout: "SHOP_NETWORK_TIMEOUT"
        case .reset: "SHOP_NETWORK_RESET"
        case .unreachable: "SHOP_NETWORK_UNREACHABLE"
        case .malformed: "SHOP_NETWORK_MALFORMED"
        }
    }

    var message: String {
        let what =
            switch reason {
            case .status(let status): "was answered with \(status)"
            case .timeout: "was not answered in time"
            case .reset: "was broken off"
            case .unreachable(let problem): "could not be sent (\(problem))"
            case .malformed(let problem): "was answered with something that is no response: \(problem)"
            }
        return "Request \(request) for \(path) \(what)."
    }

    var recoverySuggestion: String { "Try again in a moment." }
}
