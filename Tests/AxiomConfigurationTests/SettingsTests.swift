// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomConfiguration
import AxiomTestSupport
import Configuration
import Foundation
import Testing

@MainActor
@Suite("Settings that are read from sources", .timeLimit(.minutes(10)))
struct SettingsTests {
    @Test("The first source that has a setting decides, and the report names it (CFG-01, ORC-15)")
    func order() async throws {
        let app = try ConfiguredApp()
        try app.replace(#"{"http": {"timeout": 7, "retries": 1}, "mode": "fast", "hosts": ["a", "b"], "traced": true}"#)
        let configuration = app.configuration([
            .arguments(["shop", "--http-retries", "9"]),
            .environment(["SHOP_HTTP_RETRIES": "8", "SHOP_HTTP_TIMEOUT": "6.5", "HTTP_TIMEOUT": "1"], prefix: "shop"),
            .file(app.path),
        ])
        try await configuration.load()
        try await app.orchestrator.start()
        let settings = try #require(app.applied.all.last)
        #expect(settings.retries == 9 && settings.timeout == 6.5 && settings.mode == .fast)
        #expect(settings.hosts == ["a", "b"] && settings.isTraced)
        let sources = Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key, $0) })
        #expect(sources["http.retries"]?.source == "the arguments" && sources["http.retries"]?.value == "9")
        #expect(sources["http.timeout"]?.source == "the environment")
        #expect(sources["mode"]?.source == "the file \(app.path)")
        #expect(sources["http.token"]?.source == nil)
        await app.orchestrator.shutdown()
    }

    @Test("Without variables of its own, a source reads the environment of the process (CFG-01)")
    func processEnvironment() async throws {
        struct Home: ReadableSettings {
            let path: String
            init(from reader: SettingsReader) { path = reader[SettingKey("home", fallback: "", isRequired: true)] }
        }
        let home = try #require(ProcessInfo.processInfo.environment["HOME"])
        let configuration = AppConfiguration(try ConfiguredApp().orchestrator, [.environment()])
        configuration.bind(Needy<Home>.self)
        try await configuration.load()
        #expect(configuration.settings.map(\.value) == [home])
        #expect(configuration.settings.map(\.source) == ["the environment"])
        let prefixed = AppConfiguration(try ConfiguredApp().orchestrator, [.environment(prefix: "axiom-tests")])
        prefixed.bind(Needy<Home>.self)
        let error = await #expect(throws: ConfigurationError.self) { try await prefixed.load() }
        #expect(error?.message.contains("home is missing; it must be text") == true)
    }

    @Test("All faults are one error: each names key, value, source and what is allowed (CFG-01)")
    func problems() async throws {
        let app = try ConfiguredApp()
        try app.replace(#"{"http": {"timeout": 0, "retries": "many"}, "mode": "wild", "traced": "?"}"#)
        let configuration = app.configuration([.environment(["HTTP_TOKEN": "abc"]), .file(app.path)])
        let error = await #expect(throws: ConfigurationError.self) { try await configuration.load() }
        #expect(error?.code == .invalidSettings)
        let message = try #require(error?.message)
        let file = "in the file \(app.path)"
        for part in [
            "http.timeout is \"0\" \(file), but must be a number from 0.1 to 60.0",
            "http.retries is \"many\" \(file), but must be a whole number from 0 to 10",
            "http.token is <redacted> in the environment, but must be at least 4 characters",
            "mode is \"wild\" \(file), but must be one of fast, safe",
            "traced is \"?\" \(file), but must be true or false",
        ] {
            #expect(message.contains(part), "\(message)")
        }
        #expect(configuration.generation == 0 && configuration.settings.isEmpty)
    }

    @Test("A program reads its own settings without an orchestrator, with the same sources and errors")
    func ofTheProgram() async throws {
        let app = try ConfiguredApp(file: "app.yaml")
        try app.replace("http: {timeout: 7}\nmode: fast\n")
        let environment = ConfigurationSource.environment(["SHOP_HTTP_TIMEOUT": "8"], prefix: "shop")
        let sources = [environment, .file(app.path)]
        let settings = try await Server.Settings.read(from: sources)
        #expect(settings.timeout == 8 && settings.mode == .fast && settings.retries == 3)
        try app.replace("http: {timeout: 7, retries: many}\nmode: wild\n")
        let wrong = await #expect(throws: ConfigurationError.self) { try await Server.Settings.read(from: sources) }
        #expect(wrong?.code == .invalidSettings)
        for key in ["http.retries", "mode"] { #expect(wrong?.message.contains("\(key) is") == true) }
        try app.replace("http: [\n")
        let broken = await #expect(throws: ConfigurationError.self) { try await Server.Settings.read(from: sources) }
        #expect(broken?.code == .configurationUnreadable && broken?.message.contains(app.path) == true)
    }

    @Test("A setting that is required and missing is named")
    func required() async throws {
        struct Key: ReadableSettings {
            let port: Int
            init(from reader: SettingsReader) { port = reader[SettingKey("port", fallback: 0, isRequired: true)] }
        }
        let provider = InMemoryProvider(values: ["other": 1])
        let app = try ConfiguredApp()
        let configuration = AppConfiguration(app.orchestrator, [.provider(provider)])
        configuration.bind(Needy<Key>.self)
        let error = await #expect(throws: ConfigurationError.self) { try await configuration.load() }
        #expect(error?.message.contains("port is missing; it must be a whole number") == true)
    }

    @Test("A secret is in no report, no error and no description of the settings (CFG-01)")
    func secrets() async throws {
        let app = try ConfiguredApp()
        let secret = "hunter2-hunter2"
        try app.replace(#"{"http": {"token": "\#(secret)"}}"#)
        let configuration = app.configuration()
        try await configuration.load()
        try await app.orchestrator.start()
        let settings = try #require(app.applied.all.last)
        #expect(settings.token == secret)
        var shown = "\(settings)" + "\(configuration.settings)"
        dump(settings, to: &shown)
        for (file, text) in [
            ("a.json", #"{"http": {"token": \#(secret)}}"#), ("a.yaml", "http:\n  token: [\"\(secret)\n x: *\(secret)"),
            ("b.yaml", "a: &x\n\(secret): *unknown-\(secret)\n\t\(secret)"),
        ] {
            let other = try ConfiguredApp(file: file)
            try other.replace(text)
            let error = await #expect(throws: ConfigurationError.self) { try await other.configuration().load() }
            #expect(error?.code == .configurationUnreadable)
            shown += error?.message ?? ""
            shown += "\(error?.cause.map { "\($0)" } ?? "")"
        }
        #expect(!shown.contains("hunter2"), "\(shown)")
        #expect(shown.contains("<redacted>"))
        await app.orchestrator.shutdown()
    }

    @Test("A YAML file is read like a JSON file; an empty one has no settings (ORC-15)")
    func yaml() async throws {
        let app = try ConfiguredApp(file: "app.yaml")
        let configuration = try await app.start("http:\n  timeout: 2.5\nmode: fast\nflags:\n  grid: 30%\n")
        #expect(app.applied.all.last?.timeout == 2.5)
        #expect(app.orchestrator.flags.evaluate(FeatureFlag("grid", fallback: false), for: "x").reason == .split)
        try app.replace("\n")
        #expect(await configuration.reload() == .applied)
        #expect(app.applied.all.last == Server.Settings())
        await app.orchestrator.shutdown()
    }

    @Test(
        "A document that is absent or null has no settings",
        arguments: [
            "", "\n \t\n", "# only a comment\n", "---\n# later\n", "---\n...\n", "%YAML 1.2\n---\n", "~",
            "null # none\n",
            "--- null\n", "\u{FEFF}# comment\r\n\t# more\r\n",
        ]
    )
    func emptyYAML(text: String) async throws {
        for isOptional in [false, true] {
            let app = try ConfiguredApp(file: "app.yaml")
            try app.replace(text)
            let configuration = app.configuration([.file(app.path, isOptional: isOptional)])
            try await configuration.load()
            #expect(configuration.generation == 1 && configuration.settings.allSatisfy { $0.source == nil })
        }
    }

    @Test("A JSON file without content has no settings, and one with another document is refused")
    func emptyJSON() async throws {
        for text in ["", " \n", "null", "\u{FEFF}\n"] {
            let app = try ConfiguredApp()
            try app.replace(text)
            let configuration = app.configuration()
            try await configuration.load()
            #expect(configuration.generation == 1)
        }
        for (file, text) in [("a.json", "nul"), ("a.json", "# no comment"), ("a.yaml", "- 1"), ("a.yaml", "~\nx: [")] {
            let app = try ConfiguredApp(file: file)
            try app.replace(text)
            await #expect(throws: ConfigurationError.self) { try await app.configuration().load() }
        }
    }

    @Test("A text in the arguments is taken as it was given, and a list is split at commas")
    func commas() async throws {
        struct Texts: ReadableSettings {
            let motto: String
            let hosts: [String]
            init(from reader: SettingsReader) {
                motto = reader[SettingKey("shop.motto", fallback: "")]
                hosts = reader[SettingKey("hosts", fallback: [])]
            }
        }
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        let pieces = [",", " ", "tea", "coffee", "=", "é", "\"", ", "]
        for _ in 0..<200 {
            let motto = (0..<generator.index(below: 6)).map { _ in pieces[generator.index(below: pieces.count)] }
                .joined()
            let arguments = ["shop", "--shop-motto=\(motto)", "--hosts", "a,b", "--flags-words", "x,y"]
            let orchestrator = try ConfiguredApp().orchestrator
            let configuration = AppConfiguration(orchestrator, [.arguments(arguments)])
            configuration.bind(Needy<Texts>.self)
            try await configuration.load()
            let values = Dictionary(uniqueKeysWithValues: configuration.settings.map { ($0.key, $0.value) })
            #expect(values["shop.motto"] == motto && values["hosts"] == #"["a", "b"]"#, "seed \(seed)")
            #expect(orchestrator.flags[FeatureFlag("words", fallback: "")] == "x,y")
        }
        let configuration = AppConfiguration(
            try ConfiguredApp().orchestrator,
            [.arguments(["shop", "--shop-motto", "tea, coffee"])]
        )
        configuration.bind(Needy<Texts>.self)
        try await configuration.load()
        #expect(configuration.settings.contains { $0.key == "shop.motto" && $0.value == "tea, coffee" })
    }

    @Test("No random file stops the reader: it is read or refused", arguments: ["app.json", "app.yaml"])
    func randomFiles(name: String) async throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "http", "timeout", "mode", " ", "\n", "- ", "null", "true", "1e999",
            "-",
            "\u{0}", "é", "#", "&a", "*a", "!!int", "|", "0x1F", "99999999999999999999", "{\"mode\": \"fast\"}",
        ]
        for _ in 0..<200 {
            let app = try ConfiguredApp(file: name)
            let count = generator.index(below: 24)
            try app.replace((0..<count).map { _ in pieces[generator.index(below: pieces.count)] }.joined())
            let configuration = app.configuration()
            do {
                try await configuration.load()
                #expect(configuration.generation == 1)
            } catch {
                #expect(error is ConfigurationError && configuration.generation == 0)
            }
        }
    }

    @Test("Arguments behind -- are not settings")
    func positional() async throws {
        let app = try ConfiguredApp()
        let arguments = ["shop", "--mode", "fast", "--", "--mode", "slow", "--http-retries", "no number"]
        let configuration = app.configuration([.arguments(arguments)])
        try await configuration.load()
        #expect(configuration.settings.filter { $0.source != nil }.map(\.key) == ["mode"])
    }

    @Test("An empty list in the environment and in the arguments has no elements")
    func emptyList() async throws {
        let key = SettingKey("hosts", fallback: ["fallback"])
        struct Hosts: ReadableSettings {
            let hosts: [String]
            init(from reader: SettingsReader) { hosts = reader[SettingKey("hosts", fallback: ["fallback"])] }
        }
        #expect(key.fallback == ["fallback"])
        for source in [ConfigurationSource.environment(["HOSTS": ""]), .arguments(["shop", "--hosts="])] {
            let app = try ConfiguredApp()
            app.orchestrator.register(Needy<Hosts>.self) { Needy<Hosts>($0) }
            let configuration = AppConfiguration(app.orchestrator, [source])
            configuration.bind(Needy<Hosts>.self)
            try await configuration.load()
            #expect(configuration.settings.map(\.value) == ["[]"])
        }
    }

    @Test("A merge key of YAML is refused: its settings would be left out")
    func mergeKeys() async throws {
        for text in [
            "a: &a {retries: 7}\nhttp:\n  <<: *a\n  timeout: 3\n", "http: {<<: {retries: 2}}", "<<: {mode: fast}\n",
            "a: &a {mode: fast}\r\n<<: [*a]\r\n", "http: {timeout: 3, << : {retries: 2}}",
        ] {
            let app = try ConfiguredApp(file: "app.yaml")
            try app.replace(text)
            let error = await #expect(throws: ConfigurationError.self) { try await app.configuration().load() }
            #expect(error?.message.contains("merge key") == true, "\(String(describing: error))")
        }
        for text in [
            "a: &a {retries: 7}\nhttp: *a\ntext: \"a << b\"\n", "# - <<: no key\nmode: fast\n", "text: '\n  <<: x'\n",
            "text: |\n  <<: *none\n", "\"<<\": {mode: fast}\n", "text: a\n  <<\n",
        ] {
            let app = try ConfiguredApp(file: "app.yaml")
            try app.replace(text)
            try await app.configuration().load()
        }
    }

    @Test(
        "The text of a text flag may look like a share; with VALUE@ it is one",
        arguments: ["150%", "20%", "-3%", "100%", "0%"]
    )
    func shareAsText(text: String) async throws {
        let app = try ConfiguredApp()
        try app.replace(#"{"flags": {"zoom": "\#(text)", "part": "wide@\#(text)", "size": "\#(text)"}}"#)
        let configuration = app.configuration()
        try await configuration.load()
        let flags = app.orchestrator.flags
        for subject in [nil, "a", "b"] {
            let zoom = flags.evaluate(FeatureFlag("zoom", fallback: "none"), for: subject)
            #expect(zoom.value == text && zoom.reason == .static)
        }
        let isShare = ["20%", "100%", "0%"].contains(text)
        #expect(
            flags.evaluate(FeatureFlag("part", fallback: "none"), for: "a").reason == (isShare ? .split : .error)
        )
        #expect(flags.evaluate(FeatureFlag("size", fallback: false), for: "a").reason == (isShare ? .split : .error))
        #expect(flags.evaluate(FeatureFlag("size", fallback: 1), for: "a").reason == .error)
    }

    @Test("A null of YAML is no value, and quoted it is text")
    func yamlNull() async throws {
        struct Texts: ReadableSettings {
            let texts: [String]
            let hosts: [String]
            init(from reader: SettingsReader) {
                texts = (1...5).map { reader[SettingKey("texts.t\($0)", fallback: "none")] }
                hosts = reader[SettingKey("hosts", fallback: ["none"])]
            }
        }
        for (text, expected) in [
            ("t1: ~\n  t2: null\n  t3: Null\n  t4: NULL\n  t5:", Array(repeating: "none", count: 5)),
            ("t1: \"~\"\n  t2: 'null'\n  t3: !!str ~\n  t4: \"\"\n  t5: nulls", ["~", "null", "~", "", "nulls"]),
        ] {
            let orchestrator = try ConfiguredApp().orchestrator
            let app = try ConfiguredApp(file: "app.yaml")
            try app.replace("texts:\n  \(text)\nhosts: ~\nflags:\n  a: ~\n  b: \"~\"\n")
            let configuration = AppConfiguration(orchestrator, [.file(app.path)])
            configuration.bind(Needy<Texts>.self)
            try await configuration.load()
            let values = configuration.settings.filter { $0.key.hasPrefix("texts.") }.map(\.value)
            #expect(values == expected, "\(text)")
            #expect(configuration.settings.last?.source == nil)
            #expect(orchestrator.flags[FeatureFlag("a", fallback: "none")] == "none")
            #expect(orchestrator.flags[FeatureFlag("b", fallback: "none")] == "~")
        }
    }

    @Test("Aliases that repeat aliases are refused soon")
    func repeatedAliases() async throws {
        let app = try ConfiguredApp(file: "app.yaml")
        let lines = (1..<12).map { level in
            "a\(level): &a\(level) {" + (0..<10).map { "k\($0): *a\(level - 1)" }.joined(separator: ", ") + "}\n"
        }
        try app.replace("a0: &a0 {x: 1}\n" + lines.joined())
        let error = await #expect(throws: ConfigurationError.self) { try await app.configuration().load() }
        #expect(error?.message.contains("more than 1000000 values") == true, "\(error?.message ?? "")")
    }

    @Test(
        "A null in a list of YAML is refused with the name of the list, and a required setting that is null is missing"
    )
    func yamlNullInList() async throws {
        let app = try ConfiguredApp(file: "app.yaml")
        try app.replace("http: {proxies: [a, ~]}\n")
        let error = await #expect(throws: ConfigurationError.self) { try await app.configuration().load() }
        #expect(error?.message.contains("http.proxies has an entry without a value") == true, "\(error?.message ?? "")")
        struct Needed: ReadableSettings {
            let text: String
            init(from reader: SettingsReader) { text = reader[SettingKey("text", fallback: "", isRequired: true)] }
        }
        try app.replace("text: ~\n")
        let configuration = AppConfiguration(app.orchestrator, [.file(app.path)])
        configuration.bind(Needy<Needed>.self)
        let missing = await #expect(throws: ConfigurationError.self) { try await configuration.load() }
        #expect(missing?.message.contains("text is missing") == true)
    }

    @Test("A path that leads to no file is missing; one that cannot be looked at, or is no regular file, is an error")
    func unusualFiles() async throws {
        let app = try ConfiguredApp(file: "app.yaml")
        let (loop, pipe) = (app.path + ".loop", app.path + ".pipe")
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: loop)
        #expect(mkfifo(pipe, 0o600) == 0)
        for (path, words) in [
            (loop, "symbolic links"), (pipe, "no regular file"), (app.folder.path, "no regular file"),
        ] {
            let configuration = app.configuration([.file(path, isOptional: true)])
            let error = await #expect(throws: ConfigurationError.self) { try await configuration.load() }
            #expect(error?.message.contains(words) == true, "\(String(describing: error))")
        }
    }

    @Test("A missing file is an error, except for an optional one")
    func missing() async throws {
        let app = try ConfiguredApp()
        let error = await #expect(throws: ConfigurationError.self) { try await app.configuration().load() }
        #expect(error?.message.contains("it does not exist") == true)
        let configuration = app.configuration([.file(app.path, isOptional: true)])
        try await configuration.load()
        try app.replace(#"{"mode": "fast"}"#)
        #expect(await configuration.reload() == .applied)
        #expect(configuration.settings.contains { $0.key == "mode" && $0.value == "fast" })
    }
}

private actor Needy<Settings: ReadableSettings>: Configurable {
    nonisolated let identity: ComponentIdentity
    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
    func configure(_ settings: Settings) {}
}
