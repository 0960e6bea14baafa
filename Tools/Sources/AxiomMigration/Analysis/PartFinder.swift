// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// Finds the parts of an application in the declarations of a file.
struct PartFinder {
    let file: ParsedFile
    let architecture: Architecture

    private static let controllers: Set<String> = [
        "UIViewController", "UITableViewController", "UICollectionViewController", "NSViewController",
        "UINavigationController", "UITabBarController",
    ]
    private static let serviceEndings = [
        "Service", "Manager", "Repository", "API", "Store", "Provider", "Gateway", "Client",
    ]
    private static let systemTypes: Set<String> = [
        "URLSession", "FileManager", "UserDefaults", "CLLocationManager", "NotificationCenter",
        "UNUserNotificationCenter",
        "NWConnection", "Keychain", "NSManagedObjectContext", "AVCaptureSession", "CMMotionManager",
    ]

    var parts: [FoundPart] {
        file.types.flatMap { type in [part(of: type)].compactMap(\.self) + callbacks(in: type) }
    }

    private func part(of type: TypeNode) -> FoundPart? {
        guard type.kind != .extension, type.kind != .protocol, let (kind, suggestion) = role(of: type) else {
            return nil
        }
        return FoundPart(
            kind: kind,
            name: type.name,
            path: file.path,
            line: file.line(of: type.keyword),
            suggestion: suggestion,
            isSharedCapability: kind == .singleton && isCapability(type),
            uses: names(in: type)
        )
    }

    private func role(of type: TypeNode) -> (FoundPart.Kind, String)? {
        let name = type.name
        if architecture == .tca, let role = tcaRole(of: type) { return role }
        if type.inherited.contains(where: { Self.controllers.contains($0.name) }) {
            return (
                .controller,
                "a presentation, and \(stem(name, ["ViewController", "Controller"]))Context for what it decides"
            )
        }
        if type.inherits("View"), type.kind == .struct { return (.view, "a presentation with one context") }
        if type.kind == .class || type.kind == .actor, sharesItself(type) {
            let kind = isCapability(type) ? "a capability" : "a client"
            return (.singleton, "\(kind) that is registered once; remove the static instance")
        }
        if type.kind == .class,
            type.inherits("ObservableObject") || type.hasAttribute("Observable") || name.hasSuffix("ViewModel")
        {
            let base = stem(name, ["ViewModel", "Model", "Store", "Context"])
            return (.viewModel, "\(base)Context, with \(base)Client and \(base)State for what outlives the view")
        }
        if type.kind != .enum, type.kind == .class || type.kind == .actor || usesSystem(type),
            usesSystem(type) || Self.serviceEndings.contains(where: { name.hasSuffix($0) })
        {
            return usesSystem(type)
                ? (.service, "the capability \(stem(name, ["Service", "Manager"])), an actor")
                : (.service, "a client if it keeps state or decides, a capability if it reaches a system")
        }
        let isValue =
            type.kind == .struct
            && (type.inherits("Codable") || type.inherits("Identifiable") || type.inherits("Decodable"))
        return isValue ? (.model, "a value in a state: Hashable and Sendable") : nil
    }

    private func tcaRole(of type: TypeNode) -> (FoundPart.Kind, String)? {
        if type.hasAttribute("Reducer") || type.inherits("Reducer") || type.inherits("ReducerProtocol") {
            let base = stem(type.name, ["Reducer", "Feature"])
            return (.reducer, "\(base)Client with \(base)State and \(base)Action; .run effects become lines of process")
        }
        if type.hasAttribute("DependencyClient") || type.inherits("DependencyKey") || type.inherits("TestDependencyKey")
        {
            return (.dependency, "a capability; its test value becomes a simulated capability")
        }
        return nil
    }

    /// Whether the type has `static let shared`, or another static instance of itself.
    private func sharesItself(_ type: TypeNode) -> Bool {
        type.variables.contains { variable in
            variable.isStatic
                && (variable.typeName == type.name || ["shared", "default", "instance"].contains(variable.name))
        }
    }

    /// Whether a singleton becomes a capability: it reaches a system, or keeps nothing that changes.
    private func isCapability(_ type: TypeNode) -> Bool {
        usesSystem(type)
            || !type.members.compactMap { $0.as(VariableDeclSyntax.self) }.contains { node in
                node.bindingSpecifier.tokenKind == .keyword(.var) && node.bindings.contains(where: isStored)
                    && !node.modifiers.contains { ["static", "class"].contains($0.name.text) }
            }
    }

    private func isStored(_ binding: PatternBindingSyntax) -> Bool {
        guard let block = binding.accessorBlock else { return true }
        return block.contains(.didSet) || block.contains(.willSet)
    }

    private func usesSystem(_ type: TypeNode) -> Bool { !names(in: type).isDisjoint(with: Self.systemTypes) }

    private func names(in type: TypeNode) -> Set<String> {
        Set(
            type.node.tokens(viewMode: .sourceAccurate).compactMap { $0.identifier?.name }.filter {
                $0.first?.isUppercase ?? false
            }
        )
        .subtracting([type.name])
    }

    private func stem(_ name: String, _ endings: [String]) -> String {
        for ending in endings where name.hasSuffix(ending) && name != ending {
            return String(name.dropLast(ending.count))
        }
        return name
    }

    /// Functions that answer through a closure, subscriptions, delegates and notifications.
    private func callbacks(in type: TypeNode) -> [FoundPart] {
        var parts: [FoundPart] = []
        for function in type.functions {
            guard let last = function.signature.parameterClause.parameters.last, isEscaping(last.type) else { continue }
            parts.append(callback("\(type.name).\(function.name.text)", function, "async throws, without a closure"))
        }
        for call in type.node.all(FunctionCallExprSyntax.self) {
            guard let (_, _, name) = call.memberCall else { continue }
            switch name {
            case "sink", "assign": parts.append(callback("\(type.name): \(name)", call, "observe in onAppear"))
            case "addObserver":
                parts.append(
                    callback("\(type.name): addObserver", call, "a state of a client, or an event of a capability")
                )
            default: break
            }
        }
        for variable in type.variables where variable.name == "delegate" || variable.name.hasSuffix("Delegate") {
            parts.append(
                callback("\(type.name).\(variable.name)", variable.node, "an action, or a state that is observed")
            )
        }
        return parts
    }

    private func isEscaping(_ type: TypeSyntax) -> Bool {
        if let type = type.as(AttributedTypeSyntax.self) {
            return type.attributes.contains { $0.as(AttributeSyntax.self)?.attributeName.lastName == "escaping" }
        }
        return type.as(OptionalTypeSyntax.self)?.wrappedType.as(TupleTypeSyntax.self)?.elements.first?.type.is(
            FunctionTypeSyntax.self
        ) ?? false
    }

    private func callback(_ name: String, _ node: some SyntaxProtocol, _ suggestion: String) -> FoundPart {
        FoundPart(
            kind: .callback,
            name: name,
            path: file.path,
            line: file.line(of: node),
            suggestion: suggestion
        )
    }
}
