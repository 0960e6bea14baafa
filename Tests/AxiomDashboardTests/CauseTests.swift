// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import Testing

@testable import AxiomDashboard

/// A shop with seven clients of a network, three of a disk, and a logger that all of them use. Each client has one
/// context, and an application context uses all contexts.
private struct Shop {
    static let remote = (1...7).map { "Remote\($0)" }
    static let local = (1...3).map { "Local\($0)" }
    let edges: [ComponentDependency]
    let components: ComponentIndex

    init() {
        var (edges, components) = ([ComponentDependency](), ComponentIndex())
        func add(_ from: ComponentDescriptor, _ to: ComponentDescriptor) {
            edges.append(ComponentDependency(from: from, to: to))
        }
        let capability = { ComponentDescriptor(kind: .capability, name: $0) }
        let application = ComponentDescriptor(kind: .context, name: "Application")
        for (names, dependency) in [(Self.remote, "Network"), (Self.local, "Disk")] {
            for name in names {
                let client = ComponentDescriptor(kind: .client, name: name)
                let context = ComponentDescriptor(kind: .context, name: name + "Screen")
                add(client, capability(dependency))
                add(client, capability("Logger"))
                add(context, client)
                add(application, context)
            }
        }
        add(capability("Network"), capability("Sockets"))
        for edge in edges {
            _ = components.id(edge.from)
            _ = components.id(edge.to)
        }
        (self.edges, self.components) = (edges, components)
    }

    func fold(_ findings: [Problem], _ times: CallTimes = CallTimes()) -> [Problem] {
        var folding = CauseFolding(edges, times)
        return folding.fold(findings, components)
    }

    func causes(_ findings: [Problem], _ times: CallTimes = CallTimes()) -> [String] {
        fold(findings, times).filter { $0.cause == nil }.map(\.text)
    }

    /// Times with which each client spends 9 s of 10 s in a call of this capability.
    ///
    /// - Parameter own: Clients that spend their time themselves.
    func times(in capability: String, own: Set<String> = []) -> CallTimes {
        var (calls, totals) = ([ComponentDependency: MeasuredCalls](), [ComponentDescriptor: MeasuredCalls]())
        for edge in edges where edge.from.kind == .client {
            let seconds = edge.to.name == capability && !own.contains(edge.from.name) ? 9 : 0.1
            totals[edge.from] = MeasuredCalls(seconds: 10)
            totals[edge.to, default: MeasuredCalls()].seconds += seconds
            calls[edge] = MeasuredCalls(seconds: seconds)
        }
        return CallTimes(calls, totals)
    }
}

private func finding(_ name: String, _ symptom: Symptom) -> Problem {
    Problem(
        key: "\(name)/\(symptom)",
        level: .bad,
        kind: .error,
        component: nil,
        text: "\(name) \(symptom)",
        symptom: symptom,
        subjects: [name]
    )
}

@Suite("Problems are folded into causes")
struct CauseTests {
    private let shop = Shop()

    @Test("A broken upstream is one problem, however many clients, circuits and contexts it affects")
    func brokenUpstream() {
        let failing = Shop.remote.prefix(5)
        let findings =
            failing.map { finding($0, .failing(code: "NETWORK_STATUS")) } + failing.map { finding($0, .circuit) }
            + failing.map { finding($0, .refusing) } + [finding("Remote1Screen", .slow)]
        let expected =
            "Network fails: 5 of 7 clients fail, 5 circuits opened because of it, 6 contexts are affected"
        #expect(shop.causes(findings) == [expected])
        #expect(shop.causes(findings.reversed()) == [expected], "the order of the findings does not matter")
    }

    @Test("A circuit that opened on a user of a failing dependency belongs to it, although it lets no error through")
    func silentCircuits() {
        let (failing, silent) = (Shop.remote.prefix(4), Shop.remote.suffix(2))
        let findings =
            failing.map { finding($0, .failing(code: "STATUS")) } + silent.map { finding($0, .circuit) }
            + silent.map { finding($0, .refusing) }
        let expected = "Network fails: 6 of 7 clients fail, 2 circuits opened because of it, 7 contexts are affected"
        #expect(shop.causes(findings) == [expected])
    }

    @Test("Circuits that opened on most users of a dependency are one problem, without any other error")
    func circuitsAlone() {
        let findings = Shop.remote.flatMap { [finding($0, .circuit), finding($0, .refusing)] }
        let expected = "Network fails: 7 of 7 clients fail, 7 circuits opened because of it, 8 contexts are affected"
        #expect(shop.causes(findings) == [expected])
    }

    @Test("A dependency that fails in another way for each of its users is one problem")
    func manyWays() {
        let findings =
            [finding("Remote1", .failing(code: "RESET")), finding("Remote2", .failing(code: "STATUS"))]
            + Shop.remote.dropFirst(2).prefix(3).map { finding($0, .refusing) }
        let expected = "Network fails: 5 of 7 clients fail, 6 contexts are affected"
        #expect(shop.causes(findings) == [expected])
    }

    @Test("Request handlers that use a failing dependency are named among the affected")
    func handlers() {
        let handlers = ["Orders", "Prices"].map { ComponentDescriptor(kind: .request, name: $0) }
        let edges = zip(handlers, Shop.remote).map { handler, client in
            ComponentDependency(from: handler, to: ComponentDescriptor(kind: .client, name: client))
        }
        var (components, folding) = (shop.components, CauseFolding(shop.edges + edges, CallTimes()))
        for handler in handlers { _ = components.id(handler) }
        let findings =
            Shop.remote.map { finding($0, .failing(code: "STATUS")) }
            + handlers.map { finding($0.name, .failing(code: "STATUS")) }
        let causes = folding.fold(findings, components).filter { $0.cause == nil }.map(\.text)
        #expect(
            causes == [
                "Network fails: 9 of 9 components fail, 8 contexts are affected, 2 request handlers are affected"
            ]
        )
    }

    @Test("A cause began with the first of its symptoms")
    func beginning() {
        var log = ProblemLog()
        log.record([finding("Remote1", .circuit)], at: 10)
        log.record(shop.fold(Shop.remote.map { finding($0, .circuit) }), at: 20)
        #expect(log.rows.first { $0.text.hasPrefix("Network") }?.since == 10)
        log.record(shop.fold(Shop.remote.dropFirst().map { finding($0, .circuit) }), at: 30)
        #expect(log.rows.first { $0.text.hasPrefix("Network") }?.since == 10, "it stays when that symptom ends")
    }

    @Test("Several codes of one upstream are one problem")
    func severalCodes() {
        let findings = Shop.remote.prefix(4).flatMap { name in
            ["STATUS", "TIMEOUT"].map { finding(name, .failing(code: $0)) }
        }
        #expect(shop.causes(findings) == ["Network fails: 4 of 7 clients fail, 5 contexts are affected"])
    }

    @Test("Two broken dependencies are two problems")
    func twoCauses() {
        let findings =
            Shop.remote.map { finding($0, .failing(code: "STATUS")) }
            + Shop.local.map { finding($0, .failing(code: "DISK_FULL")) }
        #expect(
            shop.causes(findings) == [
                "Disk fails: 3 of 3 clients fail, 4 contexts are affected",
                "Network fails: 7 of 7 clients fail, 8 contexts are affected",
            ]
        )
    }

    @Test("A dependency of healthy components is not the cause: few of the logger's users fail")
    func healthyDependency() {
        let findings = ["Remote1", "Local1"].map { finding($0, .failing(code: "TIMEOUT")) }
        #expect(shop.causes(findings) == findings.map(\.text))
    }

    @Test("If two dependencies explain the failures about as well, none is named")
    func ambiguity() {
        let network = ComponentDescriptor(kind: .capability, name: "Network")
        let local = Shop.local.map { ComponentDescriptor(kind: .client, name: $0) }
        let edges =
            shop.edges.filter { !Shop.remote.prefix(3).contains($0.from.name) }
            + local.map {
                ComponentDependency(from: $0, to: network)
            }
        // All three clients of the disk fail. They are three of the seven clients of the network, too.
        let findings = Shop.local.map { finding($0, .failing(code: "RESET")) }
        var folding = CauseFolding(edges, CallTimes())
        #expect(folding.fold(findings, shop.components).contains { $0.text.hasPrefix("Disk fails: 3 of 3") })
        let two =
            edges + [
                ComponentDependency(
                    from: ComponentDescriptor(kind: .client, name: "Remote7"),
                    to: ComponentDescriptor(kind: .capability, name: "Disk")
                )
            ]
        let fewer = two.filter { !["Remote4", "Remote5"].contains($0.from.name) }
        folding = CauseFolding(fewer, CallTimes())
        #expect(folding.fold(findings, shop.components).count == findings.count, "3 of 4 against 3 of 5")
    }

    @Test("A capability that fails itself is the cause of the open circuits of its users")
    func failingCapability() {
        let findings =
            [finding("Network", .failing(code: "RESET"))] + Shop.remote.prefix(2).map { finding($0, .circuit) }
        let causes = shop.causes(findings)
        #expect(causes.count == 1 && causes[0].hasPrefix("Network fails"), "\(causes)")
    }

    @Test("One failing component is the cause itself, with its circuit and the budgets of its contexts")
    func ownFault() {
        let findings = [
            finding("Remote3", .failing(code: "PARSE")), finding("Remote3", .circuit), finding("Remote3Screen", .slow),
        ]
        #expect(
            shop.causes(findings) == [
                "Remote3 fails: PARSE, 1 circuit opened because of it, 2 contexts are affected"
            ]
        )
    }

    @Test("A slow upstream is one problem, although nothing fails")
    func slowUpstream() {
        let findings = Shop.remote.prefix(6).map { finding($0, .slow) } + [finding("Application", .slow)]
        let expected = "Network is slow: 6 of 7 clients are slow, 7 contexts are affected"
        #expect(shop.causes(findings, shop.times(in: "Network")) == [expected])
    }

    @Test("A single budget that the clients of a slow upstream miss names the upstream")
    func slowBudget() {
        var budget = finding("Remote1", .slow)
        budget.subjects = Shop.remote
        let times = shop.times(in: "Network")
        #expect(shop.causes([budget], times) == ["Network is slow: 7 of 7 clients are slow, 8 contexts are affected"])
        budget.subjects = ["Remote1"]
        #expect(shop.causes([budget], times) == ["Network is slow for Remote1: 2 contexts are affected"])
    }

    @Test("Of a dependency that fails, the clients that are only slow are not counted as failing")
    func failingAndSlow() {
        var failing = finding("Local1", .failing(code: "FULL"))
        failing.root = "Disk"
        let (slow, times) = (Shop.local.map { finding($0, .slow) }, shop.times(in: "Disk"))
        let expected = "Disk fails: FULL, 1 of 3 clients fails, 2 are slow, 4 contexts are affected"
        #expect(shop.causes([failing] + slow, times) == [expected])
        var budget = slow[0]
        budget.subjects = Shop.local
        #expect(shop.causes([failing, budget], times) == [expected], "the budget that all of them miss")
    }

    @Test("A client that computes is named if the budget that it misses follows from the dependency of the others")
    func slowItself() {
        let clients = Shop.local + ["Remote1"]
        var budget = finding("client_action", .slow)
        budget.subjects = clients
        let cause = "Disk is slow: 3 of 3 clients are slow, 4 contexts are affected"
        let folded = shop.fold([budget], shop.times(in: "Disk"))
        let itself = "Remote1 is slow: 2 contexts are affected"
        #expect(folded.filter { $0.cause == nil }.map(\.text) == [cause, itself])
        let own = folded.last
        #expect(own?.key == "cause/Remote1" && own?.kind == .slow && own?.level == .bad)
        #expect(own?.past == "Remote1 was slow: 2 contexts are affected" && own?.component != nil)
        let named = finding("Remote1", .slow)
        #expect(shop.causes([budget, named], shop.times(in: "Disk")) == [named.text, cause], "it has a finding")
        #expect(shop.causes([budget]) == ["4 clients are slow; they share Logger"], "they are one problem together")
    }

    @Test("A context that misses its limit waits for a client that keeps its own; one that computes is named itself")
    func slowContext() throws {
        let nodes = Dictionary(shop.edges.map { ($0.from.name, $0.from) }) { first, _ in first }
        let (screen, client) = (try #require(nodes["Local1Screen"]), try #require(nodes["Local1"]))
        let disk = ComponentDescriptor(kind: .capability, name: "Disk")
        func times(inClient: Double, inDisk: Double) -> CallTimes {
            let (toClient, toDisk) = (
                ComponentDependency(from: screen, to: client), ComponentDependency(from: client, to: disk)
            )
            return CallTimes(
                [toClient: MeasuredCalls(seconds: inClient), toDisk: MeasuredCalls(seconds: inDisk)],
                [screen: MeasuredCalls(seconds: 10), client: MeasuredCalls(seconds: 9)]
            )
        }
        let slow = [finding("Local1Screen", .slow)]
        let deep = shop.causes(slow, times(inClient: 9, inDisk: 8))
        #expect(deep == ["Disk is slow for Local1Screen: 2 contexts are affected"])
        let near = shop.causes(slow, times(inClient: 9, inDisk: 1))
        #expect(near == ["Local1 is slow for Local1Screen: 2 contexts are affected"])
        #expect(shop.causes(slow, times(inClient: 1, inDisk: 1)) == [slow[0].text])
    }

    @Test("What is observed of contexts follows from what held the main actor, if that took half as long")
    func heldMainActor() {
        var held = finding("Local1Screen", .held)
        held.seconds = 0.2
        func observed(_ name: String, _ seconds: Double) -> String? {
            var slow = Problem(
                key: "observation",
                level: .observation,
                kind: .budget,
                component: nil,
                text: "",
                symptom: .slow,
                subjects: [name]
            )
            slow.seconds = seconds
            return shop.fold([held, slow])[1].cause
        }
        #expect(observed("Remote1Screen", 0.39) == held.key)
        #expect(observed("Remote1Screen", 0.41) == nil, "it took longer")
        #expect(observed("Remote1", 0.1) == nil, "clients run elsewhere")
    }

    @Test("Numbers of components are written as English writes them")
    func counted() {
        #expect(CauseFolding.counted(1, "capability") == "1 capability")
        #expect(CauseFolding.counted(2, "capability") == "2 capabilities")
        #expect(CauseFolding.counted(0, "client") == "0 clients")
    }

    @Test("Observations follow from a cause, and make none")
    func observations() {
        func observation(_ name: String) -> Problem {
            let slow = finding(name, .slow)
            return Problem(
                key: "observation/\(name)",
                level: .observation,
                kind: .budget,
                component: nil,
                text: slow.text,
                symptom: .slow,
                subjects: [name]
            )
        }
        let observations = Shop.remote.map(observation)
        let times = shop.times(in: "Network")
        #expect(shop.causes(observations, times) == observations.map(\.text))
        let slow = Shop.remote.prefix(5).map { finding($0, .slow) }
        let folded = shop.fold(observations + slow, times)
        let cause = folded.filter { $0.cause == nil && $0.level == .bad }
        #expect(cause.map(\.text) == ["Network is slow: 5 of 7 clients are slow, 6 contexts are affected"])
        func own(_ folded: [Problem]) -> [String] {
            folded.filter { $0.level == .observation && $0.cause == nil }.flatMap(\.subjects)
        }
        #expect(own(folded) == [], "the calls of the two others were measured too")
        let slower = Set(Shop.remote.suffix(2))
        let measured = shop.fold(observations + slow, shop.times(in: "Network", own: slower))
        #expect(Set(own(measured)) == slower, "of the two that are slow themselves")
    }

    @Test("A capability that does not work in full follows from its own failure, and from one that it depends on")
    func degradation() {
        let degraded = finding("Network", .degraded(isInherited: false))
        #expect(shop.causes([degraded]) == [degraded.text])
        let failing = Shop.remote.map { finding($0, .failing(code: "RESET")) }
        let causes = shop.causes(failing + [degraded])
        #expect(causes == ["Network fails: 7 of 7 clients fail, 8 contexts are affected"])
        let slow = Shop.remote.map { finding($0, .slow) }
        #expect(shop.causes(slow + [degraded], shop.times(in: "Network")).count == 2, "slowness does not explain it")
        let (below, above) = (
            finding("Sockets", .degraded(isInherited: false)), finding("Network", .degraded(isInherited: true))
        )
        #expect(shop.causes([above, below]) == [below.text])
        #expect(shop.causes([degraded, below]) == [degraded.text, below.text], "each has a reason of its own")
        #expect(shop.causes([above]) == [above.text])
    }

    @Test("An inherited level follows from the worst dependency, and of several from the first by name")
    func worstDegradation() {
        func degraded(_ name: String, _ level: ProblemLevel) -> Problem {
            Problem(
                key: name,
                level: level,
                kind: .capability,
                component: nil,
                text: name,
                symptom: .degraded(isInherited: false),
                subjects: [name]
            )
        }
        let above = finding("Local1", .degraded(isInherited: true))
        let (disk, logger) = (degraded("Disk", .warning), degraded("Logger", .bad))
        #expect(shop.fold([above, disk, logger]).first?.cause == "Logger")
        #expect(shop.fold([above, logger, degraded("Disk", .bad)]).first?.cause == "Disk")
    }

    @Test("A circuit that opens again and again is said to flap, also in the sentence of its cause")
    func flapping() {
        let shop = Shop()
        let findings = [finding("Remote3", .failing(code: "PARSE")), finding("Remote3", .flapping)]
        let expected = "Remote3 fails: PARSE, 1 circuit flaps because of it, 2 contexts are affected"
        #expect(shop.causes(findings) == [expected])
        let folded = shop.fold([finding("Remote1", .refusing), finding("Remote1", .flapping)])
        #expect(folded.map(\.cause) == ["Remote1/flapping", nil])
    }

    @Test("Calls that an open circuit refuses follow from the circuit, if nothing else explains both")
    func refusals() {
        let folded = shop.fold([finding("Remote1", .refusing), finding("Remote1", .circuit)])
        #expect(folded.map(\.cause) == ["Remote1/circuit", nil])
        #expect(
            shop.fold([finding("Remote1", .refusing), finding("Remote2", .circuit)]).allSatisfy { $0.cause == nil }
        )
    }

    @Test("A failing capability is not counted among its users, and circuits in shadow mode have not opened")
    func failingCapabilityAndShadows() {
        let users = Shop.local.prefix(1)
        let findings =
            [finding("Disk", .failing(code: "FULL"))] + users.map { finding($0, .failing(code: "FULL")) }
            + users.map { finding($0, .shadowCircuit) }
        let text = "Disk fails: FULL, 1 of 3 clients fails, 1 circuit would open because of it, 4 contexts are affected"
        #expect(shop.causes(findings) == [text])
    }

    @Test("What has no cause among the components stays as it is")
    func unrelated() {
        let findings =
            Shop.remote.prefix(5).map { finding($0, .failing(code: "STATUS")) }
            + [finding("Remote1", .other), finding("Local2", .circuit)]
        #expect(
            shop.causes(findings) == [
                "Remote1 other", "Local2 circuit", "Network fails: 5 of 7 clients fail, 6 contexts are affected",
            ]
        )
    }

    /// Folding loses and invents nothing, whatever is wrong at the same time.
    @Test(
        "Random findings: each is kept once, and each cause that is named exists",
        arguments: 0..<200 as Range<UInt64>
    )
    func conservation(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let names = shop.components.descriptors.map(\.name)
        let symptoms: [Symptom] = [
            .failing(code: "A"), .failing(code: "B"), .circuit, .shadowCircuit, .refusing, .slow, .other,
            .degraded(isInherited: false), .degraded(isInherited: true),
        ]
        var findings: [String: Problem] = [:]
        for _ in 0..<Int.random(in: 2...30, using: &random) {
            let made = finding(names.randomElement(using: &random)!, symptoms.randomElement(using: &random)!)
            findings[made.key] = made
        }
        let sorted = findings.values.sorted { $0.key < $1.key }
        let times = [CallTimes(), shop.times(in: "Network"), shop.times(in: "Logger")].randomElement(using: &random)!
        let folded = shop.fold(sorted, times)
        #expect(folded.prefix(sorted.count).map(\.key) == sorted.map(\.key))
        let causes = Set(folded.dropFirst(sorted.count).map(\.key))
        #expect(causes.count == folded.count - sorted.count)
        #expect(causes.isSubset(of: Set(folded.compactMap(\.cause))), "a cause has symptoms")
        let isCause = Set(folded.filter { $0.cause == nil }.map(\.key))
        #expect(Set(folded.compactMap(\.cause)).isSubset(of: isCause), "a symptom's cause is there, and is no symptom")
    }
}
#endif
