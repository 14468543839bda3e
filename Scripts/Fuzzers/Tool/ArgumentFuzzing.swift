#if !FUZZER
@testable import RecordInventory
#endif

/// Checks arguments, one a line. The error messages contain no control characters.
enum ArgumentFuzzing {
    static func check(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        do throws(UsageError) {
            _ = try Invocation(lines.map { String(validating: $0, as: UTF8.self) })
        } catch {
            if error.message.utf8.contains(where: { $0 < 0x20 && $0 != UInt8(ascii: "\n") || $0 == 0x7F }) {
                violation("a message holds no control characters", error.message)
            }
        }
    }
}
