// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Checks a Prometheus server against what Axiom needs, by the documents of its HTTP API.
///
/// The versions are those of Prometheus's change log, `docs/feature_flags.md` and `docs/querying/api.md`.
struct PrometheusCheck {
    /// What is checked, in the order of the report.
    enum Subject: String, CaseIterable, Encodable {
        case version, target, interval, rules
        case nativeHistograms = "native-histograms"
        case exemplars
        case startTimestamps = "start-timestamps"
        case remoteWrite = "remote-write"
        case otlp
        case outOfOrder = "out-of-order"
    }

    enum State: String, Encodable {
        case ok, missing, unknown
    }

    struct Finding: Encodable {
        let check: Subject
        let state: State
        /// What was found, or what to set if it is missing.
        let text: String
    }

    private typealias Object = [String: Any]
    fileprivate typealias Result = (state: State, text: String)

    /// The documents, by their paths below `/api/v1/`; each server has the first. Servers before 3.9 have no features, and agents no rules.
    static let documents = ["status/buildinfo", "status/flags", "status/config", "features", "targets", "rules"]

    private let job: String
    private let versionText: String
    private let version: (major: Int, minor: Int)
    /// Nil if the server did not answer.
    private let flags: [String: String]?
    private let features: [String: [String: Bool]]?
    private let configuration: PrometheusConfiguration?
    private let targets: [Object]?
    private let groups: [Object]?

    /// - Parameters:
    ///   - documents: The field `data` of each document, by its path.
    ///   - job: The job that scrapes the application.
    /// - Throws: ``FileFailure`` if there is no build information with a version.
    init(_ documents: [String: Any], job: String) throws {
        versionText = (documents["status/buildinfo"] as? Object)?["version"] as? String ?? ""
        let numbers = versionText.split(separator: ".").prefix(2).compactMap { Int($0) }
        guard numbers.count == 2 else {
            throw FileFailure(
                description: "There is no version such as 3.5.0; give the address of a Prometheus server."
            )
        }
        version = (numbers[0], numbers[1])
        self.job = job
        flags = documents["status/flags"] as? [String: String]
        features = documents["features"] as? [String: [String: Bool]]
        let yaml = (documents["status/config"] as? Object)?["yaml"] as? String
        configuration = yaml.map { PrometheusConfiguration($0, job) }
        let active = (documents["targets"] as? Object)?["activeTargets"] as? [Object]
        targets = active?.filter { ($0["labels"] as? Object)?["job"] as? String == job }
        let loaded = (documents["rules"] as? Object)?["groups"] as? [Object]
        groups = loaded?.filter { ($0["name"] as? String)?.hasPrefix("axiom-") == true }
    }

    /// A finding for each subject.
    var findings: [Finding] {
        Subject.allCases.map { subject in
            let result = result(of: subject) ?? (.unknown, "the server does not tell")
            return Finding(check: subject, state: result.state, text: result.text)
        }
    }

    private static let zeroes = "--enable-feature=created-timestamp-zero-ingestion"

    /// Nil if the server did not answer what decides.
    private func result(of subject: Subject) -> Result? {
        switch subject {
        case .version: version >= (2, 42) ? (.ok, versionText) : (.missing, "\(versionText): update to 2.42 or later")
        case .target: targetResult
        case .interval: intervalResult
        case .rules: rulesResult
        case .nativeHistograms: nativeResult
        case .exemplars: exemplarResult
        case .startTimestamps:
            features?["tsdb"]?["st_storage"] == true
                ? (.ok, "on")
                : result((2, 50), Self.zeroes, "scrape", "start_timestamp_zero_ingestion")
        case .remoteWrite where version < (3, 0) && isFlagged("--enable-feature=remote-write-receiver") == true:
            (.ok, "on")
        case .remoteWrite: result((2, 33), "--web.enable-remote-write-receiver", "api", "remote_write_receiver")
        case .otlp where version < (3, 0): result((2, 47), "--enable-feature=otlp-write-receiver")
        // Such as Debian's builds.
        case .otlp where flags != nil && flags?["web.enable-otlp-receiver"] == nil:
            (.missing, "this build of Prometheus has no OTLP receiver: take one of the Prometheus project")
        case .otlp: result((3, 0), "--web.enable-otlp-receiver", "api", "otlp_write_receiver")
        case .outOfOrder: configuration?.outOfOrderResult
        }
    }

    /// What the server has since a version if it was started with a flag. Newer servers tell it as a feature.
    private func result(_ since: (Int, Int), _ flag: String, _ category: String = "", _ feature: String = "") -> Result?
    {
        guard version >= since else { return (.missing, "update to \(since.0).\(since.1) or later") }
        // A feature that is absent is off.
        let isOn =
            category.isEmpty ? isFlagged(flag) : features.map { $0[category]?[feature] ?? false } ?? isFlagged(flag)
        return isOn.map { $0 ? (.ok, "on") : (.missing, "start the server with \(flag)") }
    }

    /// Whether the server was started with a flag, such as `--enable-feature=NAME`; nil if it does not tell.
    private func isFlagged(_ flag: String) -> Bool? {
        let parts = flag.dropFirst(2).split(separator: "=").map(String.init)
        guard let option = parts.first, let name = parts.last else { return nil }
        return flags.map { $0[option, default: ""].split(separator: ",").contains { $0 == name || $0 == "true" } }
    }

    // MARK: - The target and the rules

    private var targetResult: Result? {
        guard let targets else { return nil }
        guard !targets.isEmpty else {
            return (.missing, "scrape the application in a job \(job), or name its job with --job")
        }
        let down = targets.filter { $0["health"] as? String == "down" }
        if let first = down.first {
            let reason = "\(first["scrapeUrl"] ?? ""): \(first["lastError"] ?? "")"
            return (.missing, "\(down.count) of \(targets.count) targets of the job \(job) are down: \(reason)")
        }
        let isScraped = targets.allSatisfy { $0["health"] as? String == "up" }
        return (
            isScraped ? .ok : .unknown, "\(targets.count) of the job \(job)\(isScraped ? "" : ", not all scraped yet")"
        )
    }

    private var rules: [Object] { (groups ?? []).flatMap { $0["rules"] as? [Object] ?? [] } }

    /// A rate needs two samples in its window, and four if scrapes may fail.
    private var intervalResult: Result? {
        let intervals = (targets ?? []).compactMap { $0["scrapeInterval"] as? String }
        let queries = rules.compactMap { $0["query"] as? String }
        let windows = queries.flatMap { $0.matches(of: /\[(\w+)[\]:]/).map { String($0.1) } }
        let seconds = PrometheusConfiguration.seconds
        guard let interval = intervals.compactMap(seconds).max(), let window = windows.compactMap(seconds).min() else {
            return nil
        }
        let text = "\(interval) s; the shortest window of the rules is \(window) s"
        return interval <= window / 4
            ? (.ok, text) : (.missing, "\(text): set scrape_interval of the job \(job) to \(window / 4) s or less")
    }

    /// A group of each file of rules, by which the file is known.
    private static let files: KeyValuePairs = [
        "axiom-error-budget": "axiom.recording.yml", "axiom-instances": "axiom.fleet.yml",
        "axiom-burn-rates": "axiom.alerts.yml",
    ]

    private var rulesResult: Result? {
        guard let groups else { return nil }
        let names = groups.compactMap { $0["name"] as? String }
        let absent = Self.files.filter { !names.contains($0.key) }.map(\.value).joined(separator: ", ")
        guard absent.isEmpty else {
            return (.missing, "copy \(absent) beside the configuration, and add it to rule_files")
        }
        if let failed = rules.first(where: { $0["health"] as? String == "err" }) {
            return (.missing, "\(failed["name"] ?? "") fails: \(failed["lastError"] ?? "")")
        }
        let isEvaluated = rules.contains { $0["health"] as? String == "ok" }
        return (isEvaluated ? .ok : .unknown, "\(rules.count)\(isEvaluated ? "" : ", not evaluated yet")")
    }

    // MARK: - Native histograms and exemplars

    /// Up to 3.7 the flag, in 3.8 either, and later the configuration alone.
    private var nativeResult: Result? {
        let flag = "--enable-feature=native-histograms"
        let setting = configuration?.setting("scrape_native_histograms")
        if version < (3, 8) {
            let found = result((2, 40), flag)
            guard found?.state == .ok else { return found }
        } else if setting != "true" {
            let isNoOp = version >= (3, 9) && isFlagged(flag) == true
            let text = "set scrape_native_histograms: true in the job \(job)\(isNoOp ? "; \(flag) does nothing" : "")"
            return configuration?.hasJob == true ? (.missing, text) : nil
        }
        // Only protocol buffers have native histograms.
        return configuration?.refusesProtobuf == true
            ? (.missing, "add PrometheusProto to scrape_protocols of the job \(job)") : (.ok, "on")
    }

    /// From 3.3 on the parser stores exemplars of the first series of a family of native histograms only.
    private var exemplarResult: Result? {
        let found = result((2, 26), "--enable-feature=exemplar-storage", "tsdb", "exemplar_storage")
        let isWhole = configuration?.setting("always_scrape_classic_histograms") == "true"
        guard version >= (3, 3), !isWhole, found?.state == .ok, nativeResult?.state == .ok else { return found }
        return (.ok, "on; to keep those of all native histograms set always_scrape_classic_histograms: true")
    }
}

/// The configuration as a server writes it: in block style, and each job with the settings that it has.
struct PrometheusConfiguration {
    /// Of the job, and then of all.
    private let settings: [Substring]
    private let lines: [Substring]
    /// False if the job may be in another file, which the server does not write.
    let hasJob: Bool

    init(_ yaml: String, _ job: String) {
        lines = yaml.split(separator: "\n")
        let names = ["- job_name: \(job)", "- job_name: \"\(job)\"", "- job_name: '\(job)'"]
        let own = lines.drop { !names.contains(String($0)) }.dropFirst().prefix { $0.hasPrefix("  ") }
        hasJob = lines.contains { names.contains(String($0)) } || !lines.contains("scrape_config_files:")
        settings = own + lines.drop { $0 != "global:" }.dropFirst().prefix { $0.hasPrefix("  ") }
    }

    func setting(_ key: String) -> String? {
        settings.first { $0.hasPrefix("  \(key): ") }.map { String($0.dropFirst(key.count + 4)) }
    }

    /// The list of the job, or of all if the job has none.
    var refusesProtobuf: Bool {
        let list = settings.drop { $0 != "  scrape_protocols:" }.dropFirst().prefix { $0.hasPrefix("  - ") }
        return !list.isEmpty && !list.contains("  - PrometheusProto")
    }

    fileprivate var outOfOrderResult: PrometheusCheck.Result {
        let key = "    out_of_order_time_window: "
        guard let line = lines.first(where: { $0.hasPrefix(key) && !$0.hasSuffix(" 0s") }) else {
            return (.missing, "set storage.tsdb.out_of_order_time_window, such as 10m: what waited in an outage is old")
        }
        return (.ok, String(line.dropFirst(key.count)))
    }

    /// The seconds of a duration such as 1m30s; nil if the text is none, or too long. Milliseconds are not counted.
    static func seconds(_ text: String) -> Int? {
        let units: [String: Double] = [
            "ms": 0, "s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "y": 31_536_000,
        ]
        let parts = text.matches(of: /(\d+)(ms|[smhdwy])/)
        guard !parts.isEmpty, parts.map(\.0).joined() == text else { return nil }
        return Int(exactly: parts.reduce(0) { $0 + (Double($1.1) ?? 0) * (units[String($1.2)] ?? 0) })
    }
}
