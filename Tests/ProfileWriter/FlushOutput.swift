// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Hands what was printed to whoever reads.
func flushOutput() {
    fflush(nil)
}
