import Foundation

@main
enum RecordInventory {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let shell = Shell.standard()
        let exitCode = await Interruption.watching {
            await shell.run(arguments, run: CommandRunner.run)
        }
        exit(exitCode.rawValue)
    }
}
