// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax
internal import Dispatch
internal import Foundation
internal import Synchronization

/// Judges the files of a project, with facts of earlier runs where contents are the same.
package struct ProjectRun: Sendable {
    package let configuration: Configuration
    /// All rules that exist.
    package let catalogue: [Rule]
    /// How many files are read at a time. Does not change the result.
    package let threads: Int
    private let settings: VerifierConfiguration
    /// Whether all files of the project are judged.
    package var isWhole: Bool { settings.environment.isWhole }
    private let root: String?
    private let modules: ModuleMap
    private let cache: FactsCache?

    /// - Parameters:
    ///   - isWhole: Whether all files of the project are judged. Rules that miss something are silent otherwise.
    ///   - root: The folder of the package. If the configuration has layers, unknown imports are found too.
    ///   - cache: The folder for facts; nil for none.
    ///   - onCacheFault: Receives a line if the cache cannot be written, once.
    package init(
        _ configuration: Configuration,
        catalogue: [Rule] = RuleCatalog.all,
        modules: ModuleMap = ModuleMap(),
        isWhole: Bool = true,
        root: String? = nil,
        threads: Int = 1,
        cache: String? = nil,
        onCacheFault: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.catalogue = catalogue
        self.modules = modules
        self.threads = max(1, threads)
        var settings = Self.verifierConfiguration(configuration)
        settings.environment.isWhole = isWhole
        self.settings = settings
        self.root = root
        self.cache = cache.flatMap { FactsCache(root: $0, key: Self.key(modules), onFault: onCacheFault) }
    }

    /// The names of all rules.
    package var known: Set<String> { Set(catalogue.map(\.id.rawValue)) }

    /// Judges files, without a baseline.
    package func judge(_ files: [SourceText]) -> ProjectVerdict {
        var verdict = verdict(on: files)
        verdict.show(files)
        return verdict
    }

    /// The verdict of an earlier run on the same files, or a new one.
    private func verdict(on files: [SourceText]) -> ProjectVerdict {
        let known = knownModules()
        guard let cache else { return newVerdict(on: files, known) }
        var new: ProjectVerdict?
        let kept = cache.value(for: key(of: files, known)) {
            let verdict = newVerdict(on: files, known)
            new = verdict
            return KeptVerdict(verdict)
        }
        return new ?? kept.verdict(rules: Verifier(settings, rules: catalogue).rules)
    }

    private func newVerdict(on files: [SourceText], _ known: KnownModules?) -> ProjectVerdict {
        let facts = facts(of: files)
        let own = Set(facts.map(\.module))
        let imported = Set(facts.flatMap { $0.imports.map(\.module) }).subtracting(own)
        var settings = settings
        settings.environment.unknownModules = known?.unknown(among: imported) ?? []
        return Verifier(settings, rules: catalogue).judge(facts)
    }

    /// What a verdict depends on besides the tool. With layers, this includes manifests and the packages in `.build`.
    private func key(of files: [SourceText], _ known: KnownModules?) -> ContentHash {
        var hash = ContentHash()
        hash.update("verdict \(settings.environment.isWhole)")
        for rule in catalogue { hash.update("\(rule.id.rawValue) \(settings.runs(rule))") }
        for (rule, severity) in settings.severities.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            hash.update("\(rule.rawValue) \(severity.rawValue)")
        }
        for layer in configuration.layers {
            // The first of two layers with one module counts, and messages show the order of `mayImport`.
            for part in [["layer", layer.name], layer.modules, layer.mayImport] {
                hash.update("\(part.count) parts")
                for name in part { hash.update(name) }
            }
        }
        known?.update(&hash)
        for part in concurrently(files.count, { index, _ in FactsCache.hash(of: files[index]).description }) {
            hash.update(part)
        }
        return hash
    }

    /// What decides which imported modules are unknown. Nil without layers: an application that declares none has no rules
    /// for imports.
    private func knownModules() -> KnownModules? {
        guard let root, !configuration.layers.isEmpty else { return nil }
        let classifier = ImportClassifier(toolchain: ToolchainModules(), configured: configuration.imports)
        return KnownModules(root: URL(filePath: root), classifier: classifier)
    }

    /// The facts of files in their order.
    package func facts(of files: [SourceText]) -> [FileFacts] {
        let facts = concurrently(files.count, onLargeStacks: true) { self.facts(of: files[$0], hasLargeStack: $1) }
        cache?.prune(keeping: files, isWhole: isWhole)
        return facts
    }

    /// The results for the numbers below `count`, in their order. Each worker takes the next number that is left.
    ///
    /// - Parameters:
    ///   - onLargeStacks: Whether each worker gets a thread with a large stack, if there is room.
    ///   - body: Gets a number, and whether it runs on a large stack.
    private func concurrently<Result: Sendable>(
        _ count: Int,
        onLargeStacks: Bool = false,
        _ body: @escaping @Sendable (Int, Bool) -> Result
    ) -> [Result] {
        let results = Mutex([Result?](repeating: nil, count: count))
        let next = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: min(threads, max(1, count))) { _ in
            func work(_ hasLargeStack: Bool) {
                var own: [(Int, Result)] = []
                while true {
                    let index = next.wrappingAdd(1, ordering: .relaxed).oldValue
                    guard index < count else { break }
                    own.append((index, body(index, hasLargeStack)))
                }
                results.withLock { for (index, result) in own { $0[index] = result } }
            }
            if !onLargeStacks || !TreeDepth.onLargeStack({ work(true) }) { work(false) }
        }
        return results.withLock { $0.compactMap(\.self) }
    }

    private func facts(of file: SourceText, hasLargeStack: Bool) -> FileFacts {
        func read() -> FileFacts {
            FileFacts.read(
                path: file.path,
                module: modules.module(of: file.path),
                bytes: file.bytes,
                hasLargeStack: hasLargeStack
            )
        }
        return cache?.facts(of: file, make: read) ?? read()
    }

    private static func verifierConfiguration(_ configuration: Configuration) -> VerifierConfiguration {
        var result = VerifierConfiguration()
        result.environment.layers = configuration.layers
        for (name, setting) in configuration.rules {
            let rule = RuleID(rawValue: name)
            switch setting {
            case .off: result.disabled.insert(rule)
            case .on: result.enabled.insert(rule)
            case .error: (result.severities[rule], _) = (.error, result.enabled.insert(rule))
            case .warning: (result.severities[rule], _) = (.warning, result.enabled.insert(rule))
            case .information: (result.severities[rule], _) = (.information, result.enabled.insert(rule))
            }
        }
        return result
    }

    /// What facts depend on besides the path and the bytes of their file. Settings of rules are not among it, because rules
    /// judge after facts are read.
    private static func key(_ modules: ModuleMap) -> ContentHash {
        var hash = ContentHash()
        hash.update("axiom-verify \(ToolVersion.current) facts \(FileFacts.formatVersion)")
        hash.update(ToolVersion.build)
        for (folder, module) in modules.folders.sorted(by: { $0.key < $1.key }) {
            hash.update(folder)
            hash.update(module)
        }
        return hash
    }
}
