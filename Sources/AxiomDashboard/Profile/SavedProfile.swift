// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

/// A profile in JSON, as ``Profile/json(_:)`` writes it.
struct SavedProfile: Decodable {
    struct Frame: Decodable {
        let kind, name: String
        let module, file: String?
        let line: Int?
        let guessed: Bool

        /// A kind of a later version is that of something missing.
        var frame: Profile.Frame {
            var frame = Profile.Frame(Profile.Frame.Kind(rawValue: kind) ?? .missing, name)
            (frame.module, frame.file, frame.line, frame.isGuessed) = (module, file, line, guessed)
            return frame
        }
    }

    struct Stack: Decodable {
        let frames: [Int]
        let samples, allocated, live: Int64
        let processor, waiting: Double

        var stack: Profile.Stack {
            var stack = Profile.Stack(frames: frames)
            (stack.samples, stack.allocated, stack.live) = (Int(samples), allocated, live)
            (stack.processor, stack.waiting) = (SavedProfile.nanoseconds(processor), SavedProfile.nanoseconds(waiting))
            return stack
        }
    }

    let schema: String
    let version: Int
    let start, end: Double
    let rate, samples, outside, lost: Int
    let allocations: Bool
    /// Not in profiles of earlier versions.
    let lostAllocated, lostLive, unsampled: Int?
    let ended: String?
    let waitsSince: Double?
    let frames: [Frame]
    let stacks: [Stack]

    /// The profile, whose instants are those since 1970. Nil if it is none that a process wrote: a frame is missing, or a number is
    /// out of range.
    var profile: Profile? {
        let totals = [samples, outside, lost, lostAllocated ?? 0, lostLive ?? 0, unsampled ?? 0].map(Int64.init)
        let counts = totals + stacks.flatMap { [$0.samples, $0.allocated, $0.live] }
        guard schema == "axiom/profile", version == 1, (1...1_000).contains(rate),
            stacks.count <= Profile.stackLimit,
            [start, end, waitsSince ?? 0].allSatisfy({ (0..<4e9).contains($0) }), start <= end,
            counts.allSatisfy({ (0..<1 << 50).contains($0) }),
            stacks.allSatisfy({ $0.frames.allSatisfy(frames.indices.contains) }),
            stacks.flatMap({ [$0.processor, $0.waiting] }).allSatisfy({ (0..<1e6).contains($0) })
        else { return nil }
        func instant(_ seconds: Double) -> Instant { Instant(nanoseconds: Self.nanoseconds(seconds)) }
        var profile = Profile(start: instant(start), end: instant(end), rate: rate)
        (profile.samples, profile.outside, profile.lost) = (samples, outside, lost)
        (profile.lostAllocated, profile.lostLive) = (lostAllocated ?? 0, lostLive ?? 0)
        (profile.ended, profile.unsampled) = (ended, unsampled ?? 0)
        (profile.hasAllocations, profile.waitsSince) = (allocations, waitsSince.map(instant))
        (profile.frames, profile.stacks) = (frames.map(\.frame), stacks.map(\.stack))
        return profile
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
}
