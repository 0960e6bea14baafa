// SPDX-License-Identifier: Apache-2.0

/// Makes the contexts of one orchestrator, for presentations and for other contexts.
@MainActor
final class ContextFactory {
    /// How contexts of one type are made.
    final class Recipe<C: Context> {
        typealias Make = @MainActor (borrowing ContextScope, C.Input) throws -> C

        let component: ComponentDescriptor
        let isRecursive: Bool
        let reporter: ContextReporter?
        /// The circuit breakers that all contexts of the type share.
        let gate: BreakerGate
        let make: Make
        /// Whether the first context of the type has been searched for components that share its identity.
        var isSearched = false

        init(
            _ component: ComponentDescriptor,
            isRecursive: Bool,
            reporter: ContextReporter?,
            gate: BreakerGate,
            make: @escaping Make
        ) {
            self.component = component
            self.isRecursive = isRecursive
            self.reporter = reporter
            self.gate = gate
            self.make = make
        }
    }

    let clients: ClientRegistry
    let extensions: ExtensionTable
    /// The values of contexts that have no others.
    let values: ValueScope
    private var recipes: [ObjectIdentifier: AnyObject] = [:]
    private let recorder: GraphRecorder
    private let supervisor: Supervisor
    private let port: InstrumentationPort

    init(
        clients: ClientRegistry,
        recorder: GraphRecorder,
        supervisor: Supervisor,
        extensions: ExtensionTable,
        port: InstrumentationPort
    ) {
        self.extensions = extensions
        self.supervisor = supervisor
        self.clients = clients
        self.recorder = recorder
        self.port = port
        let root = RootValues()
        let bind: FlagCounts.Binding = { [port] in port.observer?.signal($0, $1) }
        values = ValueScope(root: root, flags: FeatureFlags(port.observer == nil ? nil : bind))
        values.flags.root = root
        values.flags.report = { [weak supervisor] in
            guard let supervisor else { return }
            await supervisor.report($0, in: supervisor.boundary.descriptor)
        }
    }

    /// The contexts that may contain contexts of their own type.
    private(set) var recursive: Set<ComponentDescriptor> = []

    func add<C: Context>(_ recipe: Recipe<C>) {
        if recipe.isRecursive { recursive.insert(recipe.component) }
        recipes[ObjectIdentifier(C.self)] = recipe
    }

    func removeAll() {
        recipes.removeAll()
        recursive.removeAll()
    }

    /// Makes a context for `asker`, which is a presentation or the orchestrator.
    func makeRoot<C: Context>(_ type: C.Type, _ input: C.Input, for asker: ComponentDescriptor) throws -> C {
        try make(type, input, asker: asker, upstream: nil, path: ResolutionPath(), values: values)
    }

    /// Makes a context that `upstream` owns.
    ///
    /// - Parameter values: The values of the context; nil for those of `upstream`.
    func make<C: Context>(
        _ type: C.Type,
        _ input: C.Input,
        upstream: ContextRuntime,
        path: ResolutionPath,
        values: ValueScope? = nil
    ) throws -> C {
        let values = values ?? upstream.values
        let context = try make(type, input, asker: upstream.descriptor, upstream: upstream, path: path, values: values)
        upstream.adopt(context)
        return context
    }

    private func make<C: Context>(
        _ type: C.Type,
        _ input: C.Input,
        asker: ComponentDescriptor,
        upstream: ContextRuntime?,
        path: ResolutionPath,
        values: ValueScope?
    ) throws -> C {
        let recipe = try recipe(for: type, asker: asker)
        let path = try path.appending(recipe.component, recursive: recipe.isRecursive)
        recorder.resolved(from: asker, to: recipe.component)
        let runtime = ContextRuntime(
            recipe.component,
            upstream: upstream,
            supervisor: supervisor,
            values: values,
            reporter: recipe.reporter,
            gate: recipe.gate,
            validatesActions: C.ActionType.validates,
            port: port
        )
        let identity = ComponentIdentity(recipe.component, port: port, runtime: runtime)
        let context = try runtime.runs(.phase(.create)) {
            try recipe.make(ContextScope(identity, path: path, owner: runtime, factory: self), input)
        }
        try CompositionError.check(context, has: identity)
        if !recipe.isSearched { try SharedIdentity.check(partsOf: context) }
        recipe.isSearched = true
        runtime.attach(context)
        identity.announce()
        runtime.report(.create, since: identity.createdAt)
        return context
    }

    private func recipe<C: Context>(for type: C.Type, asker: ComponentDescriptor) throws -> Recipe<C> {
        if let recipe = recipes[ObjectIdentifier(type)] as? Recipe<C> { return recipe }
        throw CompositionError(
            .notRegistered,
            "The \(asker) requires the context \(type), which is not registered.",
            "Register it before start(): orchestrator.register(\(type).self) { … }."
        )
    }
}
