import TestSupport
import XCTest

@testable import RecordInventory

final class InterruptionTests: TimedTestCase {
    override func setUp() {
        // The process that started the tests may ignore these signals.
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    }

    /// Sends the signal and waits until it has cancelled this task.
    private static func interrupt(_ number: Int32 = SIGINT) async {
        kill(getpid(), number)
        let (forever, _) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
    }

    func testControlCCancelsTheWork() async throws {
        let exitCode = await withTimeLimit {
            await Interruption.watching {
                await Self.interrupt()
                return Task.isCancelled ? .network : .failed
            }
        }
        XCTAssertEqual(exitCode, .interrupted)
    }

    func testAShutdownAndAClosedTerminalCancelItToo() async throws {
        for number in [SIGTERM, SIGHUP] {
            let exitCode = await withTimeLimit {
                await Interruption.watching {
                    await Self.interrupt(number)
                    return .failed
                }
            }
            XCTAssertEqual(exitCode, .interrupted, "signal \(number)")
        }
    }

    /// The main thread gets the signal, since the others block it, and may hold the lock of the allocator.
    @MainActor
    func testASignalDuringAnAllocation() async {
        for _ in 0..<50 {
            let isCancelled = Kept(false)
            async let exitCode = Interruption.watching {
                await Self.interrupt()
                isCancelled.set(true)
                return .failed
            }
            var kept: [UnsafeMutableRawPointer?] = []
            while !isCancelled.now { kept.append(malloc(33)) }
            kept.forEach { free($0) }
            assertEqual(await exitCode, .interrupted)
        }
    }

    func testWorkThatWasDoneAllTheSameIsDone() async throws {
        let exitCode = await withTimeLimit {
            await Interruption.watching {
                await Self.interrupt()
                return .done
            }
        }
        XCTAssertEqual(exitCode, .done)
    }

    /// A script ignores SIGINT for the commands that it starts with `&`. `nohup` ignores SIGHUP.
    func testAControlCThatIsIgnoredStaysSo() async {
        let before = signal(SIGINT, SIG_IGN)
        defer { signal(SIGINT, before) }
        let exitCode = await Interruption.watching {
            XCTAssertTrue(Self.isIgnored, "while it works")
            return .notFound
        }
        XCTAssertEqual(exitCode, .notFound)
        XCTAssertTrue(Self.isIgnored, "afterwards")
    }

    private static var isIgnored: Bool {
        let handler = signal(SIGINT, SIG_IGN)
        signal(SIGINT, handler)
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    func testWithoutControlCTheWorkDecides() async {
        assertEqual(await Interruption.watching { .notFound }, .notFound)
    }
}
