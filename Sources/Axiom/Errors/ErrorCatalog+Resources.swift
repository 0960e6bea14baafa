// SPDX-License-Identifier: Apache-2.0

// Caches, pools and offline work.
extension ErrorCatalog {
    static let caches: [Entry] = [
        .mistake(
            .invalidCacheLimit,
            "The limits or the name of a cache are invalid.",
            remedy: "Correct what the message names."
        )
    ]

    static let pools: [Entry] = [
        .mistake(
            .invalidPool,
            "A setting of a connection pool is invalid.",
            remedy: "Correct the setting that the message names."
        ),
        Entry(
            .poolTimedOut,
            "A connection pool had no free connection in time.",
            remedy: "Try again later; if it happens often, find what keeps the connections, or raise the limit.",
            action: .retry
        ),
        Entry(
            .poolClosed,
            "A connection pool is closed.",
            remedy: "Use the pool only while its owner works.",
            action: .dismiss
        ),
        Entry(
            .connectionsOverdue,
            "Connections of a pool were not closed in time.",
            remedy: "End the work with the connections that the message names before you close the pool.",
            action: .dismiss
        ),
        Entry(
            .releaseFailed,
            "The release of resources of a bag failed.",
            remedy: "Correct the errors that the message names; all other resources were released."
        ),
        Entry(
            .bagReleased,
            "A resource was acquired for a bag that was released before.",
            remedy: "Acquire all resources before release(), or use a new bag."
        ),
    ]

    static let backgroundTasks = [
        Entry(
            .invalidBackgroundTask,
            "The name or the interval of a background task is invalid.",
            remedy: "Correct the value that the message names."
        ),
        Entry(
            .backgroundTasksEnded,
            "A background task was scheduled after the end of the application.",
            remedy: "Schedule tasks between start() and shutdown().",
            action: .dismiss
        ),
        Entry(
            .backgroundTaskOverdue,
            "A background task that was cancelled did not end in time.",
            remedy: "End the body of the task when it is cancelled."
        ),
    ]

    static let offlineWork: [Entry] = [
        .mistake(
            .invalidOfflineSetting,
            "The name or an option of an outbox or of a sync engine is out of range.",
            remedy: "Correct what the message names."
        ),
        Entry(
            .outboxFull,
            "An outbox is full, and a change was not added.",
            remedy: "Try again when changes have been sent, or raise the limits of OutboxOptions.",
            action: .retry
        ),
        Entry(
            .changeInOutbox,
            "An outbox already has a change with this id.",
            remedy: "Append a change once, and use a new id for another change.",
            action: .dismiss
        ),
        Entry(
            .changeNotFound,
            "An outbox has no change with this id in the required state.",
            remedy: "Read the changes of the outbox again: it may have been sent.",
            action: .dismiss
        ),
        Entry(
            .outboxUnreadable,
            "Records of an outbox are damaged, were written by a newer version, or stand in files that cannot be read.",
            remedy: "Correct the named cause, or start the version that wrote them; or remove the listed keys.",
            severity: .critical
        ),
        Entry(
            .changeSetAside,
            "A change was set aside, because the server rejected it, it failed too often, or it has a conflict.",
            remedy: "Find out the reason, then retry or discard the change."
        ),
        Entry(
            .sendOverdue,
            "An attempt to send a change did not end, although it was cancelled at its time limit.",
            remedy: "End the closure that sends when its task is cancelled. The change waits for its end."
        ),
    ]
}
