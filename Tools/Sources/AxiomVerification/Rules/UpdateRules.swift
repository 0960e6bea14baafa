// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// An update starts from the state as it is, and is over before the next one.
enum UpdateRules {
    static let all = [reentrantUpdate, awaitBetween]

    static let reentrantUpdate = Rule(
        id: "reentrant-update",
        summary: "A store is updated inside of an update of it.",
        rationale: "The inner update is lost: both start from the same state. Do both changes in one update.",
        severity: .error
    ) { project, findings in
        for (_, type) in project.types(with: [.component, .client]) {
            let updates = project.updates(of: type)
            let stores = Set(updates.map(\.call.base))
            for (file, _, call) in project.facts(\.calls, of: type) {
                let around = project.enclosingUpdates(of: call, stores, file)
                guard
                    let outer = around.first(where: { outer in
                        call.callee == outer.callee || project.updatesStore(outer.base, call, type, file)
                    })
                else { continue }
                let name = project.displayName(of: type)
                let what =
                    call.callee == outer.callee
                    ? "updated again inside of its update" : "also updated by `\(call.callee)`"
                findings.report(
                    at: project.span(call.span, in: file),
                    "`\(outer.base)` of \(name) is \(what); that change is lost. Do both changes in one update.",
                    notes: [.init("The outer update", at: project.span(outer.span, in: file))],
                    identity: "\(name).\(project.name(of: call.site, file))/\(call.callee)"
                )
            }
        }
    }

    static let awaitBetween = Rule(
        id: "await-between-read-and-update",
        summary: "A state is read, then something is awaited, and then the state is written from the old value.",
        rationale: """
            While an actor awaits, other actions run and change the state. What they did is overwritten. Read the state inside of \
            the update, or update with `ifVersion`.
            """,
        severity: .warning
    ) { project, findings in
        for (_, type) in project.types(with: [.component, .client]) {
            for (file, _, local) in project.facts(\.locals, of: type) where !local.root.isEmpty {
                judge(local, type, file, project, &findings)
            }
        }
    }

    private static func judge(
        _ local: LocalVariable,
        _ type: ProjectType,
        _ file: Int,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        let facts = project.files[file]
        let store = local.root == "state" ? nil : String(local.root.dropLast(".state".count))
        for (_, call) in project.updates(of: type, in: file)
        where call.site.function == local.site.function && (store == nil || call.base == store) {
            let between = local.span.end..<max(local.span.end, call.whole.start)
            guard !call.labels.contains("ifVersion"),
                facts.awaits.contains(where: {
                    $0.site.function == local.site.function && between.contains($0.span.start)
                }),
                facts.closures.contains(where: { closure in
                    closure.call.map { facts.calls[$0] == call } ?? false && closure.assigned.contains(local.name)
                })
            else { continue }
            let name = project.displayName(of: type)
            let function = project.name(of: call.site, file)
            findings.report(
                at: project.span(call.span, in: file),
                "`\(local.name)` is older than the `await` before this update. Read the state inside of the update.",
                notes: [.init("The state is read here", at: project.span(local.span, in: file))],
                identity: "\(name).\(function)/\(local.name)"
            )
        }
    }
}

extension ProjectFacts {
    /// The calls of `update` on stores of a type.
    func updates(of type: ProjectType, in only: Int? = nil) -> [(file: Int, call: Call)] {
        let stores = Set(
            properties(of: type).filter { place, property in
                (property.type ?? property.initial?.made).map { reference in
                    roles(of: reference, in: place.file, at: Site(declaration: place.declaration)).contains(.store)
                } ?? false
            }.map(\.property.name)
        )
        return facts(\.calls, of: type).filter {
            $0.fact.name == "update" && stores.contains($0.fact.base) && (only == nil || only == $0.file)
        }.map { (file: $0.file, call: $0.fact) }
    }

    /// The updates in whose closure a call runs. The closure of a task runs later.
    fileprivate func enclosingUpdates(of call: Call, _ stores: Set<String>, _ file: Int) -> [Call] {
        callsAround(call.site, in: file).prefix { !["Task", "Task.detached"].contains($0.callee) }.filter {
            $0.name == "update" && stores.contains($0.base)
        }
    }

    /// Whether a call of a function of the type leads to an update of a store.
    fileprivate func updatesStore(_ store: String, _ call: Call, _ type: ProjectType, _ file: Int) -> Bool {
        guard call.base.isEmpty, call.name != "update" else { return false }
        let own = type.places.flatMap { place in functions(place).map { files[place.file].functions[$0].name } }
        guard own.contains(call.name) else { return false }
        let reached = functions(reachedFrom: [call.name], of: type)
        return updates(of: type).contains { other in
            other.call.base == store && reached.contains(name(of: other.call.site, other.file))
                && name(of: other.call.site, other.file) != name(of: call.site, file)
        }
    }
}
