extension StringProtocol {
    /// Without the white space at both ends.
    var trimmed: String { trimmed { $0.isWhitespace } }

    /// Without such characters at either end.
    func trimmed(where isOuter: (Character) -> Bool) -> String {
        guard let first = firstIndex(where: { !isOuter($0) }), let last = lastIndex(where: { !isOuter($0) })
        else { return "" }
        return String(self[first...last])
    }
}
