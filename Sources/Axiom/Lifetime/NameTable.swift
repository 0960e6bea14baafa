// SPDX-License-Identifier: Apache-2.0

/// The names of one orchestrator's components, unique among them.
@MainActor
struct NameTable {
    private var names: [ObjectIdentifier: String] = [:]
    /// By the capability's own type, which may be registered under several types, and by the type under which it is
    /// registered.
    private var capabilities: [ObjectIdentifier: [ComponentDescriptor]] = [:]
    private var presentations: [ObjectIdentifier: ComponentDescriptor] = [:]
    private var taken: Set<String> = []

    /// Names everything that was registered.
    init(_ blueprint: Blueprint) {
        var requests = ComponentNames()
        for plan in blueprint.capabilities { requests.add(plan.type) }
        for plan in blueprint.clients { requests.add(plan.type) }
        for plan in blueprint.contexts { requests.add(plan.type) }
        names = requests.resolved()
        taken = Set(names.values)
        for plan in blueprint.capabilities {
            let component = descriptor(of: plan.type, .capability)
            for key in Set([plan.type.key, plan.type.type]) { capabilities[key, default: []].append(component) }
        }
    }

    /// Makes a table without names.
    init() {}

    func descriptor(of type: ComponentNames.Request, _ kind: ComponentKind) -> ComponentDescriptor {
        ComponentDescriptor(kind: kind, name: names[type.key] ?? type.preferred)
    }

    /// The capabilities of this type, or the one that is registered under it.
    func capabilities<C>(_ type: C.Type) -> [ComponentDescriptor] {
        capabilities[ObjectIdentifier(type), default: []]
    }

    /// The presentation of this type. It gets its name on first use.
    ///
    /// - Returns: The descriptor, and whether it is new.
    mutating func presentation<P: Presentation>(_ type: P.Type) -> (component: ComponentDescriptor, isNew: Bool) {
        if let known = presentations[ObjectIdentifier(type)] { return (known, false) }
        let isTaken = taken.contains(P.componentName)
        let name = isTaken ? ComponentNames.qualifiedName(of: type) : P.componentName
        let component = ComponentDescriptor(kind: .presentation, name: ComponentNames.free(name, among: taken))
        taken.insert(component.name)
        presentations[ObjectIdentifier(type)] = component
        return (component, true)
    }
}
