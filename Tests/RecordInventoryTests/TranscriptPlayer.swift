import RecordKit
import RecordKitJSON
import TestSupport
import XCTest

@testable import RecordInventory

/// Runs the commands of a transcript, and writes the transcript of what they print.
///
/// | a line that begins with | is |
/// |---|---|
/// | `# ` | the title of a story, which begins with an empty folder |
/// | `## ` | a comment |
/// | `@ 2026-01-31` | the day from here on. Each command takes a minute |
/// | `@ PATCH LP-1 {"quantity":3}` | the request of another program, which changes the record with this id |
/// | `@ PUT LP-1` | the request of another program, which adds a record, here without any field; so does `DELETE` |
/// | `@ PUT movements/M {}` | the request of another program for another collection |
/// | `> name` | a file, with the lines below that begin with `\| ` |
/// | `$ ` | a command. `~/` is the folder, `SAMPLES/` the one of samples, `NAME=value` a variable; `cat FILE` and `ls ~/` show files |
/// | `< ` | a line of standard input of the command above |
/// | `? ` | a line that is typed at a terminal: the command above runs on one. Without an answer, `?` |
/// | `! ` | a line of standard error |
/// | `[64]` | the exit code, if it is not 0 |
///
/// All other lines are standard output, with ` | ` for a tab. Ids that the tool makes up are called `ID-1`, `ID-2` and
/// so on, in commands too. Versions of the store are called `VERSION`. A backslash precedes a line of output that
/// begins like one of the others.
struct TranscriptPlayer {
    private var till: Till
    private var ids: [String] = []
    private var minutes = 9 * 60
    private let samples: String
    private let kinto: LiveKinto?
    /// The shop on a server.
    private let bucket = "transcript-\(UUID().uuidString.lowercased())"

    private init(_ kinto: LiveKinto?) throws {
        till = try Till()
        samples = try Sample.url("").path
        self.kinto = kinto
        till.day = try CalendarDay("2026-01-01")
    }

    /// - Parameter kinto: The server with a shop for each story. Without one, each story has a store.
    static func replay(_ transcript: String, on kinto: LiveKinto? = nil) async throws -> String {
        var player = try TranscriptPlayer(kinto)
        var rest = transcript.components(separatedBy: "\n")[...]
        var lines: [String] = []
        func takeLines(_ mark: String) -> [String] {
            let taken = Array(rest.prefix { $0 == mark || $0.hasPrefix(mark + " ") })
            rest = rest.dropFirst(taken.count)
            lines += taken
            return taken.map { String($0.dropFirst(mark.count + 1)) }
        }
        while let line = rest.popFirst() {
            let words = line.dropFirst(2)
            switch line.prefix(2) {
            case "# ":
                player = try TranscriptPlayer(kinto)
                lines.append(line)
            case "##": lines.append(line)
            case "@ ":
                lines.append(line)
                try await player.set(words)
            case "> ":
                lines.append(line)
                let content = takeLines("|").map { $0 + "\n" }.joined()
                let file = player.till.folder.url.appending(path: words)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(content.utf8).write(to: file)
            case "$ ":
                lines.append(line)
                let input = takeLines("<")
                lines += try await player.run(words, input: input, answers: takeLines("?"))
            case "":
                let isBeforeStep = rest.first.map { $0.isEmpty || "#@>$".contains($0.first!) } ?? true
                if isBeforeStep, lines.last?.isEmpty == false { lines.append("") }
            default: break  // what a command printed
            }
        }
        return lines.joined(separator: "\n")
    }

    private mutating func set(_ words: Substring) async throws {
        let parts = words.split(separator: " ", maxSplits: 2).map(String.init)
        if let method = [HTTPMethod.put, .patch, .delete].first(where: { $0.rawValue == parts[0] }) {
            let values = parts.count == 3 ? try JSONValue(stored: Array(parts[2].utf8)) : nil
            guard let kinto else { return _ = try await till.send(method, parts[1], values) }
            let names = parts[1].split(separator: "/").map(String.init)
            let path = ShopPath.object(names.last ?? "", of: names.count > 1 ? names[0] : "records", in: bucket)
            try await Stock(kinto.network, bucket: bucket).server.value(
                for: Write(path: path, data: values ?? [:], method: method))
        } else {
            till.day = try CalendarDay(String(words))
            minutes = 9 * 60
        }
    }

    private mutating func run(_ line: Substring, input: [String], answers: [String]) async throws -> [String] {
        var words = Self.words(line).map(revealed)
        if words.first == "cat" {
            return printed(try String(contentsOfFile: words.last ?? "", encoding: .utf8))
        } else if words == ["ls", till.folder.url.path + "/"] {
            return try till.folder.names
        }
        let folder = till.folder.url.path
        var environment = ["HOME": folder, "RECORD_INVENTORY_TILL": "Counter"]
        // Not in the folder of the story, which a story may list.
        let secrets = try TemporaryFolder()
        let own = try kinto?.environment(secrets) ?? ["RECORD_INVENTORY_STORE": folder + "/stock.sqlite"]
        environment.merge(own) { given, _ in given }
        while let word = words.first, let assignment = word.wholeMatch(of: /([A-Z_]+)=(.*)/) {
            environment[String(assignment.1)] = String(assignment.2)
            words.removeFirst()
        }
        minutes += 1
        till.minutes = minutes
        till.place = kinto == nil || words.contains("--bucket") ? [] : ["--bucket", bucket]
        let outcome = await till.type(
            words, answer: answers.isEmpty ? nil : answers.map { $0 + "\n" }.joined(), environment: environment,
            input: input.isEmpty ? nil : input.map(revealed).map { $0 + "\n" }.joined(),
            columns: environment["COLUMNS"].flatMap(Int.init) ?? 100)
        return printed(outcome.results) + printed(outcome.messages, mark: "! ")
            + (outcome.exitCode == .done ? [] : ["[\(outcome.exitCode.rawValue)]"])
    }

    /// Splits a command as a shell does. Backslashes are characters like others.
    private static func words(_ line: Substring) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in line {
            if character == quote {
                quote = nil
            } else if quote == nil, "'\"".contains(character) {
                quote = character
                word = word ?? ""
            } else if quote == nil, character == " " {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }

    /// Returns a word with the folder for `~/` and the true id for `ID-1`.
    private func revealed(_ word: String) -> String {
        var word = word.replacingOccurrences(of: "~/", with: till.folder.url.path + "/")
            .replacingOccurrences(of: "SAMPLES", with: samples)
        for (index, id) in ids.enumerated().reversed() {
            word = word.replacingOccurrences(of: "ID-\(index + 1)", with: id)
        }
        return word
    }

    /// Returns the lines of an output without what differs from run to run.
    private mutating func printed(_ text: String, mark: String = "") -> [String] {
        guard !text.isEmpty else { return [] }
        for match in text.matches(of: /\d{6}-[A-Z][A-Z0-9]{7}[A-Z0-9]*/) where !ids.contains(String(match.output)) {
            ids.append(String(match.output))
        }
        var text = text.replacingOccurrences(of: till.folder.url.path, with: "~")
            .replacingOccurrences(of: samples, with: "SAMPLES")
            .replacingOccurrences(of: bucket, with: "shop")
            .replacing(/-\d{13}\b/, with: "-VERSION")
            // The progress of what takes long on a busy machine, and the waits for its disk.
            .replacing(/\w+ +(\d+% \[[#.]*\]|[\d,]+, )[^\r\n]*\r\u{1B}\[K/, with: "")
            .replacing(/Waiting for [^\n]* …\n/, with: "")
            // A server for trials.
            .replacing(/This server has no transactions[^\n]*\n/, with: "")
        for (index, id) in ids.enumerated() { text = text.replacingOccurrences(of: id, with: "ID-\(index + 1)") }
        var lines = text.replacingOccurrences(of: "\t", with: " | ").components(separatedBy: "\n")
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { line in
            let isMarked = mark.isEmpty && ["# ", "##", "@ ", "> ", "$ "].contains { line.hasPrefix($0) }
            let line = (isMarked ? "\\" : mark) + line
            let end = line.lastIndex { $0 != " " }.map(line.index(after:)) ?? line.startIndex
            return String(line[..<end])
        }
    }
}
