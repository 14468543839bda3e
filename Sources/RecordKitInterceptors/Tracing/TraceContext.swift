import Foundation

/// The position of a call in a distributed trace (W3C Trace Context).
public struct TraceContext: Sendable, Hashable {
    /// The trace identifier: 32 lowercase hexadecimal digits, not all zero. It is the same in all parts of a trace.
    public let traceID: String
    /// The span identifier: 16 lowercase hexadecimal digits, not all zero. It names one request, the parent of what it
    /// causes.
    public let spanID: String
    /// Whether the sender records the trace.
    public let isSampled: Bool
    /// Whether the trace identifier is random (Trace Context Level 2). Servers may then sample by its last 7 bytes.
    public let isRandom: Bool
    /// The data of tracing systems for `tracestate`: `vendor=value,other=value`.
    public let tracestate: String?

    /// The context of the current task. Calls within `TraceContext.$current.withValue(context) { … }` continue it.
    @TaskLocal public static var current: TraceContext?

    /// Creates a context from the header fields of a request that was received.
    ///
    /// Returns `nil` if `traceparent` is invalid (W3C Trace Context section 3.2).
    ///
    /// - Parameters:
    ///   - traceparent: The value of `traceparent`.
    ///   - tracestate: The value of `tracestate`, if any. It is dropped if it is longer than 512 bytes, has more than
    ///     32 members, or has a malformed member.
    public init?(traceparent: String, tracestate: String? = nil) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff",
            parts[0] != "00" || parts.count == 4,
            parts[1].utf8.count == 32, parts[2].utf8.count == 16, parts[3].utf8.count == 2,
            Self.consists(parts[0], of: Self.digits), Self.consists(parts[1], of: Self.digits),
            Self.consists(parts[2], of: Self.digits), parts[1] != Self.zeros, parts[2] != Self.zeros.prefix(16),
            Self.consists(parts[3], of: Self.digits), let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        traceID = String(parts[1])
        spanID = String(parts[2])
        isSampled = flags & 1 == 1
        isRandom = flags & 2 == 2
        self.tracestate = tracestate.flatMap { Self.isState($0) ? $0 : nil }
    }

    init(traceID: String, spanID: String, isSampled: Bool, isRandom: Bool, tracestate: String?) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.isRandom = isRandom
        self.tracestate = tracestate
    }

    /// The value of `traceparent`, such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    public var traceparent: String {
        "00-\(traceID)-\(spanID)-0\((isSampled ? 1 : 0) + (isRandom ? 2 : 0))"
    }

    /// Returns the context with a key at the front of its tracestate. The value of the key is the span.
    ///
    /// Keeps at most 32 members, and drops those that don't fit into the length that every system must propagate (W3C
    /// Trace Context sections 3.3.1.5 and 3.5).
    func adding(_ key: String) -> TraceContext {
        var members = "\(key)=\(spanID)"
        var count = 1
        for part in (tracestate ?? "").split(separator: ",") where count < Self.longestList {
            let other = part.trimmingCharacters(in: .init(charactersIn: " \t"))
            let isTooLong = members.utf8.count + other.utf8.count >= Self.longestState
            if other.isEmpty || other.hasPrefix("\(key)=") || isTooLong { continue }
            members += ",\(other)"
            count += 1
        }
        return TraceContext(
            traceID: traceID, spanID: spanID, isSampled: isSampled, isRandom: isRandom, tracestate: members)
    }

    /// Returns whether a string is a valid key (W3C Trace Context section 3.3.1.3.1).
    static func isKey(_ string: String) -> Bool {
        guard let first = string.utf8.first, string.utf8.count <= 256 else { return false }
        return keyStarts.contains(first) && consists(string, of: keyBytes)
    }

    /// The lowercase hexadecimal digits.
    private static let digits = Set("0123456789abcdef".utf8)
    private static let zeros = "00000000000000000000000000000000"
    private static let keyStarts = Set("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let keyBytes = keyStarts.union("_-*/@".utf8)
    private static let longestState = 512
    private static let longestList = 32
    private static let valueBytes = Set(UInt8(ascii: " ")...UInt8(ascii: "~")).subtracting(",=".utf8)

    private static func consists(_ string: some StringProtocol, of bytes: Set<UInt8>) -> Bool {
        string.utf8.allSatisfy(bytes.contains)
    }

    /// Returns whether each member is `key=value` and no key occurs twice (W3C Trace Context section 3.3.1.3). Empty
    /// members are valid.
    private static func isState(_ string: String) -> Bool {
        guard string.utf8.count <= longestState else { return false }
        var keys: Set<String> = []
        for part in string.split(separator: ",") {
            let member = part.trimmingCharacters(in: .init(charactersIn: " \t"))
            if member.isEmpty { continue }
            guard let equals = member.firstIndex(of: "=") else { return false }
            let (key, value) = (String(member[..<equals]), member[equals...].dropFirst())
            guard isKey(key), keys.insert(key).inserted, !value.isEmpty, value.utf8.count <= 256,
                consists(value, of: valueBytes)
            else { return false }
        }
        return !keys.isEmpty && keys.count <= longestList
    }
}
