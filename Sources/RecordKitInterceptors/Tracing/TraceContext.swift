import Foundation

/// Where a call stands in a distributed trace, as W3C Trace Context writes it.
public struct TraceContext: Sendable, Hashable {
    /// 32 hexadecimal digits in lower case, not all of them zero: the same in all parts of a trace.
    public let traceID: String
    /// 16 such digits: one request, the parent of what it causes.
    public let spanID: String
    /// Whether the trace is recorded, as far as whoever sent it knows.
    public let isSampled: Bool
    /// What tracing systems hand on beside, for `tracestate`: `vendor=value,other=value`.
    public let state: String?

    /// The context of the task: what calls continue that are made within
    /// `TraceContext.$current.withValue(context) { … }`.
    @TaskLocal public static var current: TraceContext?

    /// Reads the two headers of a request that was received.
    ///
    /// - Returns: nil when `traceparent` is none of its version (section 3.2 of Trace Context). A `tracestate` is left out
    ///   if it is longer than 512 bytes, has more than 32 members, or if one of them is malformed.
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
        state = tracestate.flatMap { Self.isState($0) ? $0 : nil }
    }

    init(traceID: String, spanID: String, isSampled: Bool, state: String?) {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`
    public var traceparent: String {
        "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")"
    }

    /// With this key in front of its state, its value the span, at most 32 members in all, and those left out that make
    /// it longer than everybody has to hand on (sections 3.3.1.5 and 3.5).
    func adding(_ key: String) -> TraceContext {
        var members = "\(key)=\(spanID)"
        var count = 1
        for part in (state ?? "").split(separator: ",") where count < Self.longestList {
            let other = part.trimmingCharacters(in: .init(charactersIn: " \t"))
            let isTooLong = members.utf8.count + other.utf8.count >= Self.longestState
            if other.isEmpty || other.hasPrefix("\(key)=") || isTooLong { continue }
            members += ",\(other)"
            count += 1
        }
        return TraceContext(traceID: traceID, spanID: spanID, isSampled: isSampled, state: members)
    }

    /// Section 3.3.1.3.1 of Trace Context.
    static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 256 else { return false }
        return keyStarts.contains(first) && consists(text, of: keyBytes)
    }

    /// Hexadecimal, in lower case.
    private static let digits = Set("0123456789abcdef".utf8)
    private static let zeros = "00000000000000000000000000000000"
    private static let keyStarts = Set("0123456789abcdefghijklmnopqrstuvwxyz".utf8)
    private static let keyBytes = keyStarts.union("_-*/@".utf8)
    private static let longestState = 512
    private static let longestList = 32
    private static let valueBytes = Set(UInt8(ascii: " ")...UInt8(ascii: "~")).subtracting(",=".utf8)

    private static func consists(_ text: some StringProtocol, of bytes: Set<UInt8>) -> Bool {
        text.utf8.allSatisfy(bytes.contains)
    }

    /// Returns whether each member is `key=value` and no key comes twice (section 3.3.1.3). Empty members are valid.
    private static func isState(_ text: String) -> Bool {
        guard text.utf8.count <= longestState else { return false }
        var keys: Set<String> = []
        for part in text.split(separator: ",") {
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
