// SPDX-License-Identifier: Apache-2.0

/// The result of a dry run of an orchestrator; see ``Orchestrator/validate(_:)``.
public struct CompositionReport: Sendable, CustomStringConvertible {
    /// A component whose dependencies are unknown, because the dry run made no instance of it.
    public struct Unchecked: Sendable, CustomStringConvertible {
        /// The component.
        public let component: ComponentDescriptor
        /// Why the dry run made no instance.
        public let reason: String
        /// The error of its factory; nil for a context that needs an input.
        public let error: (any Error)?

        /// The component and the reason.
        public var description: String { "The \(component) was not checked: \(reason)" }
    }

    /// The mistakes in the composition, each once.
    public internal(set) var mistakes: [CompositionError] = []
    /// The components that could not be checked.
    public internal(set) var unchecked: [Unchecked] = []
    /// What works, although a user may not see what was intended, such as modal routes that require a signed-in user.
    public internal(set) var warnings: [ArchitectureViolation] = []
    /// The dependencies found, for an ``ArchitectureValidator``.
    public internal(set) var graph = ComponentGraph()

    /// Whether there are no mistakes and everything was checked.
    public var isComplete: Bool { mistakes.isEmpty && unchecked.isEmpty }

    /// All findings, one on each line.
    public var description: String {
        let lines = mistakes.map(\.description) + warnings.map(\.description) + unchecked.map(\.description)
        return lines.isEmpty ? "No mistakes." : lines.joined(separator: "\n")
    }
}

/// An input with which a dry run makes one context of a type.
public struct ContextSample: Sendable {
    let type: ObjectIdentifier
    let make: @MainActor @Sendable (ContextFactory, ComponentDescriptor) throws -> any Context

    /// Makes a sample.
    public init<C: Context>(_ type: C.Type, _ input: C.Input) {
        self.type = ObjectIdentifier(type)
        make = { factory, asker in try factory.makeRoot(type, input, for: asker) }
    }
}

extension Orchestrator {
    /// Finds the composition errors that `start()` and `mount` would throw, without a start: dependencies that are not
    /// registered, cycles of capabilities and of contexts, states with two owners, types that are registered twice,
    /// invalid names and limits. For a unit test:
    ///
    /// ```swift
    /// let report = orchestrator.validate(ContextSample(ProductContext.self, Product.ID("tea")))
    /// #expect(report.isComplete, "\(report)")
    /// ```
    /// Only factories know the dependencies of a component. So this runs, once, the factory of each capability, of each
    /// client, and of each context that takes no input or has a sample, and discards the results. Nothing is
    /// initialised, activated, shown or reported, and nothing is terminated or deactivated: resources that an
    /// initializer acquires must be released with the component. The cost is that of the factories.
    ///
    /// A factory ends at its first error, so one run finds one mistake in each factory.
    ///
    /// - Parameter samples: An input for each context type that takes one, unless another context makes it.
    /// - Returns: The findings. While the application starts, runs or stops, no factory runs, and the report says so.
    public func validate(_ samples: ContextSample...) -> CompositionReport {
        guard life.run == nil else {
            let mistake = CompositionError(
                .wrongPhase,
                "validate() needs an orchestrator that does not run, but it is \(phase.rawValue).",
                "Call it before start(), in a test."
            )
            var report = CompositionReport()
            report.mistakes = [mistake]
            return report
        }
        var run = DryRun(blueprint, port, extensions, asker: identity.descriptor)
        run.makeCapabilities()
        run.makeClients()
        run.makeContexts(samples)
        return run.report
    }
}

/// The components that a dry run makes, separate from those of the orchestrator.
@MainActor
private struct DryRun {
    private(set) var found = CompositionReport()
    private var noted: Set<CompositionError> = []
    private let blueprint: Blueprint
    private let names: NameTable
    private let asker: ComponentDescriptor
    private let port: InstrumentationPort
    private let recorder: GraphRecorder
    private let registry: ClientRegistry
    private let contexts: ContextFactory
    private var resolver: CapabilityResolver
    /// Kept until the end: references to capabilities are resolved through them.
    private var nodes: [any CapabilityNode] = []

    init(
        _ blueprint: Blueprint,
        _ real: InstrumentationPort,
        _ extensions: ExtensionTable,
        asker: ComponentDescriptor
    ) {
        self.blueprint = blueprint
        self.asker = asker
        names = NameTable(blueprint)
        port = InstrumentationPort(Instrumentations(), clock: real.clock, limits: real.limits)
        recorder = GraphRecorder(port: port)
        registry = ClientRegistry(recorder: recorder)
        let supervisor = Supervisor(ErrorBoundary(asker, port: port))
        contexts = ContextFactory(
            clients: registry,
            recorder: recorder,
            supervisor: supervisor,
            extensions: extensions,
            port: port
        )
        let services = ServiceRegistry(blueprint.services, contexts.values.flags)
        resolver = CapabilityResolver(recorder: recorder, services: services)
        let mistakes = blueprint.allMistakes + port.limits.mistakes
        for mistake in mistakes + extensions.mistakes(in: blueprint) { note(mistake) }
        found.warnings = extensions.all.flatMap(\.warnings)
        addComponents()
    }

    /// Adds all registered types, so that a component without dependencies is part of the graph too.
    private func addComponents() {
        for plan in blueprint.capabilities { recorder.add(names.descriptor(of: plan.type, .capability)) }
        for plan in blueprint.clients { recorder.add(names.descriptor(of: plan.type, .client)) }
        for plan in blueprint.contexts { recorder.add(names.descriptor(of: plan.type, .context)) }
    }

    var report: CompositionReport {
        var report = found
        report.graph = recorder.graph
        report.graph.recursiveContexts = contexts.recursive
        return report
    }

    mutating func makeCapabilities() {
        for plan in blueprint.capabilities {
            nodes.append(plan.build(names.descriptor(of: plan.type, .capability), port, &resolver))
        }
        for node in nodes {
            attempt(node.descriptor) { try node.construct($0.resolver) }
        }
        do {
            _ = try recorder.graph.restricted(to: .capability).topologicalOrder()
        } catch {
            note(.capabilityCycle(error))
        }
    }

    mutating func makeClients() {
        let factory = ClientFactory(
            resolver: resolver,
            registry: registry,
            port: port,
            owners: StateOwners(blueprint.clients, names),
            middleware: blueprint.middleware
        )
        for plan in blueprint.clients {
            let component = names.descriptor(of: plan.type, .client)
            attempt(component) { run in
                do {
                    _ = try plan.make(component, factory)
                } catch {
                    plan.fail(component, run.registry, error)
                    throw error
                }
            }
        }
    }

    mutating func makeContexts(_ samples: [ContextSample]) {
        for plan in blueprint.contexts { plan.install(names.descriptor(of: plan.type, .context), contexts, port) }
        let samples = Dictionary(grouping: samples, by: \.type).mapValues { $0.map(\.make) }
        var withoutInput: [ComponentDescriptor] = []
        for plan in blueprint.contexts {
            let component = names.descriptor(of: plan.type, .context)
            let makers = samples[plan.type.type, default: []] + [plan.makeWithoutInput].compactMap(\.self)
            if makers.isEmpty { withoutInput.append(component) }
            for make in makers { attempt(component) { _ = try make($0.contexts, $0.asker) } }
        }
        let made = Set(recorder.graph.edges.map(\.to))
        for component in withoutInput where !made.contains(component) {
            let reason = "it takes an input. Give validate() a ContextSample of it."
            found.unchecked.append(CompositionReport.Unchecked(component: component, reason: reason, error: nil))
        }
    }

    /// Makes one component. An error of its factory is either a composition mistake or leaves the component unchecked.
    private mutating func attempt(_ component: ComponentDescriptor, _ make: (DryRun) throws -> Void) {
        do {
            try make(self)
        } catch let mistake as CompositionError {
            note(mistake)
        } catch {
            // All attempts to make a component follow each other.
            guard found.unchecked.last?.component != component else { return }
            let reason = "its factory threw \(error)"
            found.unchecked.append(CompositionReport.Unchecked(component: component, reason: reason, error: error))
        }
    }

    private mutating func note(_ mistake: CompositionError) {
        if noted.insert(mistake).inserted { found.mistakes.append(mistake) }
    }
}
