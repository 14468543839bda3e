/// A value that is printed as its text.
protocol TextConvertible: CustomStringConvertible {
    var text: String { get }
}

extension TextConvertible {
    /// The value as text. Nothing sensitive is in it.
    public var description: String { text }
}

/// A value that `print`, `dump` and the debugger show redacted.
protocol SelfDescribing: TextConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What `dump` and the debugger show of the value, without anything sensitive.
    var shown: [(name: String, value: Any)] { get }
}

extension SelfDescribing {
    /// The same as `description`.
    public var debugDescription: String { text }

    /// The members of the value, without anything sensitive.
    public var customMirror: Mirror {
        Mirror(self, children: shown.map { (label: $0.name, value: $0.value) }, displayStyle: .struct)
    }
}
