// SPDX-License-Identifier: Apache-2.0

// The codes of `AxiomInstrumentation` and `AxiomProfiler`, and after them those of `AxiomStorage`.
extension ErrorCode {
    package static let registryTaken: ErrorCode = "AXIOM_TELEMETRY_001"
    package static let invalidLeakThreshold: ErrorCode = "AXIOM_TELEMETRY_002"
    package static let invalidErrorGroupLimit: ErrorCode = "AXIOM_TELEMETRY_003"
    package static let invalidBreaker: ErrorCode = "AXIOM_TELEMETRY_004"
    package static let strategyNameTaken: ErrorCode = "AXIOM_TELEMETRY_005"
    package static let invalidRegressions: ErrorCode = "AXIOM_TELEMETRY_006"
    package static let noProfile: ErrorCode = "AXIOM_TELEMETRY_007"
    package static let unknownBudget: ErrorCode = "AXIOM_TELEMETRY_008"
    package static let invalidBudget: ErrorCode = "AXIOM_TELEMETRY_009"
    package static let telemetryTaken: ErrorCode = "AXIOM_TELEMETRY_010"
    package static let invalidSignal: ErrorCode = "AXIOM_TELEMETRY_011"
    package static let invalidSpanMemory: ErrorCode = "AXIOM_TELEMETRY_012"
    package static let spanExportRefused: ErrorCode = "AXIOM_TELEMETRY_013"
    package static let injectedFault: ErrorCode = "AXIOM_TELEMETRY_014"

    package static let profilerUnsupported: ErrorCode = "AXIOM_PROFILER_001"
    package static let invalidProfilerOption: ErrorCode = "AXIOM_PROFILER_002"
    package static let profilerRunning: ErrorCode = "AXIOM_PROFILER_003"
    package static let profileNotWritten: ErrorCode = "AXIOM_PROFILER_004"
    package static let profilerSignalTaken: ErrorCode = "AXIOM_PROFILER_005"

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
    package static let storageSetAside: ErrorCode = "AXIOM_STORAGE_008"
    package static let storageFailed: ErrorCode = "AXIOM_STORAGE_009"
    /// A storage was used after its end.
    public static let storageClosed: ErrorCode = "AXIOM_STORAGE_010"
    package static let storageForeign: ErrorCode = "AXIOM_STORAGE_011"
    package static let storageMigrationFailed: ErrorCode = "AXIOM_STORAGE_012"
    package static let valueUnreadable: ErrorCode = "AXIOM_STORAGE_013"

    package static let stateNotSaved: ErrorCode = "AXIOM_PERSISTENCE_001"
    package static let stateFromNewerVersion: ErrorCode = "AXIOM_PERSISTENCE_002"
    package static let stateSetAside: ErrorCode = "AXIOM_PERSISTENCE_003"
    package static let stateNotMigrated: ErrorCode = "AXIOM_PERSISTENCE_004"
    package static let stateStoreNotOpen: ErrorCode = "AXIOM_PERSISTENCE_005"
    package static let stateLost: ErrorCode = "AXIOM_PERSISTENCE_006"
    package static let stateKeyTaken: ErrorCode = "AXIOM_PERSISTENCE_007"

    package static let invalidCacheLimit: ErrorCode = "AXIOM_CACHE_001"

    package static let invalidPool: ErrorCode = "AXIOM_POOL_001"
    /// A connection pool had no free connection in time.
    public static let poolTimedOut: ErrorCode = "AXIOM_POOL_002"
    /// A connection pool is closed.
    public static let poolClosed: ErrorCode = "AXIOM_POOL_003"
    /// Connections of a pool were not closed in time.
    public static let connectionsOverdue: ErrorCode = "AXIOM_POOL_004"
    /// The release of resources of a bag failed.
    public static let releaseFailed: ErrorCode = "AXIOM_POOL_005"
    package static let bagReleased: ErrorCode = "AXIOM_POOL_006"

    package static let invalidBackgroundTask: ErrorCode = "AXIOM_TASK_001"
    package static let backgroundTasksEnded: ErrorCode = "AXIOM_TASK_002"
    package static let backgroundTaskOverdue: ErrorCode = "AXIOM_TASK_003"

    package static let invalidOfflineSetting: ErrorCode = "AXIOM_OFFLINE_001"
    /// An outbox is full, and a change was not added.
    public static let outboxFull: ErrorCode = "AXIOM_OFFLINE_002"
    /// An outbox already has a change with this id.
    public static let changeInOutbox: ErrorCode = "AXIOM_OFFLINE_003"
    package static let changeNotFound: ErrorCode = "AXIOM_OFFLINE_004"
    package static let outboxUnreadable: ErrorCode = "AXIOM_OFFLINE_005"
    package static let changeSetAside: ErrorCode = "AXIOM_OFFLINE_006"
    package static let sendOverdue: ErrorCode = "AXIOM_OFFLINE_007"
}
