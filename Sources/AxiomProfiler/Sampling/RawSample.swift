// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase

/// A sample before its addresses have names.
package struct RawSample: Sendable {
    package let time: Instant
    /// The thread, as gettid(2) numbers it.
    package let thread: Int32
    /// The processor time that it stands for in nanoseconds, or the bytes.
    package let amount: Int64
    /// The spans of the task, the innermost one first; empty outside of them.
    package let spans: [SpanContext]
    /// The program counter, and then return addresses.
    package let frames: [UInt]
    /// What stood at the top of the stack: callers that the frames lack are among them.
    package let words: [UInt]
    /// Whether outer frames are missing.
    package let isCut: Bool
    /// Whether there is the program counter alone, because the stack is not that of the thread.
    package let hasNoStack: Bool
}

/// Takes samples on the sampler's thread.
package protocol SampleConsumer: AnyObject, Sendable {
    func take(_ sample: RawSample)
    /// Called ten times a second, after the samples of that time.
    func tick()
}
