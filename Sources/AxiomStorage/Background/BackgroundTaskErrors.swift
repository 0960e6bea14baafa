// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// A background task could not be scheduled or did not end in time.
public struct BackgroundTaskError: ErrorFamily {
    package let facts: ErrorFacts

    package init(_ facts: ErrorFacts) { self.facts = facts }

    static func invalid(_ task: String, _ what: String, _ remedy: String) -> Self {
        BackgroundTaskError(
            .invalidBackgroundTask,
            "The background task \"\(task)\" has the \(what).",
            recoverySuggestion: "It has to be \(remedy)."
        )
    }

    static func ended(_ task: String) -> Self {
        BackgroundTaskError(
            .backgroundTasksEnded,
            "The background task \"\(task)\" was scheduled after the end of the application."
        )
    }

    static func overdue(_ task: String, _ limit: Duration) -> Self {
        BackgroundTaskError(
            .backgroundTaskOverdue,
            "The background task \"\(task)\" was cancelled, but did not end within \(limit)."
        )
    }
}
