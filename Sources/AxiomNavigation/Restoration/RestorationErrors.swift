// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

extension LifecycleError {
    static func tooLarge(_ bytes: Int, limit: Int) -> Self {
        LifecycleError(
            .imageTooLarge,
            "The image of the application's state has \(bytes) bytes, more than the \(limit) of maximumBytes."
                + " It was not saved; the image before stays."
        )
    }

    static func archiveFailed(_ operation: String, cause: any Error) -> Self {
        LifecycleError(
            .archiveFailed,
            "The state of the application could not be \(operation): \(String(clause: cause)).",
            cause: cause
        )
    }

    static func setAside(_ image: SetAsideImage) -> Self {
        LifecycleError(
            .imageSetAside,
            "A saved state \(image.reason.clause) and was set aside under the key \(image.key)."
        )
    }

    static func routesDropped(_ count: Int, of total: Int, from flow: String, cause: any Error) -> Self {
        LifecycleError(
            .routesDropped,
            "\(count) of \(total) saved routes of the flow \(flow) were dropped: the lowest of them cannot be"
                + " read: \(String(clause: cause)).",
            cause: cause
        )
    }

    static func routesDropped(_ count: Int, of total: Int, from flow: String, limit: Int) -> Self {
        LifecycleError(
            .routesDropped,
            "\(count) of \(total) saved routes of the flow \(flow) were dropped, the oldest above the root:"
                + " NavigationOptions.historyLimit is \(limit)."
        )
    }

    static func routesRefused(_ total: Int, from flow: String, because reason: String) -> Self {
        LifecycleError(
            .routesDropped,
            "All \(total) saved routes of the flow \(flow) were dropped: it refused them: \(reason.clause)."
        )
    }

    static func notRestored(_ context: ComponentDescriptor, because reason: String, cause: (any Error)? = nil) -> Self {
        LifecycleError(
            .contextNotRestored,
            "The saved image of the \(context) cannot be read: \(reason.clause).",
            origin: context,
            cause: cause
        )
    }
}
