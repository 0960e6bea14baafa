// SPDX-License-Identifier: Apache-2.0

// The entries of what an application does, family by family, in the order of the codes.
extension ErrorCatalog {
    static let network = [
        Entry(
            .noConnection,
            "There is no connection.",
            remedy: "Check the connection and try again.",
            action: .retry
        ),
        Entry(
            .networkTimeout,
            "No answer came in time.",
            remedy: "Try again in a moment.",
            action: .retry
        ),
        Entry(
            .serverError,
            "A server answered with an error status.",
            remedy: "For a status of 500 or above, try again later. Otherwise check the request.",
            action: .retry
        ),
        Entry(
            .invalidResponse,
            "The answer of a server could not be decoded.",
            remedy: "Report it: the application and the server use different formats."
        ),
    ]

    static let validation = [
        Entry(
            .missingValue,
            "A required value is missing.",
            remedy: "Enter the value.",
            severity: .warning,
            action: .dismiss
        ),
        Entry(
            .invalidFormat,
            "A value does not have the required format.",
            remedy: "Use the format that the message names.",
            severity: .warning,
            action: .dismiss
        ),
        Entry(
            .outOfRange,
            "A value is outside its range.",
            remedy: "Choose a value within the range that the message names.",
            severity: .warning,
            action: .dismiss
        ),
        Entry(
            .actionRefused,
            "An action was refused by its own validation.",
            remedy: "Correct the values that the message names, and send the action again.",
            severity: .warning,
            action: .dismiss
        ),
    ]

    static let authorization = [
        Entry(
            .notSignedIn,
            "No user is signed in.",
            remedy: "Sign in and try again.",
            action: .authenticate
        ),
        Entry(
            .forbidden,
            "The signed-in user has no permission for this.",
            remedy: "Sign in as a user with the permission, or request the permission.",
            action: .authenticate
        ),
        Entry(
            .sessionExpired,
            "The session has ended.",
            remedy: "Sign in again.",
            action: .authenticate
        ),
        Entry(
            .permissionDenied,
            "A permission that a capability needs was refused.",
            remedy:
                "Allow it in the settings of the system; the capability works again as soon as the status is known.",
            action: .dismiss
        ),
        Entry(
            .permissionNotRequested,
            "A permission that a capability needs was not requested yet.",
            remedy: "Request it with CapabilityRef.requestPermission(_:) where the user understands the reason.",
            action: .dismiss
        ),
    ]

    static let circuits = [
        Entry(
            .circuitOpen,
            "A circuit breaker refused a call because too many earlier calls failed.",
            remedy: "Try again after the time that the message names.",
            action: .retry
        ),
        Entry(
            .circuitForcedOpen,
            "A circuit breaker refused a call because an operator opened it.",
            remedy: "Wait until the operator closes it.",
            action: .dismiss
        ),
        Entry(
            .circuitProbing,
            "A half-open circuit breaker refused a call because its probes have not ended.",
            remedy: "Try again in a moment.",
            action: .retry
        ),
    ]
}
