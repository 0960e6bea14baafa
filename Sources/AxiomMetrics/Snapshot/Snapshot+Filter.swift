// SPDX-License-Identifier: Apache-2.0

extension Snapshot {
    /// The families that one of the names stands for: a family's own or that of its samples (`x`, `x_count`,
    /// `x_total`), also as an escaping shows it. Problems stay as they are.
    public func filtered(_ names: some Collection<String>) -> Snapshot {
        let wanted = Set(names.map(ByteName.init))
        return Snapshot(
            families: families.filter { !wanted.isDisjoint(with: $0.definition.claimedNames.map(ByteName.init)) },
            problems: problems
        )
    }
}
