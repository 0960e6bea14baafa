// SPDX-License-Identifier: Apache-2.0

// Navigation and deep links.
extension ErrorCatalog {
    static let navigation: [Entry] = [
        Entry(
            .unknownRoute,
            "A route has no known destination.",
            remedy: "Check the link, or register its destination.",
            action: .dismiss
        ),
        Entry(
            .navigationFallbackFailed,
            "The fallback destination of an error could not be shown.",
            remedy: "Navigate to a destination that needs no data and no permission.",
            severity: .critical
        ),
        Entry(
            .redirectCircle,
            "Middleware redirects a request in a circle.",
            remedy: "Let the route to which it redirects pass, as a sign-in screen passes its guard."
        ),
        Entry(
            .tooManyRedirects,
            "A request was redirected more often than the flow permits.",
            remedy: "Redirect to the final route at once, or raise NavigationOptions.redirectLimit."
        ),
        Entry(
            .historyFull,
            "The history of a flow is full.",
            remedy: "Go back or reset the flow, or raise NavigationOptions.historyLimit.",
            action: .dismiss
        ),
        Entry(
            .navigationWaitsForItself,
            "A transition would wait for itself.",
            remedy: "Navigate from an action or from onAppear(); from onDisappear() only in a detached task."
        ),
        Entry(
            .nextCalledTwice,
            "A middleware of a flow called the rest of the chain again after the transition.",
            remedy: "Call next again only if it threw an error."
        ),
        Entry(
            .flowEnded,
            "The flow has ended, or the application does not run.",
            remedy: "Keep the flow as long as the application runs, and navigate between start() and shutdown().",
            action: .dismiss
        ),
        Entry(
            .emptyHistory,
            "A flow was reset to a history without routes.",
            remedy: "Reset it to one route or more, the root first."
        ),
        Entry(
            .routeInHistory,
            "The route is in the history already, and the options of the flow refuse it.",
            remedy: "Go back to the route, or set NavigationOptions.whenOnStack to push or popTo.",
            action: .dismiss
        ),
        .mistake(
            .invalidPattern,
            "The pattern of a deep link is invalid.",
            remedy: "Correct the pattern at the position that the message shows."
        ),
        .mistake(
            .overlappingPatterns,
            "Two patterns of a table of deep links match the same URL.",
            remedy: "Change one of the patterns, or make the table with overlaps: .literalFirst."
        ),
        Entry(
            .invalidLink,
            "The text of a deep link is not a valid URL.",
            remedy: "Check the link, and percent-encode its special characters.",
            action: .dismiss
        ),
        Entry(
            .invalidCapture,
            "A value that a deep link captures is missing or invalid.",
            remedy: "Check the link, and the type with which its value is read.",
            action: .dismiss
        ),
        .mistake(
            .unequalLinks,
            "A deep link does not lead back to the route that printed it.",
            remedy: "Let the closures routes and print of the link be inverse to each other."
        ),
        .mistake(
            .noLinkHandler,
            "No navigation flow of the application opens deep links.",
            remedy: "Call orchestrator.openLinks(with:on:), and keep the flow."
        ),
        .mistake(
            .loginRequiresAuthentication,
            "The login route of an authentication guard requires authentication itself.",
            remedy: "Set requiresAuthentication of the login route to false."
        ),
        Entry(
            .signInUnknown,
            "A route requires a signed-in user, and whether there is one could not be determined.",
            remedy: "Try again. If it fails again, sign in.",
            action: .retry
        ),
        .mistake(
            .prefetchInvalid,
            "A prefetcher was given a loader or a limit that is not valid, or lacks a loader for the type of a key.",
            remedy: "Correct what the message names."
        ),
    ]
}
