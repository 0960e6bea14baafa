// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

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
}

// MARK: - The page

extension Dashboard {
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
}
