extension Duration {
    /// As a person reads it: `0.4 ms`, `120 ms`, `2.0 s`.
    var shortText: String {
        let tenths = Int(limited / .microseconds(100))
        return switch tenths {
        case ..<100: "\(tenths / 10).\(tenths % 10) ms"
        case ..<10_000: "\(tenths / 10) ms"
        default: "\(tenths / 10_000).\(tenths / 1000 % 10) s"
        }
    }
}
