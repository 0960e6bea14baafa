// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
package import AxiomInstrumentation

// What a server sends: snapshots, ticks, events and the page.

extension Dashboard {
    /// The whole snapshot in JSON, as `Dashboards/web/PROTOCOL.md` describes it. Cost: some milliseconds.
    package func snapshot() -> [UInt8] {
        snapshot(with: nil)
    }

    /// - Parameter lists: The members that version 2 has beside those of version 1; nil for version 1.
    func snapshot(with lists: JSONText?) -> [UInt8] {
        let breakers = readings.breakers
        return state.withLock { state in
            wake(&state, breakers)
            let json = state.model.snapshot(with: lists)
            state.model.cost.snapshotBytes = json.count
            return json
        }
    }

    /// What is wrong, and why. Cost: that of a snapshot with the latest errors, and of reading it.
    package func diagnosis() -> Diagnosis? {
        try? Diagnosis(exportedSnapshot(), from: name)
    }

    /// What a reader lacks that has everything up to the tick `seq` of the run `instance`: the ticks since then if all of
    /// them are kept, else the snapshot.
    package func update(since seq: Int, instance: String) -> [UInt8] {
        let breakers = readings.breakers
        let ticks = state.withLock { state in
            wake(&state, breakers)
            return instance == self.instance ? buffer.ticks(after: seq) : nil
        }
        guard let ticks else { return snapshot() }
        return JSONText.document("axiom/ticks", of: instance) { json in
            json.member("ticks") { json in json.list(ticks) { $0.raw($1.json) } }
        }.bytes
    }

    /// The latest errors of a group, as `Dashboards/web/PROTOCOL.md` describes them; nil if there is no such group.
    ///
    /// - Parameter id: The id of the group's row in the list `errors`.
    package func errors(ofGroup id: Int) -> [UInt8]? {
        state.withLock { $0.model.occurrences }.json(ofGroup: id)
    }

    /// The events from the tick after `seq` of the run `instance`. Without them, from now on.
    package func events(since seq: Int? = nil, instance: String? = nil) -> DashboardEvents {
        events(since: seq, instance: instance, isCompressed: false)
    }

    /// - Parameter isCompressed: Whether the elements together are a gzip stream.
    package func events(since seq: Int?, instance: String?, isCompressed: Bool) -> DashboardEvents {
        let breakers = readings.breakers
        return state.withLock { state in
            wake(&state, breakers)
            let isOther = instance.map { $0 != self.instance } ?? false
            let latest = state.model.history.seq
            let first = isOther ? latest : seq ?? latest
            return DashboardEvents(buffer: buffer, seq: first, isLost: isOther, isCompressed: isCompressed)
        }
    }

    // MARK: - The page

    /// What the page may do, for the header `Content-Security-Policy`: run its own script and style, and ask the server
    /// that it came from.
    package static var pagePolicy: String {
        PageAssembler.policy(isLive: true) + "; frame-ancestors 'none'"
    }

    /// The page as a server sends it: it asks for the snapshot itself. For browsers without JavaScript it has short tables.
    /// Collects nothing from the registry.
    ///
    /// - Parameters:
    ///   - export: Where ``exportedPage()`` is served, relative to the page, which links to it for long tables.
    ///   - fits: Whether a page is small enough. If the names of the application are long, the tables are shorter, or missing.
    package func page(export: String = "export.html", fits: ([UInt8]) -> Bool = { _ in true }) -> [UInt8] {
        var tables = state.withLock { $0.model.tables(export: export) }
        while true {
            let page = PageAssembler.page(title: name, data: nil, noscript: tables.html)
            if fits(page) || tables.rows == 0 { return page }
            tables.rows -= 1
        }
    }

    /// The page with the present snapshot in it, with the latest activities and the kept traces: a file that needs no
    /// server and works from anywhere.
    package func exportedPage() -> [UInt8] {
        let data = exportedSnapshot()
        let tables = state.withLock { $0.model.tables(export: nil) }
        return PageAssembler.page(title: name, data: data, noscript: tables.html, hasProfile: readings.profiler != nil)
    }

    /// The script that shows a profile. The page requests it when it shows one first.
    package static var profileScript: [UInt8] { Array(PageSource.profile.utf8) }

    /// What a profiler sampled before, as `Dashboards/web/PROTOCOL.md` describes it; nil if no profiler runs. It takes
    /// milliseconds, and longer when the symbols of a module are first read.
    ///
    /// - Parameter format: `json`, or one that ``ProfileSource/file(of:format:)`` has.
    /// - Throws: ``QueryError`` for an action or a trace that is not known.
    package func profile(_ query: ProfileQuery, format: String = "json") throws(QueryError) -> [UInt8]? {
        guard let profiler = readings.profiler else { return nil }
        let profile = profiler.profile(query)
        if profile.stacks.isEmpty { try check(query) }
        return format == "json" ? profile.json(origin.grid.seconds) : profiler.file(of: profile, format: format)
    }

    /// What is known and was not sampled is no error.
    private func check(_ query: ProfileQuery) throws(QueryError) {
        if let trace = query.trace, readings.knownSpans?.trace(trace) == nil { throw .unknownTrace("trace", trace) }
        guard let action = query.action, case let known = readings.operations, !known.contains(action) else { return }
        let nearest = Nearest.names(to: action, among: known)
        let names = nearest.prefix(10).map { $0.clipped(60) }.joined(separator: ", ")
        let others = nearest.count > 10 ? " and \(nearest.count - 10) others" : ""
        let list = "it is not known, or no longer; known are \(names)\(others)"
        throw QueryError("action", action, nearest.isEmpty ? "no action has run yet" : list)
    }
}

extension ProfileQuery {
    /// - Parameter value: The value of a parameter of the request; nil without it.
    /// - Throws: ``QueryError`` that names the parameter and the permitted values.
    package init(_ value: (String) -> String?) throws(QueryError) {
        func number(_ name: String, _ range: ClosedRange<Int>, _ usual: Int) throws(QueryError) -> Int {
            guard let text = value(name) else { return usual }
            if let number = Int(text), range.contains(number) { return number }
            throw QueryError(name, text, "give a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        self.init()
        seconds = try number("seconds", 1...60, seconds)
        ago = try number("ago", 0...840, ago)
        action = value("action")
        guard let text = value("trace") else { return }
        trace = TraceID(text)
        if trace == nil {
            throw QueryError("trace", text, "give the id of a trace: 32 hexadecimal digits that are not all 0")
        }
    }
}
