import Foundation

/// Ends the program as a trap would, and says what does not hold, so that the fuzzer keeps the bytes.
func violation(_ rule: String, _ evidence: String...) -> Never {
    FileHandle.standardError.write(Data("\nDoes not hold: \(rule)\n\(evidence.joined(separator: "\n->\n"))\n".utf8))
    abort()
}
