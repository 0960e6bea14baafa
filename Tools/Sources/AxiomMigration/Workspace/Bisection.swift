// SPDX-License-Identifier: Apache-2.0

/// Finds the recipes to leave out so that the rest compiles: first a whole recipe, then a whole file, then pieces by halves.
package struct Bisection {
    /// What is kept.
    package struct Result: Sendable {
        package var excluded: Set<RecipeRun.Unit>
        package var build: WorkingCopy.Build
        /// How often the project was built.
        package var builds: Int
    }

    private let units: [RecipeRun.Unit]
    private let limit: Int
    private let build: (Set<RecipeRun.Unit>) throws(MigrationError) -> WorkingCopy.Build
    private var builds = 0

    /// - Parameters:
    ///   - units: What can be left out, in the order in which it runs.
    ///   - limit: How many builds there may be.
    ///   - build: Builds the project without some units.
    package init(
        _ units: [RecipeRun.Unit],
        limit: Int,
        build: @escaping (Set<RecipeRun.Unit>) throws(MigrationError) -> WorkingCopy.Build
    ) {
        self.units = units
        self.limit = limit
        self.build = build
    }

    /// Builds with everything; if that fails, looks for what to leave out.
    ///
    /// If the project compiles without any change, what is left out makes it compile with the rest. If it does not, as when its
    /// dependency on Axiom is already that on 1.0, a recipe is left out if there are fewer errors without it.
    package mutating func run() throws(MigrationError) -> Result {
        let everything = try trial([])
        guard !everything.succeeded, !units.isEmpty else { return result([], everything) }
        let nothing = try trial(Set(units))
        guard nothing.succeeded else { return try reduceErrors(everything) }
        if let result = try withoutOne(of: \.recipe, refine: \.path) { return result }
        if let result = try withoutOne(of: \.path, refine: \.recipe) { return result }
        return try grow(nothing)
    }

    private func result(_ excluded: Set<RecipeRun.Unit>, _ build: WorkingCopy.Build) -> Result {
        Result(excluded: excluded, build: build, builds: builds)
    }

    private var isExhausted: Bool { builds >= limit }

    private mutating func trial(_ excluded: Set<RecipeRun.Unit>) throws(MigrationError) -> WorkingCopy.Build {
        builds += 1
        return try build(excluded)
    }

    private func values(of key: KeyPath<RecipeRun.Unit, String>) -> [String] {
        var seen: Set<String> = []
        return units.map { $0[keyPath: key] }.filter { seen.insert($0).inserted }
    }

    /// Leaves out one recipe, or one file, and takes back what of it does no harm.
    private mutating func withoutOne(
        of key: KeyPath<RecipeRun.Unit, String>,
        refine: KeyPath<RecipeRun.Unit, String>
    ) throws(MigrationError) -> Result? {
        // What ran last changes the least of what others need.
        for value in values(of: key).reversed() {
            guard !isExhausted else { return nil }
            let group = units.filter { $0[keyPath: key] == value }
            var excluded = Set(group)
            var latest = try trial(excluded)
            guard latest.succeeded else { continue }
            for unit in group.count > 1 ? group : [] where !isExhausted {
                let attempt = try trial(excluded.subtracting([unit]))
                if attempt.succeeded { (excluded, latest) = (excluded.subtracting([unit]), attempt) }
            }
            return result(excluded, latest)
        }
        return nil
    }

    /// Adds halves of the units as long as the project compiles.
    private mutating func grow(_ nothing: WorkingCopy.Build) throws(MigrationError) -> Result {
        var excluded = Set(units)
        var latest = nothing
        // Recipes in one file need each other more than those in different files.
        var pending = [units.sorted { $0.path < $1.path }[...]]
        while let part = pending.popLast(), !isExhausted {
            let attempt = try trial(excluded.subtracting(part))
            if attempt.succeeded {
                (excluded, latest) = (excluded.subtracting(part), attempt)
            } else if part.count > 1 {
                let middle = part.startIndex + part.count / 2
                pending += [part[middle...], part[..<middle]]
            }
        }
        return result(excluded, latest)
    }

    /// Whether a build has fewer errors. A module that is not found hides all others.
    private func isBetter(_ attempt: WorkingCopy.Build, than other: WorkingCopy.Build) -> Bool {
        guard !attempt.errors.contains(where: { $0.contains("no such module") }), !attempt.errors.isEmpty else {
            return false
        }
        return attempt.errors.count < other.errors.count
    }

    private mutating func reduceErrors(_ everything: WorkingCopy.Build) throws(MigrationError) -> Result {
        var excluded: Set<RecipeRun.Unit> = []
        var latest = everything
        for recipe in values(of: \.recipe).reversed() where !isExhausted && !latest.succeeded {
            let attempt = try trial(excluded.union(units.filter { $0.recipe == recipe }))
            guard attempt.succeeded || isBetter(attempt, than: latest) else { continue }
            excluded.formUnion(units.filter { $0.recipe == recipe })
            latest = attempt
        }
        return result(excluded, latest)
    }
}
