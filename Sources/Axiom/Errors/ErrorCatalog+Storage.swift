// SPDX-License-Identifier: Apache-2.0

// Storages and values that are kept in them.
extension ErrorCatalog {
    static let storages = [
        Entry(
            .storageFull,
            "There is no space left for a storage.",
            remedy: "Free space on the disk, or raise the quota or the file size limit of the process.",
            severity: .critical,
            action: .retry
        ),
        Entry(
            .storageReadOnly,
            "A storage cannot be written: its files or its folder are read-only.",
            remedy: "Give the user of the process the permission to write the folder and the files in it.",
            severity: .critical
        ),
        Entry(
            .storageLocked,
            "Another process uses a storage.",
            remedy: "End the other process, give it a path of its own, or raise StorageOptions.lockTimeout.",
            action: .retry
        ),
        Entry(
            .storageNewer,
            "A newer version wrote a storage.",
            remedy: "Install the newer version again, or give this version a path of its own.",
            severity: .critical,
            action: .update
        ),
        Entry(
            .valueTooLarge,
            "A value is larger than its storage permits.",
            remedy: "Store less under one key, or raise StorageOptions.maximumValueBytes.",
            action: .dismiss
        ),
        Entry(
            .storageLimitReached,
            "A change would make a storage larger than it may be.",
            remedy: "Delete keys that are not needed, or raise StorageOptions.maximumBytes.",
            action: .dismiss
        ),
        Entry(
            .valueDamaged,
            "The stored bytes of a value are damaged.",
            remedy: "Store the value again, or restore the file from a backup; check the disk."
        ),
        Entry(
            .storageSetAside,
            "Damaged files of a storage were set aside.",
            remedy: "Keep the named files, as SQLite's shell can recover most of a database; check the disk.",
            severity: .critical
        ),
        Entry(
            .storageFailed,
            "The files of a storage could not be read or written.",
            remedy: "Check the disk and the path.",
            severity: .critical,
            action: .retry
        ),
        Entry(
            .storageClosed,
            "A storage was used after its end.",
            remedy: "Use a storage between initialize() and terminate() of its capability.",
            action: .dismiss
        ),
        Entry(
            .storageForeign,
            "A file is not that of a storage.",
            remedy: "Give the storage a path that no other program uses.",
            severity: .critical
        ),
        Entry(
            .storageMigrationFailed,
            "The files of a storage could not be changed to the format of this version. They stay as they were.",
            remedy: "Look at the cause; the version before this one can still use the files.",
            severity: .critical
        ),
        Entry(
            .valueUnreadable,
            "The file of a value cannot be read, for a reason that concerns this file alone.",
            remedy: "Give the user of the process the permission to read the file, or put the regular file back."
        ),
    ]

    static let persistentStates = [
        Entry(
            .stateNotSaved,
            "A persistent state could not be saved.",
            remedy: "Correct the cause, such as a full disk. The state is kept in memory and saved again later.",
            action: .retry
        ),
        Entry(
            .stateFromNewerVersion,
            "A stored state has a newer version than the application can read. It was not changed.",
            remedy: "Install the newer version of the application again.",
            severity: .critical
        ),
        Entry(
            .stateSetAside,
            "A stored state could not be read and was set aside.",
            remedy: "Keep the value under the key that the message names, and report it to the developers."
        ),
        Entry(
            .stateNotMigrated,
            "The versions and migrations of a persistent state do not fit what is stored. It was not changed.",
            remedy: "Add a migration from each older version that may be stored, exactly one for each.",
            severity: .critical
        ),
        Entry(
            .stateStoreNotOpen,
            "A persistent state was not loaded, or the application was shut down.",
            remedy: "Call load() in activate(), and change the state only while the application runs."
        ),
        Entry(
            .stateLost,
            "The last changes of a persistent state were not saved when the application was shut down.",
            remedy: "Correct the cause, such as a full disk, before the application is started again.",
            severity: .critical
        ),
        Entry(
            .stateKeyTaken,
            "Two stores of an application keep their states under one key of a storage. The second one was not loaded.",
            remedy: "Give each persistent store a key of its own.",
            severity: .critical
        ),
    ]
}
