import TestSupport
import XCTest

@testable import RecordInventory

/// The files in `Transcripts`: what a person types, and what the tool prints. `TranscriptPlayer` explains their format.
final class TranscriptTests: TimedTestCase {
    private let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Transcripts")

    /// With RECORDKIT_UPDATE=1, stores what the tool prints now.
    func testTheToolPrintsWhatTheTranscriptsShow() async throws {
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "txt" }
            .sorted { $0.path < $1.path }
        XCTAssertGreaterThan(files.count, 0)
        let isUpdating = ProcessInfo.processInfo.environment["RECORDKIT_UPDATE"] == "1"
        try await compare(files, isUpdating: isUpdating)
    }

    /// What shops take back, list for the accountant, and type at the counter is the same on a server.
    func testKintoPrintsWhatTheTranscriptsShow() async throws {
        guard let kinto = try LiveKinto.find(for: "transcripts") else { return }
        let names = ["Accounts", "AtTheCounter", "BulkChanges", "MoneyBack", "Parking", "Undo", "Vouchers"]
        try await compare(names.map { folder.appending(path: "\($0).txt") }, on: kinto)
    }

    private func compare(_ files: [URL], on kinto: LiveKinto? = nil, isUpdating: Bool = false) async throws {
        let transcripts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
        let replayed = try await withThrowingTaskGroup { group in
            for (index, text) in transcripts.enumerated() {
                group.addTask { (index, try await TranscriptPlayer.replay(text, on: kinto)) }
            }
            return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
        }
        for (index, (file, expected)) in zip(files, transcripts).enumerated() {
            guard let printed = replayed[index], printed != expected else { continue }
            if isUpdating {
                try Data(printed.utf8).write(to: file)
            } else {
                let difference = difference(from: expected, to: printed)
                XCTFail("\(file.lastPathComponent); RECORDKIT_UPDATE=1 stores it:\n\(difference)")
            }
        }
    }

    /// The lines that differ, each group below the line that comes before it, or the command that printed them.
    private func difference(from expected: String, to printed: String) -> String {
        let old = expected.components(separatedBy: "\n")
        let new = printed.components(separatedBy: "\n")
        let change = new.difference(from: old)
        let removed = Set(change.removals.map(\.offset))
        let inserted = Set(change.insertions.map(\.offset))
        var lines: [String] = []
        var command = ""
        var (left, right) = (0, 0)
        while left < old.count || right < new.count {
            let isRemoved = removed.contains(left)
            let isInserted = inserted.contains(right)
            if isRemoved || isInserted {
                if !command.isEmpty { lines.append("  \(command)") }
                command = ""
                lines.append(isRemoved ? "- \(old[left])" : "+ \(new[right])")
            } else if old[left].hasPrefix("$ ") {
                command = "line \(left + 1): \(old[left])"
            }
            left += isRemoved || !isInserted ? 1 : 0
            right += isRemoved ? 0 : 1
        }
        return lines.joined(separator: "\n")
    }
}

extension CollectionDifference.Change {
    fileprivate var offset: Int {
        switch self {
        case .insert(let offset, _, _), .remove(let offset, _, _): offset
        }
    }
}
