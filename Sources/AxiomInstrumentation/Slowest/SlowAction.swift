// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// One action that took longer than most of its component's.
package struct SlowAction: Sendable, Hashable {
    package let component: ComponentDescriptor
    /// The name of its case; never its associated values.
    package let action: String
    package let nanoseconds: Int64
    package let outcome: ActionOutcome
    /// When it ended.
    package let time: Instant
}
