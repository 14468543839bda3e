import RecordKitJSON
import RecordKit

/// Looks up releases at MusicBrainz.
struct LookupCommand: Command {
    let query: ReleaseQuery
    var limit = 10
    var isFresh = false

    static let usage = CommandUsage(
        name: "lookup", synonyms: ["musicbrainz"],
        operands: CommandUsage.Operands("BARCODE|WORDS", .text, count: 1...20),
        summary: "look up a release at MusicBrainz",
        explanation: """
            Shows the releases with a barcode, or with words of their artist, title or catalog number. add --lookup adds
            one. Sends one request a second at most, over all processes, and keeps the responses in
            ~/.cache/record-inventory. RECORD_INVENTORY_MUSICBRAINZ is the URL of another server with the same service.
            """,
        options: [
            Option("--limit", .number, help: "the number of releases (default: 10)"),
            Option("--fresh", help: "ask again, although the response is known"), .fields(of: Release.fieldNames),
        ],
        examples: ["lookup 0075992703826", "lookup joni mitchell blue --json"], worksWithoutStore: true)

    init(_ arguments: ArgumentScanner) throws(UsageError) {
        let words = arguments.operands.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map(String.init)
        query = (try? Barcode(words.joined(separator: " "))).map { .barcode($0) } ?? .words(words)
        limit = try arguments.integer("--limit", in: 1...100) ?? limit
        isFresh = arguments.has("--fresh")
    }

    func run(in context: CommandContext) async throws -> ExitCode {
        let releases = try await context.releases(query, limit: limit, isFresh: isFresh)
        try context.reporter.print(releases)
        if releases.isEmpty { throw CommandFailure(.notFound, "MusicBrainz knows no such release") }
        return .done
    }
}

extension CommandContext {
    /// Looks up releases.
    func releases(_ query: ReleaseQuery, limit: Int, isFresh: Bool = false) async throws -> [Release] {
        let catalog = ReleaseCatalog(
            settings?.catalog ?? ReleaseCatalog.Place(), over: NetworkConfiguration.transport(),
            timeout: options.timeout)
        do {
            return try await catalog.releases(query, limit: limit, isFresh: isFresh)
        } catch {
            switch error {
            case .busy: throw CommandFailure(.rateLimited, error.description)
            case .network(.cancelled): throw CancellationError()
            case .network(.connection), .network(.timedOut), .network(.badResponse):
                throw CommandFailure(.network, error.description)
            case .network: throw CommandFailure(.failed, error.description)
            }
        }
    }

    /// Asks which of the releases with a barcode it is. Returns `nil` if none of them.
    func chosenRelease(_ barcode: Barcode) async throws -> Release? {
        guard console.canAsk else {
            throw UsageError(
                "--lookup asks only at a terminal; type `lookup \(barcode.ean13)`, and give --artist and --title")
        }
        let releases = try await releases(.barcode(barcode), limit: 10)
        if releases.isEmpty {
            throw CommandFailure(
                .notFound, "MusicBrainz does not know the barcode \(barcode.ean13): give --artist and --title")
        }
        var known: Set<String> = []
        // Editions that differ in what is not filled are one question.
        for release in releases
        where known.insert("\(release.artist)\0\(release.title)\0\(release.label ?? "")").inserted {
            if try console.confirm("Add \(release.name)?") == true { return release }
        }
        return nil
    }
}

extension Release: Row {
    static let fields: [RowColumn<Release>] = [
        RowColumn("artist") { $0.artist }, RowColumn("title") { $0.title }, RowColumn("label", leaves: 3) { $0.label },
        RowColumn("catalogue_number", "number", leaves: 2) { $0.catalogueNumber },
        RowColumn("year", isNumeric: true) { $0.year.map { "\($0)" } }, RowColumn("country", leaves: 4) { $0.country },
        RowColumn("format", leaves: 5) { $0.format }, RowColumn("barcode", leaves: 1) { $0.barcode },
    ]

    var printedJSON: JSONValue {
        [
            "artist": .string(artist), "title": .string(title), "label": JSONValue(label),
            "catalogue_number": JSONValue(catalogueNumber), "year": JSONValue(year), "country": JSONValue(country),
            "format": JSONValue(format), "barcode": JSONValue(barcode),
        ]
    }
}
