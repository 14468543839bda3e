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
    /// - Returns: nil when `traceparent` is none of its version (section 3.2 of Trace Context); a `tracestate` that is too
    ///   long or has characters that a header cannot have is left out.
    public init?(traceparent: String, tracestate: String? = nil) {
        let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0].utf8.count == 2, parts[0] != "ff",
            parts[0] != "00" || parts.count == 4 && parts[3].utf8.count == 2,
            parts[1].utf8.count == 32, parts[2].utf8.count == 16, parts[3].utf8.count == 2,
            parts[0...3].allSatisfy({ $0.utf8.allSatisfy(Self.isDigit) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
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

    /// With this key in front of its state, its value the span, and at most 32 members in all (section 3.5).
    func adding(_ key: String) -> TraceContext {
        let others = (state ?? "").split(separator: ",").lazy
            .map(\.trimmed)
            .filter { !$0.isEmpty && !$0.hasPrefix("\(key)=") }
        let members = ["\(key)=\(spanID)"] + others.prefix(31).map(String.init)
        return TraceContext(
            traceID: traceID, spanID: spanID, isSampled: isSampled, state: members.joined(separator: ","))
    }

    /// Section 3.3.1.3.1 of Trace Context.
    static func isKey(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 256 else { return false }
        let isPlain = text.utf8.allSatisfy {
            $0 >= 97 && $0 <= 122 || $0 >= 48 && $0 <= 57 || "_-*/@".utf8.contains($0)
        }
        return isPlain && (first >= 97 && first <= 122 || first >= 48 && first <= 57)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= 48 && byte <= 57 || byte >= 97 && byte <= 102
    }

    private static func isState(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 512 && text.utf8.allSatisfy { $0 >= 32 && $0 < 127 || $0 == 9 }
    }
}
