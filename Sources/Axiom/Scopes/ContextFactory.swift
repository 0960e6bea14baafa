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
        let make: Make

        init(
            _ component: ComponentDescriptor,
            isRecursive: Bool,
            reporter: ContextReporter?,
            make: @escaping Make
        ) {
            self.component = component
            self.isRecursive = isRecursive
            self.reporter = reporter
            self.make = make
        }
    }

    let clients: ClientRegistry
    private var recipes: [ObjectIdentifier: AnyObject] = [:]
    private let recorder: GraphRecorder
    private let supervisor: Supervisor
    private let port: InstrumentationPort

    init(clients: ClientRegistry, recorder: GraphRecorder, supervisor: Supervisor, port: InstrumentationPort) {
        self.supervisor = supervisor
        self.clients = clients
        self.recorder = recorder
        self.port = port
    }

    func add<C: Context>(_ recipe: Recipe<C>) {
        recipes[ObjectIdentifier(C.self)] = recipe
    }

    func removeAll() {
        recipes.removeAll()
    }

    /// Makes a context for `asker`, which is a presentation or the orchestrator.
    func makeRoot<C: Context>(_ type: C.Type, _ input: C.Input, for asker: ComponentDescriptor) throws -> C {
        try make(type, input, asker: asker, upstream: nil, path: ResolutionPath())
    }

    /// Makes a context that `upstream` owns.
    func make<C: Context>(
        _ type: C.Type,
        _ input: C.Input,
        upstream: ContextRuntime,
        path: ResolutionPath
    ) throws -> C {
        let context = try make(type, input, asker: upstream.descriptor, upstream: upstream, path: path)
        upstream.adopt(context)
        return context
    }

    private func make<C: Context>(
        _ type: C.Type,
        _ input: C.Input,
        asker: ComponentDescriptor,
        upstream: ContextRuntime?,
        path: ResolutionPath
    ) throws -> C {
        let recipe = try recipe(for: type, asker: asker)
        let path = try path.appending(recipe.component, recursive: recipe.isRecursive)
        recorder.resolved(from: asker, to: recipe.component)
        let runtime = ContextRuntime(
            recipe.component,
            upstream: upstream,
            supervisor: supervisor,
            reporter: recipe.reporter,
            port: port
        )
        let identity = ComponentIdentity(recipe.component, port: port, contextRuntime: runtime)
        let context = try recipe.make(ContextScope(identity, path: path, owner: runtime, factory: self), input)
        try CompositionError.check(context, has: identity)
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
