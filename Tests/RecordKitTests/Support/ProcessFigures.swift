#if os(Linux)
import Foundation

/// What this process holds, as the system counts it.
struct ProcessFigures: CustomStringConvertible {
    /// Resident memory in KB.
    let memory: Int
    /// The most that it ever was.
    let peak: Int
    let threads: Int
    let descriptors: Int

    static var now: ProcessFigures {
        // A file of no size: only reading to its end tells what is in it.
        let bytes = try? FileHandle(forReadingAtPath: "/proc/self/status")?.readToEnd()
        let lines = String(decoding: bytes ?? Data(), as: UTF8.self).split(separator: "\n")
        func number(_ name: String) -> Int {
            lines.first { $0.hasPrefix(name) }?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? -1
        }
        let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return ProcessFigures(
            memory: number("VmRSS:"), peak: number("VmHWM:"), threads: number("Threads:"),
            descriptors: descriptors?.count ?? -1)
    }

    /// Whether a sanitizer is at work, beside which memory says nothing.
    static let areSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    var description: String { "\(memory) KB, \(threads) threads, \(descriptors) descriptors" }
}
#endif
