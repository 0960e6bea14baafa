// SPDX-License-Identifier: Apache-2.0

/// A host of a presentation, without the presentation's type.
@MainActor
protocol MountedPresentation: AnyObject, Sendable {
    /// The context that is shown; nil if none is mounted.
    var root: ContextRuntime? { get }
    /// The presentation, with the name that its type requests.
    var component: ComponentDescriptor { get }
    func unmount() async
    func enterBackground() async
    func enterForeground() async
}

extension Orchestrator {
    /// Makes the identity and the context of a presentation.
    func makeContext<P: Presentation>(
        for type: P.Type,
        _ input: P.ContextType.Input,
        in run: Run
    ) throws -> (ComponentIdentity, P.ContextType) {
        try run.throwLateRegistration(of: P.ContextType.self)
        let name = P.componentName
        // Checked first, because a request costs more than the rest of a mount.
        if name.utf8.count > 256 || name.allSatisfy(\.isWhitespace),
            let mistake = CompositionError.invalidName(ComponentNames.Request(type, preferred: name))
        {
            throw mistake
        }
        let (component, isNew) = run.names.presentation(type)
        if isNew { announce(component, module: ComponentNames.Request(type, preferred: component.name).module) }
        let context = try contexts.makeRoot(P.ContextType.self, input, for: component)
        return (ComponentIdentity(component, port: port), context)
    }

    func add(_ host: any MountedPresentation) -> Int { mounts.add(host) }

    func remove(_ slot: Int) { mounts.remove(slot) }
}

extension PresentationHost where P.ContextType.Input == Void {
    /// Mounts a presentation whose context takes no input.
    ///
    /// - Throws: As ``mount(_:)``.
    public func mount() async throws { try await mount(()) }
}

/// The mounted presentations, in the order of their mounts.
///
/// It does not retain the hosts: a host belongs to the code that made it, and may be released without unmounting.
@MainActor
struct MountTable {
    private struct Reference {
        weak var host: (any MountedPresentation)?
    }

    private var references: [Int: Reference] = [:]
    private var lastSlot = 0
    /// Released hosts leave an empty reference behind. The table is swept when it has doubled since the last sweep, so
    /// the cost of each mount is constant for any number of hosts.
    private var sweepSize = 64

    /// The hosts, the first mounted first.
    var hosts: [any MountedPresentation] {
        references.sorted { $0.key < $1.key }.compactMap(\.value.host)
    }

    /// How many slots are in use, including those of released hosts.
    var count: Int { references.count }

    /// Adds a host and returns its slot, for its removal.
    mutating func add(_ host: any MountedPresentation) -> Int {
        if references.count >= sweepSize {
            references = references.filter { $0.value.host != nil }
            sweepSize = max(64, references.count * 2)
        }
        lastSlot += 1
        references[lastSlot] = Reference(host: host)
        return lastSlot
    }

    mutating func remove(_ slot: Int) { references[slot] = nil }
}

extension Orchestrator {
    /// Notifies every mounted context that the application entered the background. Within a presentation: downstream
    /// before upstream, one after the other. Presentations are notified concurrently, the last mounted first, so the
    /// total time is that of the slowest: the application has little time for this.
    ///
    /// Also saves the persistent states of the clients: at once, and what the contexts changed after they were notified.
    public func enterBackground() async {
        supervisor.isInBackground = true
        let unsaved = unsavedParts
        async let saved: Void = save(unsaved)
        await notify(mounts.hosts.reversed()) { await $0.enterBackground() }
        await saved
        // What changed while the contexts were notified.
        await save(unsaved)
    }

    /// Notifies every mounted context that the application returned to the foreground. Within a presentation: upstream
    /// before downstream. Presentations are notified concurrently, the first mounted first, so a slow one does not
    /// delay the visible one. Checks all capabilities again at the same time; see ``refreshAll()``.
    ///
    /// Does not wait for an ``enterBackground()`` that has not returned. If you call both, wait for the first before
    /// you call the second.
    public func enterForeground() async {
        supervisor.isInBackground = false
        async let refresh: Void = refreshAll()
        await notify(mounts.hosts) { await $0.enterForeground() }
        await refresh
    }

    /// Notifies the hosts, which begin in their order: each part begins on the main actor, which runs them in turn.
    private func notify(
        _ hosts: [any MountedPresentation],
        _ event: @escaping @MainActor @Sendable (any MountedPresentation) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            for host in hosts {
                let part: @MainActor @Sendable () async -> Void = { await event(host) }
                group.addTask(operation: part)
            }
        }
    }

    /// All contexts of the mounted presentations: the first mounted first, each context before those that it owns.
    package var mountedContexts: [any Context] {
        func tree(_ runtime: ContextRuntime) -> [any Context] {
            (runtime.context.map { [$0] } ?? []) + runtime.downstreamRuntimes.flatMap(tree)
        }
        return mounts.hosts.compactMap(\.root).flatMap(tree)
    }
}
