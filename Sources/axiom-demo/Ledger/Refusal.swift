// SPDX-License-Identifier: Apache-2.0

/// An error of a call that was refused before it ran: no request stands behind it.
protocol Refusal: Error {}
