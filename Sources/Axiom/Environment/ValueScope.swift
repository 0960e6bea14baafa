// SPDX-License-Identifier: Apache-2.0

internal import Observation

/// The values of an orchestrator, observable by key.
@MainActor
final class RootValues {
    /// Counts the changes of one value, so that they can be observed.
    @Observable
    final class Cell {
        fileprivate(set) var changes = 0
    }

    private(set) var current: AppValues.Storage = [:]
    /// One for each value that has been read.
    private var cells: [AppValues.ID: Cell] = [:]

    /// The value with this id. Its next change is reported to whatever observes the calling code.
    func read(_ id: AppValues.ID) -> (any Sendable)? {
        observe(id)
        return current[id]
    }

    /// Reports the next change of the value with this id to whatever observes the calling code.
    func observe(_ id: AppValues.ID) {
        let cell = cells[id] ?? Cell()
        cells[id] = cell
        _ = cell.changes
    }

    /// Replaces all values. Returns the ids of those that changed.
    func replace(with new: AppValues) -> Set<AppValues.ID> {
        let (old, all) = (current, new.all)
        var changed: Set<AppValues.ID> = []
        for id in Set(old.keys).union(all.keys) {
            // A value that cannot be compared counts as changed if it was set.
            let isSame = Self.areEqual(old[id], all[id]) ?? (new.written[id] == nil)
            if !isSame { changed.insert(id) }
        }
        for id in changed { report(id) }
        current = all
        return changed
    }

    /// Reports a change of the values with these ids.
    func report(_ ids: some Sequence<AppValues.ID>) {
        for id in ids { report(id) }
    }

    private func report(_ id: AppValues.ID) { cells[id]?.changes += 1 }

    /// The flags that have been read.
    var observedFlags: [String] {
        cells.keys.compactMap { if case .flag(let name) = $0 { name } else { nil } }
    }

    /// Nil if the values cannot be compared.
    private static func areEqual(_ left: (any Sendable)?, _ right: (any Sendable)?) -> Bool? {
        guard let left, let right else { return left == nil && right == nil }
        guard let left = left as? any Equatable else { return nil }
        return isEqual(left, right)
    }

    private static func isEqual<V: Equatable>(_ left: V, _ right: any Sendable) -> Bool { left == right as? V }
}

/// The values of one part of the tree of contexts: those of the orchestrator, except for what a context above
/// overrides.
///
/// Contexts share the scope of their upstream context unless they have overrides of their own, so a context without any
/// costs one reference.
@MainActor
final class ValueScope {
    private let overrides: AppValues.Storage
    let root: RootValues
    let flags: FeatureFlags

    init(overrides: AppValues.Storage = [:], root: RootValues, flags: FeatureFlags) {
        self.overrides = overrides
        self.root = root
        self.flags = flags
    }

    /// This scope, with what `change` sets on top.
    func overriding(_ change: (inout AppValues) throws -> Void) rethrows -> ValueScope {
        var values = AppValues(inherited: root.current.merging(overrides) { _, new in new })
        try change(&values)
        guard !values.written.isEmpty else { return self }
        let merged = overrides.merging(values.written) { _, new in new }
        return ValueScope(overrides: merged, root: root, flags: flags)
    }

    /// The value with this id. What is overridden never changes and is not observed.
    func read(_ id: AppValues.ID) -> (any Sendable)? { overrides[id] ?? root.read(id) }

    /// The flag's value that a context above set.
    func overridden(_ flag: String) -> (any Sendable)? { overrides[.flag(flag)] }
}
