/// The arguments of the command line.
struct Arguments: Sendable {
    static let help = """
        Usage: Scripts/benchmark [--quick] [--rounds N] [--instructions] [--limit SECONDS] [--json FILE] [WORKLOAD …]

          --quick         a few requests of each workload; shows that all of them run
          --rounds N      how often each client has its turn (default: 7)
          --instructions  instructions an operation instead of time, counted by valgrind's callgrind
          --limit SECONDS ends with an error when all of it takes longer (default with --quick: 100)
          --json FILE     writes the figures to a file, too
          --run CLIENT    runs one client of one workload and prints nothing; for a profiler
          --count N       how many operations --run does (default: 1000)

        Workloads: \(Workload.all.map(\.name).joined(separator: ", ")).
        """

    var isQuick = false
    var rounds = 7
    var countsInstructions = false
    var limit: Int?
    var jsonPath: String?
    var client: String?
    var count = 1_000
    var names: [String] = []
    var printsHelp = false

    init(_ words: some Sequence<String>) throws(ArgumentError) {
        var words = words.makeIterator()
        func value(of option: String) throws(ArgumentError) -> String {
            guard let value = words.next() else { throw .missingValue(option) }
            return value
        }
        func number(of option: String) throws(ArgumentError) -> Int {
            let text = try value(of: option)
            guard let number = Int(text), number > 0 else { throw .notANumber(option, text) }
            return number
        }
        while let word = words.next() {
            switch word {
            case "--quick": isQuick = true
            case "--rounds": rounds = try number(of: word)
            case "--instructions": countsInstructions = true
            case "--limit": limit = try number(of: word)
            case "--json": jsonPath = try value(of: word)
            case "--run": client = try value(of: word)
            case "--count": count = try number(of: word)
            case "--help", "-h": printsHelp = true
            case let option where option.hasPrefix("-"): throw .unknownOption(option)
            default: names.append(word)
            }
        }
    }

    func selects(_ name: String) -> Bool {
        names.isEmpty || names.contains(name)
    }
}

enum ArgumentError: Error, CustomStringConvertible {
    case unknownOption(String)
    case missingValue(String)
    case notANumber(String, String)
    case unknownWorkload([String])
    case unknownClient(String)

    var description: String {
        switch self {
        case .unknownOption(let option): "unknown option \(option); see --help"
        case .missingValue(let option): "\(option) wants a value; see --help"
        case .notANumber(let option, let text): "\(option) wants a number from 1, not \"\(text)\""
        case .unknownWorkload(let names): "no workload is called \(names.joined(separator: ", ")); see --help"
        case .unknownClient(let name): "no client of the workload is called \"\(name)\""
        }
    }
}
