// SPDX-License-Identifier: Apache-2.0

/// Which family uses which names, its own and its samples', so that no two families mean different things by one name.
struct NameClaims {
    private var owners: [String: String] = [:]

    /// Claims all names of a family.
    ///
    /// - Throws: ``MetricsError`` that names the family which is in the way, and leaves everything as it was.
    mutating func claim(_ definition: MetricDefinition, beside base: NameClaims? = nil) throws(MetricsError) {
        let names = definition.claimedNames
        for name in names {
            guard let owner = owners[name] ?? base?.owners[name] else { continue }
            let problem =
                owner == definition.name
                ? "is there already" : "would share the name \(name) with the family \(owner)"
            throw MetricsError(
                .nameClash,
                "The \(definition.kind) \(definition.name) \(problem): rename one of the two.",
                family: definition.name
            )
        }
        for name in names { owners[name] = definition.name }
    }

    /// Gives all names of a family free.
    mutating func release(_ family: String) {
        owners = owners.filter { $0.value != family }
    }
}
