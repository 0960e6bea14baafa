// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the compiler says with the plug-in that was built for this test.
@Suite("Misuses in the compiler", .timeLimit(.minutes(10)))
struct MisuseTests {
    /// Correct declarations that the misuses use.
    private static let header = """
        import AxiomMacros; import Observation; import AxiomNavigation
        @AxiomAction enum Go { case go, `default` }
        @AxiomState struct S { var a = 1 }; @AxiomState struct T { var a = 1 }
        extension S { static func make() -> S { S() } }
        @AxiomCapability actor Net {}
        @AxiomClient(S(a: 2)) actor Other { func process(_ action: Go) async throws { store.update { $0.a = 1 } } }
        """

    /// A line each, with the only diagnostic that it leads to.
    // swift-format-ignore
    private static let misuses: [(line: String, id: String)] = [
        ("@AxiomState final class A1 { var a = 1 }", "state-reference"),
        ("@AxiomState struct A2 { var a: @Sendable () -> Int }", "state-reference"),
        ("@AxiomState public struct A3 { var a = [1] }", "state-member"),
        ("@AxiomAction struct B1 {}", "action-not-enum"),
        ("@AxiomAction final class B2 {}", "action-reference"),
        (#"@AxiomAction enum B3 { case a; static let caseNames = ["b"] }"#, "case-names-mismatch"),
        ("@AxiomCapability struct C1 {}", "capability-not-actor"),
        ("@AxiomCapability actor C2 { @Client let a: ClientOf<Other> }", "capability-reaches-up"),
        ("@AxiomCapability actor C3 { @Capability let a: Net }", "dependency-type"),
        ("@AxiomCapability actor C4 { let a: Int }", "property-not-initialized"),
        (
            "@AxiomCapability actor C5 { init(_ scope: borrowing CapabilityScope, _ id: ComponentIdentity) { identity = id } }",
            "identity-not-stored"
        ),
        ("@AxiomCapability actor C6 { @Capability static let a = 1 }", "marker-misplaced"),
        ("@AxiomClient struct D1 { func process(_ action: Go) async throws {} }", "client-not-actor"),
        (
            "@AxiomClient actor D2 { @Client let a: ClientOf<Other>; func process(_ action: Go) {} }",
            "client-holds-client"
        ),
        (
            "@AxiomClient actor D3 { let a: Orchestrator; func process(_ action: Go) async throws {} }",
            "client-reaches-up"
        ),
        ("@AxiomClient(S.self, T.self) actor D4 { func process(_ action: Go) async throws {} }", "client-two-states"),
        ("@AxiomClient(S.self) actor D5 {}", "client-process-missing"),
        ("@AxiomContext @Observable final class E1 {}", "main-actor-missing"),
        ("@AxiomContext @MainActor final class E2 {}", "observable-missing"),
        ("@AxiomContext @Observable @MainActor class E3 {}", "final-missing"),
        ("@AxiomContext @MainActor struct E4 {}", "context-not-class"),
        (
            "@AxiomContext @Observable @MainActor final class E5 { @Capability let a: CapabilityRef<Net> }",
            "context-uses-capability"
        ),
        ("@AxiomContext @Observable @MainActor final class E6 { @Client let a: Other }", "dependency-type"),
        (
            #"@AxiomContext @Observable @MainActor final class E7 { @Observes(Other.self, \.a) var a = 1 }"#,
            "observes-unknown-client"
        ),
        ("struct F { @Downstream var a: Int }", "marker-misplaced"),
        (
            #"@ValidateRoutes enum R: Route { case a, b; var identifier: String { switch self { case .a: "x"; case .b: "x" } }; static var samples: [R] { [.a, .b] } }"#,
            "route-duplicate"
        ),
        ("@AxiomState enum A4 { case a(() -> Void) }", "state-reference"),
        ("@AxiomState struct A5: ~Copyable { var a: Int }", "value-form"),
        ("@AxiomState public struct A6 { struct I: Hashable {}; var a: I = I() }", "state-member"),
        ("@AxiomState public struct A7 { static let l = 3; public var a: Int = l }", "state-member"),
        ("@AxiomAction @MainActor enum B5 { case a }", "value-form"),
        ("@AxiomAction enum B6 { case caseNames, a }", "name-taken"),
        ("@AxiomAction enum B7 { case a(b: Int), a(c: Int) }", "name-taken"),
        ("@AxiomAction enum B8 { case a; enum Swift { case x } }", "name-taken"),
        ("@AxiomCapability actor C7 { let identity = 1 }", "name-taken"),
        ("@AxiomCapability public actor C8 { func initialize() async throws {} }", "member-access"),
        ("@AxiomCapability actor C9 { @Capability let a: CapabilityRef<Net>? = nil }", "marker-misplaced"),
        ("@AxiomCapability actor C10 { @Capability @Capability let a: CapabilityRef<Net> }", "marker-misplaced"),
        ("@AxiomCapability actor C11 { @Capability func a() {} }", "marker-misplaced"),
        ("@AxiomCapability actor C12 { var a: Optional<Int> }", "property-not-initialized"),
        ("@AxiomClient(S.self) actor D6 { func process(action: Go) async throws {} }", "client-process-form"),
        ("@AxiomClient(S.self) actor D7 { static func process(_ action: Go) async throws {} }", "client-process-form"),
        ("@AxiomClient(S.self) actor D8 { private func process(_ action: Go) async throws {} }", "member-access"),
        ("@AxiomClient(S.self) actor D9 { func store() {}; func process(_ action: Go) async throws {} }", "name-taken"),
        ("@AxiomClient(S.make()) actor D10 { func process(_ action: Go) async throws {} }", "client-state-argument"),
        (
            "@AxiomClient(S.self) actor D11 { struct Axiom {}; func process(_ action: Go) async throws {} }",
            "name-taken"
        ),
        ("@AxiomContext @Observable @MainActor open class E8 {}", "final-missing"),
        ("@AxiomContext @MainActor enum E9 {}", "context-not-class"),
        ("@AxiomContext @Observable @MainActor final class E10 { private func onAppear() {} }", "member-access"),
        ("@AxiomContext @Observable @MainActor final class E11 { var identity: Int { 1 } }", "name-taken"),
        (
            "@AxiomContext @Observable @MainActor final class E12 { @Client @Downstream let a: ClientOf<Other> }",
            "marker-misplaced"
        ),
        (
            "@AxiomContext @Observable @MainActor final class E13 { @Client let a: ClientOf<Other>; @Observes(Other.self) func b(_ s: inout S) {} }",
            "observes-form"
        ),
    ]

    /// What the fix-its make of misuses, and declarations that look unusual and are correct.
    // swift-format-ignore
    private static let correct = [
        "@AxiomState struct A1 { var a = 1 }",
        #"@AxiomAction enum B3 { case a; static let caseNames = ["a"] }"#,
        "@AxiomCapability actor C1 {}", "@AxiomCapability actor C3 { @Capability let a: CapabilityRef<Net> }",
        "@AxiomCapability actor C4 { let a: Int; init(_ scope: borrowing CapabilityScope) { identity = scope.identity; a = 1 } }",
        "@AxiomCapability public actor C8 { public func initialize() async throws {} }",
        "@AxiomClient actor D1 { func process(_ action: Go) async throws {} }",
        "@AxiomClient(S.self) actor D6 { func process(_ action: Go) async throws {} }",
        "@AxiomClient(S.init(a: 4)) actor D7 { @Capability let scope: CapabilityRef<Net>; func process(_ action: Go) async throws {} }",
        "@AxiomClient(G<Int>(a: 4)) private actor D8 { func process(_ action: Go) async throws {}; func process(_ other: String) {} }",
        "@AxiomState fileprivate struct G<A: Hashable & Sendable> { var a: A }",
        "@AxiomClient(S.self) actor D9 { func store(_ a: Int) {}; static let state = 1; nonisolated func process(_ action: Go) async throws {} }",
        "@AxiomContext @Observable @MainActor final class E1 {}", "@AxiomContext @MainActor @Observable final class E2 {}",
        "@AxiomContext @Observable @MainActor public final class E8 {}",
        "@AxiomCapability actor C5 { init(_ scope: borrowing CapabilityScope) { let id = scope.identity; identity = id } }",
        "@AxiomContext @Observable @MainActor final class E9 { private func handle(error: any Error) {}; private func onAppear(_ a: Int) {} }",
        "@AxiomContext @Observable @MainActor final class E6 { @Client let a: ClientOf<Other>; @Observes(Other.self) func b(_ s: S) -> Int { 1 } }",
        #"@AxiomContext @Observable @MainActor private final class E7 { func onAppear() async throws { observeClients() }; @Client private var a: ClientOf<Misuses.Other>; @Observes(Misuses.Other.self, \.a) var b = 1 }"#,
        "enum N<T: Sendable> { @AxiomAction enum A { case a(T), `self` }; @AxiomState public struct S { public let a: Int; private var b = 1 } }",
        #"@ValidateRoutes public enum R1: Route { case `default`(Int); public var identifier: String { "a" }; public static let samples: [R1] = [.default(1)] }"#,
        #"@ValidateRoutes enum R2: Route { case a; var identifier: String { "a" }; static let samples: [R2] = [.a]; static func validateRoutes() throws {} }"#,
        "enum Film { struct Actor: Hashable {}; @AxiomState struct Cast { var cast: [Actor] } }",
        "enum Disk { struct Progress: Hashable {}; struct FileHandle: Hashable {} }",
        "@AxiomState struct Copying { var progress: [Disk.Progress]; var from: Disk.FileHandle? }",
        "@AxiomState struct Kettle { struct Timer: Hashable {}; enum Process: Hashable { case boil }; var timer = Timer(); var last: Process? }",
        "@AxiomState struct Files { enum FileHandle: Hashable { case open }; var first: FileHandle; var second: Self.FileHandle? }",
        "enum Work { struct Thread: Hashable {}; @AxiomAction enum Act { case start(Thread), stop(Disk.FileHandle) } }",
    ]

    @Test("Each leads to one diagnostic, with its name (TL-M2 to TL-M8)")
    func misuses() throws {
        let output = try compile(([Self.header] + Self.misuses.map(\.line)).joined(separator: "\n"))
        let first = Self.header.split(separator: "\n").count + 1
        var found: [Int: [String]] = [:]
        for match in output.matches(of: /Misuses\.swift:(\d+):\d+: (?:error|warning): (.*)/) {
            let id = match.2.firstMatch(of: /\[([a-z-]+)\]/).map { String($0.1) }
            found[Int(match.1) ?? 0, default: []].append(id ?? String(match.2))
        }
        for (index, misuse) in Self.misuses.enumerated() {
            #expect(found.removeValue(forKey: first + index) == [misuse.id], "\(misuse.line)")
        }
        #expect(found.isEmpty)
    }

    @Test("Correct declarations lead to none")
    func correct() throws {
        let output = try compile(([Self.header] + Self.correct).joined(separator: "\n"))
        #expect(output.isEmpty, "\(output)")
    }

    /// Types of an application that have the names of types which macros use.
    private static let namesakes = [
        "Action", "Component", "ComponentIdentity", "Context", "OwnedState", "StateStore", "StateStream",
        "StatelessClient",
        "CapabilityScope", "ClientScope", "ContextScope", "RouteValidator",
        "Array", "Bool", "Double", "Error", "Hashable", "Int", "Never", "Optional", "Sendable", "Equatable", "String",
        "Void",
    ]

    /// Components of that application. They name what they mean with its module.
    private static let amongNamesakes = """
        @AxiomState public struct Basket { public var count = 1, price = 1.5, note = "", isOpen = true }
        @AxiomAction enum Go { case go, stop(Swift.Int) }
        @AxiomAction enum Typed<T: Swift.Sendable> { case go(T), stop }
        @AxiomAction enum Conditional {
            case go
            #if DEBUG
            case stop
            #endif
        }
        @AxiomCapability actor Net {}
        @AxiomClient(Basket.self) actor Stateful {
            @AxiomMacros.Capability let net: CapabilityRef<Net>
            func process(_ action: Go) async throws { store.update { $0.count += 1 } }
        }
        @AxiomClient actor Stateless { func process(_ action: Go) async throws {} }
        @ValidateRoutes enum Way: AxiomNavigation.Route {
            case home
            var identifier: Swift.String { "home" }
            static let samples: [Way] = [.home]
        }
        enum Nested {
            struct Int {}
            struct String {}
            @AxiomAction enum Inner {
                case go
                struct Int {}
            }
            @AxiomClient(Basket.self) actor Client {
                struct StateStore {}
                func process(_ action: Go) async throws { store.update { $0.count += 1 } }
            }
        }
        """

    private static let contextAmongNamesakes = #"""
        @AxiomContext @Observable @MainActor final class Screen {
            @AxiomMacros.Client let basket: ClientOf<Stateful>
            @Observes(Stateful.self, \.count) var count = 1
        }
        """#

    @Test("Types of the application that have the names of Axiom's and Swift's types change no expansion")
    func namesakes() throws {
        func check(_ names: [String], _ text: String) throws {
            let types = names.map { "struct \($0) {}\n" }.joined()
            let imports = "import AxiomMacros; import Observation; import AxiomNavigation\n"
            let output = try compile(imports + types + text)
            #expect(output.isEmpty, "\(output)")
        }
        let names = Self.namesakes + ["Capability", "Client"]
        try check(names, Self.amongNamesakes)
        // What `@Observable` writes names these two itself.
        let observed = names.filter { !["Bool", "Equatable"].contains($0) }
        try check(observed, Self.amongNamesakes + "\n" + Self.contextAmongNamesakes)
        try check([], Self.amongNamesakes + "\n" + Self.contextAmongNamesakes)
    }

    @Test("Cases that are unavailable or deprecated lead to no error and to no warning")
    func availability() throws {
        let actions = """
            @AxiomAction enum Availability {
                case now, `default`
                @available(*, unavailable) case never
                @available(*, unavailable, message: "Use now") case neither(Int), nor
                @available(*, deprecated, renamed: "now") case once(Int)
                @available(macOS, unavailable) case elsewhere
                @available(swift, obsoleted: 5) case before
                @available(swift, introduced: 99) case later
            }
            @available(*, deprecated) @AxiomAction enum Old { case a, b }
            @AxiomAction enum Conditional {
                case now
                #if !DEBUG
                @available(*, unavailable) case never
                @available(*, deprecated) case once
                #endif
            }
            """
        let output = try compile(Self.header + "\n" + actions)
        #expect(output.isEmpty, "\(output)")
    }

    // MARK: - Compiler

    /// Type-checks a file with the modules and the plug-in of this build. Returns what the compiler prints.
    private func compile(_ source: String) throws -> String {
        let build = try #require(Self.build)
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, text) = (folder.appending(path: "Misuses.swift"), folder.appending(path: "output"))
        try Data(source.utf8).write(to: file)
        try Data().write(to: text)
        let compiler = Process()
        compiler.executableURL = URL(filePath: "/usr/bin/env")
        var arguments = ["swiftc", "-typecheck", "-swift-version", "6", "-module-name", "Misuses", "-parse-as-library"]
        arguments += ["-load-plugin-executable", "\(build.path)/AxiomMacroPlugin-tool#AxiomMacroPlugin"]
        arguments += ["-I", "\(build.path)/Modules"]
        for map in Self.moduleMaps { arguments += ["-Xcc", "-fmodule-map-file=\(map)"] }
        compiler.arguments = arguments + [file.path]
        let handle = try FileHandle(forWritingTo: text)
        compiler.standardOutput = handle
        compiler.standardError = handle
        try compiler.run()
        compiler.waitUntilExit()
        return try String(contentsOf: text, encoding: .utf8)
    }

    /// The folder of the products: that above the running test which holds the module of the framework.
    private static var build: URL? {
        let running = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        for path in [running] + CommandLine.arguments {
            var folder = URL(filePath: path).deletingLastPathComponent()
            while folder.pathComponents.count > 1 {
                let module = folder.appending(path: "Modules/Axiom.swiftmodule")
                if FileManager.default.fileExists(atPath: module.path) { return folder }
                folder.deleteLastPathComponent()
            }
        }
        return nil
    }

    /// The module maps of the C modules, of the build and of the system.
    private static var moduleMaps: [String] {
        let sources = URL(filePath: #filePath).appending(path: "../../../../../Sources").standardized
        var folders = ["CSQLite", "CZlib", "CNettle", "CMicrohttpd"].map { sources.appending(path: $0) }
        if let build { folders.append(build.appending(path: "CAxiomSupport.build")) }
        let maps = folders.map { $0.appending(path: "module.modulemap").path }
        return maps.filter { FileManager.default.fileExists(atPath: $0) }
    }
}
