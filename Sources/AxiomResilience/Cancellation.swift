// SPDX-License-Identifier: Apache-2.0

/// The one answer to the question whether a call was cancelled on purpose.
///
/// A `CancellationError` alone does not say so: an operation also ends with it if a task inside it was cancelled. Such a
/// call failed like any other. It is a cancellation only if the task of the *caller* is cancelled, or if the framework
/// ended the call on purpose.
package enum Cancellation {
    /// The error of a call that the framework ended on purpose while its caller's task was not cancelled, such as an
    /// action that a newer one superseded. It must not be sent again.
    ///
    /// `CancellationError` has no room for a reason, and callers catch that type. The error is therefore recognised by
    /// the identity of its box, which `throw` and `Result` preserve.
    package static let onPurpose: any Error = CancellationError()

    /// Whether `error`, which the current task has received from an operation, means that the operation was cancelled on
    /// purpose. Ask in the task of the caller.
    package static func isIntended(_ error: any Error) -> Bool {
        error is CancellationError && (Task.isCancelled || isOnPurpose(error))
    }

    private static func isOnPurpose(_ error: any Error) -> Bool {
        identity(of: error) == identity(of: onPurpose)
    }

    /// The address of the box. It is only compared.
    private static func identity(of error: any Error) -> UInt {
        unsafeBitCast(Holder(error: error), to: UInt.self)
    }

    /// An `any Error` is one pointer. In a struct, because the compiler would pass what is in the box instead of the box.
    private struct Holder {
        let error: any Error
    }
}
