/// The options that every command understands, as typed.
struct GlobalOptions: Equatable, Sendable {
    var store: String?
    var server: String?
    var bucket: String?
    var passwordFromStandardInput = false
    var json = false
    var verbosity = Console.Verbosity.normal
    var allowsColor = true
}

extension GlobalOptions {
    init(_ arguments: ArgumentScanner) throws(UsageError) {
        store = arguments.value("--store")
        server = arguments.value("--server")
        bucket = arguments.value("--bucket")
        passwordFromStandardInput = arguments.has("--password-stdin")
        json = arguments.has("--json")
        verbosity = arguments.has("--quiet") ? .quiet : arguments.has("--verbose") ? .verbose : .normal
        allowsColor = !arguments.has("--no-color")
        for option in Option.global where arguments.value(option.name)?.isEmpty == true {
            throw UsageError(option.complaint)
        }
        if let bucket, !bucket.isKintoID {
            throw UsageError("--bucket wants a name of letters, digits, - and _, which starts with a letter or digit")
        }
        if arguments.has("--quiet"), arguments.has("--verbose") {
            throw UsageError("--quiet and --verbose contradict each other")
        }
    }
}
