// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Tasks, streams and closures end with the component that has them, and the main actor never waits.
enum ConcurrencyRules {
    static let all = [unstructuredTask, streamNotFinished, observeCapturesSelf, blocksMain, uncheckedSendable]

    static let unstructuredTask = Rule(
        id: "unstructured-task",
        summary: "A component starts a task and drops its handle.",
        rationale: """
            Nobody can cancel such a task or wait for it, its errors are lost, and its order to other actions is not known. Await \
            the work, or keep the handle and cancel it at the end.
            """,
        severity: .warning
    ) { project, findings in
        for (_, type) in project.types(with: [.component, .client]) {
            let name = project.displayName(of: type)
            for (file, _, call) in project.facts(\.calls, of: type)
            where ["Task", "Task.detached"].contains(call.callee)
                && (call.isDropped || project.isInUnusedVariable(call, file))
                && project.isOfSystem("Task", file, call.site)
            {
                let function = project.name(of: call.site, file)
                findings.report(
                    at: project.span(call.span, in: file),
                    "`\(function)` of \(name) starts a task and drops its handle. Await the work, or keep the handle and cancel it.",
                    identity: "\(name).\(function)/\(call.callee)"
                )
            }
        }
    }

    static let streamNotFinished = Rule(
        id: "stream-not-finished",
        summary: "An actor makes an AsyncStream and never finishes it.",
        rationale: "Who iterates over the stream waits for ever. Finish it when the component ends.",
        severity: .warning,
        mended: "a continuation that the component keeps in a property with its type"
    ) { project, findings in
        for (index, type) in project.types(with: [.client, .capability]) where type.kind == .actor {
            let calls = project.facts(\.calls, of: type)
            guard !calls.contains(where: { $0.fact.name == "finish" }) else { continue }
            for (file, number, call) in calls where isStream(call, number, file, project) {
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(call.span, in: file),
                    "\(name) never finishes this stream. Call `finish()` when the component ends.",
                    identity: "\(name).\(project.name(of: call.site, file))/\(call.callee)",
                    fix: finishFix(index, type, file, project)
                )
            }
        }
    }

    static let observeCapturesSelf = Rule(
        id: "observe-captures-self",
        summary: "The closure of observe captures the context, or is a function of it.",
        rationale:
            "The closure lives as long as the observation, so it keeps the context alive. It gets the context as a parameter.",
        severity: .warning,
        mended: """
            a closure without a list of captures, in which neither `self` nor the parameter means something else. \
            Not a function
            """
    ) { project, findings in
        for (_, type) in project.types(with: .context) {
            reportFunctions(of: type, project, &findings)
            for (file, index, closure) in project.facts(\.closures, of: type) {
                guard let call = closure.call.map({ project.files[file].calls[$0] }), call.callee == "observe",
                    !closure.captures.contains(where: { $0.hasPrefix("weak ") || $0.hasPrefix("unowned") })
                else { continue }
                let inner = nestedUses(of: index, project.files[file])
                // A capture of `self` keeps it, and lets the closure use members without saying so.
                let captured = closure.captures.contains("self") ? closure.span : nil
                guard let first = (closure.selfUses + inner).min(by: { $0.start < $1.start }) ?? captured else {
                    continue
                }
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(first, in: file),
                    "The closure of `observe` captures \(name) and keeps it alive. Use the parameter of the closure.",
                    identity: "\(name).\(project.name(of: closure.site, file))/observe/\(call.arguments.first ?? "")",
                    fix: parameterFix(index, inner, project.files[file])
                )
            }
        }
    }

    static let blocksMain = Rule(
        id: "blocks-main",
        summary: "A context or a presentation blocks the main actor.",
        rationale:
            "All contexts share the main actor. While one waits or reads a file, nothing is shown. Let a client do it.",
        severity: .warning
    ) { project, findings in
        for (index, type) in project.types(with: [.context, .presentation]) {
            for (file, _, call) in project.facts(\.calls, of: type) {
                guard blocks(call, index, file, project), !project.runsElsewhere(call.site, file) else { continue }
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(call.span, in: file),
                    "`\(call.callee)` in \(name) blocks the main actor. Let a client do it, and await that.",
                    identity: "\(name).\(project.name(of: call.site, file))/\(call.callee)"
                )
            }
        }
    }

    static let uncheckedSendable = Rule(
        id: "unchecked-sendable",
        summary: "A state, an action or a component is @unchecked Sendable.",
        rationale:
            "The compiler then proves nothing about its use from several threads. Values and actors need no such promise.",
        severity: .warning
    ) { project, findings in
        for (_, type) in project.types(with: [.component, .client, .state, .action, .presentation]) {
            for place in type.places {
                for reference in project.declaration(place).inherited where reference.attributes.contains("unchecked") {
                    let name = project.displayName(of: type)
                    findings.report(
                        at: project.span(reference.span, in: place.file),
                        "\(name) is `@unchecked Sendable`. Make it a value or an actor, and let the compiler check it.",
                        identity: name
                    )
                }
            }
        }
    }
}

// MARK: - Streams and closures

extension ConcurrencyRules {
    /// Whether a call makes a stream that something has to finish: its closure gets a continuation. One that unfolds has none,
    /// and ends with nil; its label is left out before a trailing closure.
    private static func isStream(_ call: Call, _ number: Int, _ file: Int, _ project: ProjectFacts) -> Bool {
        let stream = ["AsyncStream", "AsyncThrowingStream"].first {
            call.callee == $0 || call.callee == $0 + ".makeStream"
        }
        guard let stream, !call.labels.contains("unfolding") else { return false }
        let unfolds = project.files[file].closures.contains {
            $0.call == number && $0.parameters.isEmpty && !$0.usesShorthand
        }
        return !unfolds && project.isOfSystem(stream, file, call.site)
    }

    /// Reports methods, and local functions that use members, which `observe` gets in the place of a closure.
    private static func reportFunctions(of type: ProjectType, _ project: ProjectFacts, _ findings: inout Findings) {
        for (file, _, call) in project.facts(\.calls, of: type) where call.callee == "observe" {
            for argument in call.arguments.dropFirst() where project.keepsSelf(argument, call.site, type, file) {
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(call.span, in: file),
                    "`\(argument)`, which `observe` gets, captures \(name) and keeps it alive. Pass a closure, and use its parameter.",
                    identity: "\(name).\(project.name(of: call.site, file))/observe/\(argument)"
                )
            }
        }
    }

    /// Finishes the stream in the function that the component's end calls.
    private static func finishFix(_ index: Int, _ type: ProjectType, _ file: Int, _ project: ProjectFacts) -> Fix? {
        let own = ProjectType.Place(file: type.file, declaration: type.declaration)
        let continuation = project.declaration(own).properties.first { property in
            ["AsyncStream.Continuation", "AsyncThrowingStream.Continuation"].contains(property.type?.name ?? "")
        }
        let end = project.roles(of: index).contains(.capability) ? "terminate" : "deactivate"
        guard file == type.file, let continuation,
            !type.extensions.contains(where: { place in
                project.functions(place).contains { project.files[place.file].functions[$0].name == end }
            })
        else { return nil }
        let functions = project.functions(own).map { project.files[file].functions[$0] }
        let column = project.span(project.declaration(own).whole, in: file).start.column
        let indent = String(repeating: " ", count: column + 3)
        let edit: Edit
        if let function = functions.first(where: { $0.name == end }) {
            guard let body = function.body else { return nil }
            let start = Int(body.start) + 1
            edit = Edit(replacing: start..<start, with: "\n\(indent)    \(continuation.name).finish()")
        } else {
            let brace = Int(project.declaration(own).body.end) - 1
            let access = project.declaration(own).modifiers.first { $0 == "public" || $0 == "package" }
            let head = access.map { $0 + " " } ?? ""
            let text =
                "\n\(indent)\(head)func \(end)() async {\n\(indent)    \(continuation.name).finish()\n\(indent)}\n"
            edit = Edit(replacing: brace..<brace, with: text + indent.dropLast(4))
        }
        return Fix("Finish the stream in \(end)", edits: [edit], safety: .review)
    }

    /// A closure and those in it.
    private static func nested(in closure: Int, _ file: FileFacts) -> Set<Int> {
        var found: Set = [closure]
        // A closure follows the one around it.
        for (index, inner) in file.closures.enumerated() {
            if let outer = inner.site.closure, found.contains(outer) { found.insert(index) }
        }
        return found
    }

    private static func nestedUses(of closure: Int, _ file: FileFacts) -> [FactSpan] {
        file.closures.enumerated().filter { $0.element.site.closure == closure }.flatMap { index, inner in
            inner.selfUses + nestedUses(of: index, file)
        }
    }

    /// Says the parameter instead of `self`. Impossible in a nested closure if the parameter has no name, and where a closure
    /// has a list of captures, or `self` or the name means something else.
    private static func parameterFix(_ index: Int, _ nested: [FactSpan], _ file: FileFacts) -> Fix? {
        let closure = file.closures[index]
        let inside = self.nested(in: index, file)
        guard inside.allSatisfy({ file.closures[$0].captures.isEmpty }) else { return nil }
        let locals = file.locals.filter { $0.site.closure.map(inside.contains) ?? false }.map(\.name)
        let inner = inside.filter { $0 != index }.flatMap { file.closures[$0].parameters.map(\.name) }
        var edits: [Edit] = []
        var name = "$0"
        if let parameter = closure.parameters.first {
            name = parameter.name == "_" ? "context" : parameter.name
            if parameter.name == "_" { edits.append(Edit(replacing: parameter.span.offsets, with: name)) }
        } else if !nested.isEmpty {
            return nil
        }
        guard !(locals + inner).contains(where: { $0 == "self" || $0 == name }) else { return nil }
        edits += (closure.selfUses + nested).map { Edit(replacing: $0.offsets, with: name) }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        return Fix("Use the parameter of the closure", edits: edits, safety: .safe)
    }
}

extension ProjectFacts {
    /// Whether a call is the value of a local variable that nothing uses: its handle is dropped with it.
    fileprivate func isInUnusedVariable(_ call: Call, _ file: Int) -> Bool {
        let facts = files[file]
        let variable = facts.locals.first { $0.site == call.site && $0.value?.span.contains(call.whole) ?? false }
        guard let variable else { return false }
        return !facts.names.contains { $0.name == variable.name && $0.site.declaration == call.site.declaration }
    }

    /// Whether a name is a function that holds the component: a method, or a local function that uses a member.
    fileprivate func keepsSelf(_ name: String, _ site: Site, _ type: ProjectType, _ file: Int) -> Bool {
        guard !name.isEmpty, !isLocal(name, site, file) else { return false }
        let methods = methodNames(of: type)
        guard let local = localFunction(name, site, file) else { return methods.contains(name) }
        let members = methods.union(properties(of: type).filter { !$0.property.isStatic }.map(\.property.name))
        return names(usedBy: local, file).contains { members.contains($0) || $0 == "self" }
    }

    private func methodNames(of type: ProjectType) -> Set<String> {
        let all = type.places.flatMap { place in functions(place).map { files[place.file].functions[$0] } }
        return Set(all.filter { $0.parent == nil && !$0.isStatic && $0.kind == .function }.map(\.name))
    }

    /// The function of a name in the functions around a place.
    private func localFunction(_ name: String, _ site: Site, _ file: Int) -> Int? {
        let chain = functionChain(of: site, in: file)
        return files[file].functions.firstIndex { $0.name == name && $0.parent.map(chain.contains) ?? false }
    }

    /// The names that a function reads, calls and assigns; of a path, the first.
    private func names(usedBy function: Int, _ file: Int) -> [String] {
        let facts = files[file]
        let targets = facts.assignments.filter { $0.site.function == function }.map { $0.target.prefix { $0 != "." } }
        let calls = facts.calls.filter { $0.site.function == function && $0.base.isEmpty }.map(\.name)
        return facts.names.filter { $0.site.function == function }.map(\.name) + targets.map(String.init) + calls
    }
}
