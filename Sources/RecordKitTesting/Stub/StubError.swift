public import Foundation

/// Why a stub cannot answer.
public enum StubError: Error, Equatable, CustomStringConvertible, LocalizedError {
    /// The session has outlived its `SessionStub` or `StubServer`: keep that as long as the session is used.
    case stubIsGone
    /// The stub was made with an empty list of answers.
    case noAnswer
    /// No response can be made of this status and these headers.
    case invalidAnswer(status: Int)
    /// There is no file of this name in this folder.
    case missingFile(String, folder: String)
    /// The file is there and cannot be read.
    case unreadableFile(String, reason: String)
    /// The request, named by its case, does not read the answer that was given for its success.
    case unfitAnswer(request: String, reason: String)

    public var description: String {
        switch self {
        case .stubIsGone:
            "The SessionStub or StubServer of this session is gone. Keep it as long as the session is used."
        case .noAnswer:
            "The stub has no answers. Give it one at least."
        case .invalidAnswer(let status):
            "No HTTP response can be made with the status \(status) and the headers of the answer."
        case .missingFile(let name, let folder):
            "There is no file \(name) in \(folder). Put it there, or give another name."
        case .unreadableFile(let file, let reason):
            "The file \(file) cannot be read: \(reason)"
        case .unfitAnswer(let request, let reason):
            "\(request) does not read its value as it was encoded: \(reason) Answer with the body that its server "
                + "sends, such as .json(…)."
        }
    }

    public var errorDescription: String? { description }
}
