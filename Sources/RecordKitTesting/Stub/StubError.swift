/// What a task of a stubbed session ends with when the stub cannot answer it.
public enum StubError: Error, CustomStringConvertible {
    /// The session has outlived its `SessionStub`: keep the stub as long as the session is used.
    case stubIsGone
    /// The `SessionStub` was made with an empty list of answers.
    case noAnswer
    /// No response can be made of this status and these headers.
    case invalidAnswer(status: Int)

    public var description: String {
        switch self {
        case .stubIsGone:
            "The SessionStub of this session is gone. Keep it as long as the session is used."
        case .noAnswer:
            "The SessionStub has no answers. Give it one at least."
        case .invalidAnswer(let status):
            "No HTTP response can be made with the status \(status) and the headers of the answer."
        }
    }
}
