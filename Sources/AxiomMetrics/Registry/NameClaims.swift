// SPDX-License-Identifier: Apache-2.0

/// Which family uses which names, its own and its samples', so that no two families mean different things by one name.
struct NameClaims {
    private var owners: [ByteName: ByteName] = [:]

    /// Claims all names of a family.
    ///
    /// - Throws: ``MetricsError`` that names the family which is in the way, and leaves everything as it was.
    mutating func claim(_ definition: MetricDefinition, beside base: NameClaims? = nil) throws(MetricsError) {
        let names = definition.claimedNames.map(ByteName.init)
        let family = ByteName(definition.name)
        for name in names {
            guard let owner = owners[name] ?? base?.owners[name] else { continue }
            let problem =
                owner == family
                ? "is there already" : "would share the name \(name.text) with the family \(owner.text)"
            throw MetricsError(
                .nameClash,
                "The \(definition.kind) \(definition.name) \(problem): rename one of the two.",
                family: definition.name
            )
        }
        for name in names { owners[name] = family }
    }

    /// Gives all names of a family free.
    mutating func release(_ family: String) {
        let family = ByteName(family)
        owners = owners.filter { $0.value != family }
    }
}
