// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// An input of axiom-migrate that cannot be used. The message names the input and the remedy.
package struct MigrationError: MessageError, Hashable, CustomStringConvertible {
    package let message: String

    package init(_ message: String) {
        self.message = message
    }
}
