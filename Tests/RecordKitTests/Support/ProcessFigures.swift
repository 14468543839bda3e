#if os(Linux)
import Foundation

/// The resources that this process holds, according to the system.
struct ProcessFigures: CustomStringConvertible {
    /// The resident memory, in KB.
    let memory: Int
    /// The peak of the resident memory, in KB.
    let peak: Int
    let threads: Int
    let descriptors: Int

    static var now: ProcessFigures {
        // The file has no size, so it must be read to its end.
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

    /// Whether a sanitizer is running, which makes memory figures meaningless.
    static let areSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

    var description: String { "\(memory) KB, \(threads) threads, \(descriptors) descriptors" }
}
#endif
