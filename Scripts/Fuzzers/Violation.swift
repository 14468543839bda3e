import Foundation

/// Prints the broken rule and aborts, so that the fuzzer keeps the bytes.
func violation(_ rule: String, _ evidence: String...) -> Never {
    FileHandle.standardError.write(Data("\nDoes not hold: \(rule)\n\(evidence.joined(separator: "\n->\n"))\n".utf8))
    abort()
}
