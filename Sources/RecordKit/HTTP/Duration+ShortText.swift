extension Duration {
    /// As a person reads it: `0.4 ms`, `120 ms`, `2.0 s`.
    var shortText: String {
        let (seconds, attoseconds) = limited.components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        switch tenths {
        case ..<100: return String(tenths / 10) + "." + String(tenths % 10) + " ms"
        case ..<10_000: return String(tenths / 10) + " ms"
        default: return String(tenths / 10_000) + "." + String(tenths / 1000 % 10) + " s"
        }
    }
}
