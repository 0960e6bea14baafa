// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What the process is called, and moments in words.
enum ProcessIdentity {
    static var pid: Int32 { ProcessInfo.processInfo.processIdentifier }
    static var name: String { ProcessInfo.processInfo.processName }

    /// Seconds since 1970; nil for what is no moment in ISO 8601.
    static func seconds(iso8601 text: String) -> Double? {
        (try? Date(text, strategy: .iso8601))?.timeIntervalSince1970
    }

    /// A moment in UTC, for a title.
    static func words(_ seconds: Double) -> String {
        Date(timeIntervalSince1970: seconds.rounded()).formatted(.iso8601)
    }

    /// The CPU time that the calling thread has spent, in seconds.
    static var threadSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
