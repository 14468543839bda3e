public import Foundation

/// All that is wrong with the samples of an audit.
public struct AuditError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
    public struct Finding: Sendable, Hashable, CustomStringConvertible {
        /// The case of the request, such as `RecordService.One.fetch`; of two requests, both.
        public let sample: String
        /// What is wrong with it, as part of a sentence.
        public let problem: String

        public var description: String { "\(sample): \(problem)" }
    }

    public let findings: [Finding]
    /// How many samples were looked at.
    public let sampleCount: Int

    /// A line for each finding.
    public var description: String {
        let head = "The audit of \(sampleCount) \(sampleCount == 1 ? "sample" : "samples") found:"
        return ([head] + findings.map { "- \($0)" }).joined(separator: "\n")
    }

    public var errorDescription: String? { description }
}
