/// A value that is printed redacted by `print`, `dump` and the debugger.
protocol SelfDescribing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value as text, without anything sensitive.
    var text: String { get }
    /// What `dump` and the debugger show of the value, without anything sensitive.
    var shown: [(name: String, value: Any)] { get }
}

extension SelfDescribing {
    /// The value as text, without anything sensitive.
    public var description: String { text }

    /// The same as `description`.
    public var debugDescription: String { text }

    /// The members of the value, without anything sensitive.
    public var customMirror: Mirror {
        Mirror(self, children: shown.map { (label: $0.name, value: $0.value) }, displayStyle: .struct)
    }
}

/// A part of an error that is described in a sentence.
protocol SentenceConvertible: CustomStringConvertible {
    var sentence: String { get }
}

extension SentenceConvertible {
    /// What happened, why, and what to do.
    public var description: String { sentence }
}
