// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomSymbols

/// What was sampled of one path of operations and one stack.
struct ProfileRow: Sendable {
    /// The subjects of the operations, the root first.
    let path: [UInt64]
    /// The words of the frames, the outermost one first.
    let stack: [UInt64]
    var sums = Profile.Stack(frames: [])
}

/// Gives names to rows. Functions are one frame whatever their line; the line is that of the first row that has the function.
struct ProfileBuilder {
    private static let missing = [
        SampleTree.operations: "more operations than the profiler holds",
        SampleTree.stacks: "more stacks than the profiler holds",
        SampleTree.outer: "outer frames",
        SampleTree.callers: "callers that cannot be read",
    ]

    private(set) var profile: Profile
    private let spans: ProfiledSpans?
    private let symbolizer: any Symbolizing
    private let query: ProfileQuery
    private var frameNumbers: [Profile.Frame: Int] = [:]
    private var stackNumbers: [[Int]: Int] = [:]
    private var operations: [UInt64: Int] = [:]
    private var functions: [UInt64: [Int]] = [:]
    /// Whether the functions that run jobs have names: not in a stripped program that contains Swift's runtime.
    private var hasJobs = false

    init(_ profile: Profile, _ spans: ProfiledSpans?, _ symbolizer: any Symbolizing, _ query: ProfileQuery) {
        (self.profile, self.spans, self.symbolizer, self.query) = (profile, spans, symbolizer, query)
    }

    mutating func add(_ rows: [ProfileRow]) {
        let wanted = rows.compactMap { row in path(row.path).map { (row, $0) } }
        let words = Set(wanted.flatMap(\.0.stack)).filter { $0 < SampleTree.firstMark }
        symbolizer.prepare(words.map(CodeAddress.init(word:)), withLines: query.hasLines)
        for word in wanted.flatMap(\.0.stack) { _ = functions(word) }
        hasJobs = profile.frames.contains(where: \.runsJobs)
        for (row, path) in wanted {
            add(path + functions(of: row)) { $0.add(row.sums) }
        }
    }

    /// - Parameter wait: The subject of the span in which the operation waited; nil for no span.
    mutating func addWait(_ nanoseconds: Int64, of path: [UInt64], in wait: UInt64?) {
        guard nanoseconds > 0, let frames = self.path(path), let last = path.last else { return }
        let name =
            switch wait {
            case let wait? where Self.kind(wait) == .mainActorWait: "waits for the main actor"
            case let wait?: spans?.operation(ofSubject: wait).name ?? "waits"
            case nil: Self.kind(last) == .capabilityCall ? "waits in the call" : "waits"
            }
        add(frames + [number(of: Profile.Frame(.wait, name))]) { $0.waiting += nanoseconds }
    }

    private mutating func add(_ frames: [Int], _ change: (inout Profile.Stack) -> Void) {
        let number = stackNumbers[frames] ?? profile.stacks.count
        if number == profile.stacks.count { profile.stacks.append(Profile.Stack(frames: frames)) }
        stackNumbers[frames] = number
        change(&profile.stacks[number])
    }

    /// The number of a frame: that of the first one which differs in nothing but the line.
    private mutating func number(of frame: Profile.Frame) -> Int {
        var key = frame
        (key.file, key.line) = (nil, nil)
        if let known = frameNumbers[key] { return known }
        profile.frames.append(frame)
        frameNumbers[key] = profile.frames.count - 1
        return profile.frames.count - 1
    }

    // MARK: - Operations

    /// The frames of a path, from the wanted operation; nil if it is not in the path.
    private mutating func path(_ subjects: [UInt64]) -> [Int]? {
        let frames = subjects.map { operation($0) }
        guard let action = query.action else {
            return frames.isEmpty ? [number(of: Profile.Frame(.outside, "outside of actions"))] : frames
        }
        let first = frames.firstIndex { profile.frames[$0].isOperation && profile.frames[$0].name == action }
        return first.map { Array(frames[$0...]) }
    }

    private mutating func operation(_ subject: UInt64) -> Int {
        if let known = operations[subject] { return known }
        let (component, name) = spans?.operation(ofSubject: subject) ?? (nil, "unknown")
        let kind: Profile.Frame.Kind =
            switch Self.kind(subject) {
            case .contextAction: .context
            case .clientAction: .client
            case .capabilityCall: .capability
            case .request: .request
            default: .work
            }
        let frame = Profile.Frame(kind, component.map { "\($0.name).\(name)" } ?? name)
        let number = number(of: Self.missing[subject].map { Profile.Frame(.missing, $0) } ?? frame)
        operations[subject] = number
        return number
    }

    private static func kind(_ subject: UInt64) -> SpanKind {
        SpanContext(trace: 0, span: 0, record: 0, subject: subject).kind
    }

    // MARK: - Functions

    private mutating func functions(of row: ProfileRow) -> [Int] {
        let all = row.stack.flatMap { functions($0) }
        // A closure and the forwarder that calls it, which has its name, are one.
        let isClosure = all.map { profile.frames[$0].name.contains("closure ") }
        let frames = all.indices.filter { $0 == 0 || all[$0] != all[$0 - 1] || !isClosure[$0] }.map { all[$0] }
        guard !row.path.isEmpty else { return frames }
        guard let job = frames.lastIndex(where: { profile.frames[$0].runsJobs }) else {
            // A task runs in a job. Functions that use the frame pointer for something else, as those of C libraries do, hide it.
            let isLost = hasJobs && !row.stack.isEmpty && row.stack.allSatisfy { $0 < SampleTree.firstMark }
            return (isLost ? functions(SampleTree.callers) : []) + frames
        }
        // What is below the job is the thread's, and not the operation's: its callers are other jobs of the task.
        return [number(of: Profile.Frame(.missing, "callers before the last suspension"))] + frames[(job + 1)...]
    }

    private mutating func functions(_ word: UInt64) -> [Int] {
        if let known = functions[word] { return known }
        let address = CodeAddress(word: word)
        let frames =
            Self.missing[word].map { [Profile.Frame(.missing, $0)] }
            ?? symbolizer.locations(of: address).reversed().map { Profile.Frame($0, isGuessed: address.isGuessed) }
        let numbers = frames.map { number(of: $0) }
        functions[word] = numbers
        return numbers
    }
}

extension Profile.Frame {
    fileprivate init(_ location: CodeLocation, isGuessed: Bool) {
        // As much as tables show, so that no two functions read the same there. The ends tell names apart.
        let name = location.function
        self.init(.function, name.count <= 120 ? name : "\(name.prefix(60))…\(name.suffix(59))")
        (module, file, line) = (location.module, location.file, location.line)
        self.isGuessed = isGuessed
    }

    /// Whether it is the function of Swift's runtime that runs a part of a task up to its next suspension.
    fileprivate var runsJobs: Bool {
        kind == .function && (name.hasPrefix("swift_job_run") || name.contains("runJobInEstablishedExecutorContext"))
    }
}

/// Names places in the code. Both functions may be called on any thread.
protocol Symbolizing: AnyObject, Sendable {
    /// The frames of a sample, the innermost one first: with the probable callers that the chain of frame pointers lacks. Called
    /// for each sample on the sampler's thread: reads no file.
    func frames(of sample: RawSample) -> [CodeAddress]

    /// The functions at an address: the innermost inlined one first, and last the one that holds them. Never empty. Reads the
    /// file of the module when it is first called for the address.
    func locations(of address: CodeAddress) -> [CodeLocation]

    /// Looks for the functions of many addresses at once, for later calls of ``locations(of:)``, which are right without it. With
    /// files and lines it takes up to 2 s for each module with debug information. The same address is looked for once.
    func prepare(_ addresses: [CodeAddress], withLines: Bool)
}

#if os(Linux) && canImport(Glibc)
extension Symbolizer: Symbolizing {
    func frames(of sample: RawSample) -> [CodeAddress] { frames(sample.frames, words: sample.words) }
}
#endif

extension Symbolizing {
    func prepare(_ addresses: [CodeAddress], withLines: Bool) {}
}
