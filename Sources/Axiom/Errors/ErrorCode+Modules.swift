// SPDX-License-Identifier: Apache-2.0

// The codes of `AxiomInstrumentation`, and after them those of `AxiomStorage`.
extension ErrorCode {
    /// Two telemetries use one registry.
    package static let registryTaken: ErrorCode = "AXIOM_TELEMETRY_001"
    /// The leak threshold of contexts is negative.
    package static let invalidLeakThreshold: ErrorCode = "AXIOM_TELEMETRY_002"
    /// The limit of groups of the error monitor is not positive.
    package static let invalidErrorGroupLimit: ErrorCode = "AXIOM_TELEMETRY_003"
    /// The configuration of a circuit breaker is invalid, or a component has two.
    package static let invalidBreaker: ErrorCode = "AXIOM_TELEMETRY_004"
    /// Two watched strategies of one kind have the same name.
    package static let strategyNameTaken: ErrorCode = "AXIOM_TELEMETRY_005"
    /// The options for regressions are invalid, or do not fit the baseline.
    package static let invalidRegressions: ErrorCode = "AXIOM_TELEMETRY_006"
    /// A profile was requested, but none was recorded.
    package static let noProfile: ErrorCode = "AXIOM_TELEMETRY_007"
    /// A rule names a performance budget that does not exist.
    package static let unknownBudget: ErrorCode = "AXIOM_TELEMETRY_008"
    /// A performance budget or its limit is invalid, or two rules contradict each other.
    package static let invalidBudget: ErrorCode = "AXIOM_TELEMETRY_009"
    /// Two orchestrators use one telemetry.
    package static let telemetryTaken: ErrorCode = "AXIOM_TELEMETRY_010"
    /// A signal of a module cannot be recorded: its family is invalid or its name is taken.
    package static let invalidSignal: ErrorCode = "AXIOM_TELEMETRY_011"
    /// The memory of the flight recorder is out of range, or the system does not have it.
    package static let invalidSpanMemory: ErrorCode = "AXIOM_TELEMETRY_012"
    /// The export of spans was requested after a component was registered, or twice.
    package static let spanExportRefused: ErrorCode = "AXIOM_TELEMETRY_013"
    /// A developer injected an error into a client in the dashboard.
    package static let injectedFault: ErrorCode = "AXIOM_TELEMETRY_014"

    /// There is no space left for a storage.
    public static let storageFull: ErrorCode = "AXIOM_STORAGE_001"
    /// A storage cannot be written: its files or its folder are read-only.
    public static let storageReadOnly: ErrorCode = "AXIOM_STORAGE_002"
    /// Another process uses a storage.
    public static let storageLocked: ErrorCode = "AXIOM_STORAGE_003"
    /// A newer version wrote a storage.
    public static let storageNewer: ErrorCode = "AXIOM_STORAGE_004"
    /// A value is larger than its storage permits.
    public static let valueTooLarge: ErrorCode = "AXIOM_STORAGE_005"
    /// A change would make a storage larger than it may be.
    public static let storageLimitReached: ErrorCode = "AXIOM_STORAGE_006"
    /// The stored bytes of a value are damaged.
    public static let valueDamaged: ErrorCode = "AXIOM_STORAGE_007"
    /// Damaged files of a storage were set aside.
    package static let storageSetAside: ErrorCode = "AXIOM_STORAGE_008"
    /// The files of a storage could not be read or written.
    package static let storageFailed: ErrorCode = "AXIOM_STORAGE_009"
    /// A storage was used after its end.
    public static let storageClosed: ErrorCode = "AXIOM_STORAGE_010"
    /// A file is not that of a storage.
    package static let storageForeign: ErrorCode = "AXIOM_STORAGE_011"
    /// The files of a storage could not be changed to the format of this version. They stay as they were.
    package static let storageMigrationFailed: ErrorCode = "AXIOM_STORAGE_012"
    /// The file of a value cannot be read, for a reason that concerns this file alone.
    package static let valueUnreadable: ErrorCode = "AXIOM_STORAGE_013"

    /// A persistent state could not be saved.
    package static let stateNotSaved: ErrorCode = "AXIOM_PERSISTENCE_001"
    /// A stored state has a newer version than the application can read. It was not changed.
    package static let stateFromNewerVersion: ErrorCode = "AXIOM_PERSISTENCE_002"
    /// A stored state could not be read and was set aside.
    package static let stateSetAside: ErrorCode = "AXIOM_PERSISTENCE_003"
    /// The versions and migrations of a persistent state do not fit what is stored. It was not changed.
    package static let stateNotMigrated: ErrorCode = "AXIOM_PERSISTENCE_004"
    /// A persistent state was not loaded, or the application was shut down.
    package static let stateStoreNotOpen: ErrorCode = "AXIOM_PERSISTENCE_005"
    /// The last changes of a persistent state were not saved when the application was shut down.
    package static let stateLost: ErrorCode = "AXIOM_PERSISTENCE_006"
    /// Two stores of an application keep their states under one key of a storage. The second one was not loaded.
    package static let stateKeyTaken: ErrorCode = "AXIOM_PERSISTENCE_007"

    /// The limits or the name of a cache are invalid.
    package static let invalidCacheLimit: ErrorCode = "AXIOM_CACHE_001"

    /// A setting of a connection pool is invalid.
    package static let invalidPool: ErrorCode = "AXIOM_POOL_001"
    /// A connection pool had no free connection in time.
    public static let poolTimedOut: ErrorCode = "AXIOM_POOL_002"
    /// A connection pool is closed.
    public static let poolClosed: ErrorCode = "AXIOM_POOL_003"
    /// Connections of a pool were not closed in time.
    public static let connectionsOverdue: ErrorCode = "AXIOM_POOL_004"
    /// The release of resources of a bag failed.
    public static let releaseFailed: ErrorCode = "AXIOM_POOL_005"
    /// A resource was acquired for a bag that was released before.
    package static let bagReleased: ErrorCode = "AXIOM_POOL_006"

    /// The name or the interval of a background task is invalid.
    package static let invalidBackgroundTask: ErrorCode = "AXIOM_TASK_001"
    /// A background task was scheduled after the end of the application.
    package static let backgroundTasksEnded: ErrorCode = "AXIOM_TASK_002"
    /// A background task that was cancelled did not end in time.
    package static let backgroundTaskOverdue: ErrorCode = "AXIOM_TASK_003"

    /// The name or an option of an outbox or of a sync engine is out of range.
    package static let invalidOfflineSetting: ErrorCode = "AXIOM_OFFLINE_001"
    /// An outbox is full, and a change was not added.
    public static let outboxFull: ErrorCode = "AXIOM_OFFLINE_002"
    /// An outbox already has a change with this id.
    public static let changeInOutbox: ErrorCode = "AXIOM_OFFLINE_003"
    /// An outbox has no change with this id in the required state.
    package static let changeNotFound: ErrorCode = "AXIOM_OFFLINE_004"
    /// Records of an outbox are damaged, were written by a newer version, or stand in files that cannot be read.
    package static let outboxUnreadable: ErrorCode = "AXIOM_OFFLINE_005"
    /// A change was set aside, because the server rejected it, it failed too often, or it has a conflict.
    package static let changeSetAside: ErrorCode = "AXIOM_OFFLINE_006"
    /// An attempt to send a change did not end, although it was cancelled at its time limit.
    package static let sendOverdue: ErrorCode = "AXIOM_OFFLINE_007"
}
