import Foundation

@main
enum RecordInventory {
    static func main() async {
        // `CommandLine.arguments` replaces bytes that are not UTF-8 with U+FFFD.
        let arguments = (1..<max(Int(CommandLine.argc), 1)).map { index in
            CommandLine.unsafeArgv[index].flatMap { String(validatingCString: $0) }
        }
        let shell = Shell.standard()
        let exitCode = await Interruption.watching { await shell.run(arguments) }
        exit(exitCode.rawValue)
    }
}
