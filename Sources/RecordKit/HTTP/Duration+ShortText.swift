extension Duration {
    /// As a person reads it: `0.4 ms`, `120 ms`, `2.0 s`.
    var shortText: String {
        let tenths = Int(limited / .microseconds(100))
        switch tenths {
        case ..<100: return Self.shortest[tenths]
        case ..<10_000: return String(tenths / 10) + " ms"
        default: return String(tenths / 10_000) + "." + String(tenths / 1000 % 10) + " s"
        }
    }

    /// Those below ten milliseconds, of which a log may have one on each line.
    private static let shortest = (0..<100).map { "\($0 / 10).\($0 % 10) ms" }
}
