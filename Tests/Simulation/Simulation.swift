import Foundation

/// Runs random calls in random orders, and checks what holds in each order.
@main
struct Simulation {
    nonisolated(unsafe) private static var seed: UInt64 = 0

    static func main() {
        var first: UInt64?
        var runs: UInt64?
        var arguments = CommandLine.arguments.dropFirst().makeIterator()
        while let argument = arguments.next() {
            let number = arguments.next().flatMap { UInt64($0) }
            switch argument {
            case "--seed" where number != nil: first = number
            case "--runs" where number != nil: runs = number
            default:
                print("Usage: Scripts/simulate [--seed N] [--runs N]")
                exit(64)
            }
        }
        World.takeJobs()
        try? FileManager.default.createDirectory(at: Run.folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: Run.folder) }
        // A trap in the library ends the process. The seed repeats it.
        for trap in [SIGILL, SIGTRAP, SIGSEGV, SIGABRT] {
            signal(trap) { number in
                print("Trapped with seed \(Simulation.seed)")
                signal(number, SIG_DFL)
                raise(number)
            }
        }
        if let first, runs == nil { return tell(Plan(seed: first)) }
        runMany(from: first ?? UInt64.random(in: 0..<1 << 48), runs ?? 1000)
    }

    private static func runMany(from first: UInt64, _ runs: UInt64) {
        let start = ContinuousClock.now
        var orders = Set<UInt64>()
        for seed in first..<first + runs {
            Self.seed = seed
            let run = Run(Plan(seed: seed))
            run.run()
            orders.insert(run.world.order)
            guard let violation = run.world.violation else { continue }
            print("Seed \(seed) fails, after \(seed - first + 1) runs: \(violation)")
            print("Scripts/simulate --seed \(seed) tells the whole run. A smaller one:\n")
            tell(shrunk(run.plan, violation))
            exit(1)
        }
        let time = (ContinuousClock.now - start) / .seconds(1)
        print(
            "\(runs) runs from seed \(first): \(orders.count) different orders, "
                + "\(Int(Double(runs) / time)) runs a second"
        )
    }

    /// Returns the smallest plan that was found to break the same rule.
    private static func shrunk(_ plan: Plan, _ violation: String) -> Plan {
        var smallest = plan
        while let smaller = failing(smallest.smaller, violation) { smallest = smaller }
        return smallest
    }

    private static func failing(_ plans: [Plan], _ violation: String) -> Plan? {
        let rule = violation.filter { !$0.isNumber }
        for var plan in plans {
            for order in 0..<20 as Range<UInt64> {
                plan.orderSeed = order == 0 ? plan.orderSeed : order
                let run = Run(plan)
                run.run()
                if run.world.violation?.filter({ !$0.isNumber }) == rule { return plan }
            }
        }
        return nil
    }

    /// Runs a plan and prints what happens.
    private static func tell(_ plan: Plan) {
        seed = plan.seed
        for line in plan.lines { print(line) }
        let run = Run(plan, keepsStory: true)
        run.run()
        for line in run.world.story ?? [] { print(line) }
        print(run.world.violation.map { "Broken: \($0)" } ?? "No rule was broken.")
        if run.world.violation != nil { exit(1) }
    }
}
