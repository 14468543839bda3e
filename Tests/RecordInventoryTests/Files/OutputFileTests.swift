import TestSupport
import XCTest

@testable import RecordInventory

final class OutputFileTests: TimedTestCase {
    func testTheOldFileStaysUntilTheNewOneIsWhole() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old".utf8, to: "out.csv")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        let file = try OutputFile(path)
        try file.write(Array(repeating: UInt8(ascii: "x"), count: 200_000))
        XCTAssertEqual(try folder.text(of: "out.csv"), "old")
        try file.finish()
        XCTAssertEqual(try folder.text(of: "out.csv").count, 200_000)
        XCTAssertEqual(try folder.names, ["out.csv"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        XCTAssertEqual(mode, 0o640)
    }

    func testAnAbandonedRequestLeavesNothingBehind() throws {
        let folder = try TemporaryFolder()
        try OutputFile(folder.path("out.csv")).write(Array(repeating: 0x61, count: 100_000))
        XCTAssertEqual(try folder.names, [])
    }

    func testALinkKeepsPointingToTheFile() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("old".utf8, to: "real.csv")
        try FileManager.default.createSymbolicLink(atPath: folder.path("link.csv"), withDestinationPath: path)
        let file = try OutputFile(folder.path("link.csv"))
        try file.write("new".utf8)
        try file.finish()
        XCTAssertEqual(try folder.text(of: "real.csv"), "new")
        XCTAssertEqual(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path("link.csv")), path)
    }

    func testALinkToNothingYetIsFollowed() throws {
        let folder = try TemporaryFolder()
        let manager = FileManager.default
        try manager.createDirectory(atPath: folder.path("inner"), withIntermediateDirectories: false)
        try manager.createSymbolicLink(atPath: folder.path("link.csv"), withDestinationPath: "inner/link.csv")
        try manager.createSymbolicLink(
            atPath: folder.path("inner/link.csv"), withDestinationPath: folder.path("inner/real.csv"))
        let file = try OutputFile(folder.path("link.csv"))
        XCTAssertFalse(file.replacesFile)
        try file.write("new".utf8)
        try file.finish()
        XCTAssertEqual(try folder.text(of: "inner/real.csv"), "new")
        XCTAssertEqual(try manager.destinationOfSymbolicLink(atPath: folder.path("link.csv")), "inner/link.csv")
        XCTAssertEqual(try manager.contentsOfDirectory(atPath: folder.path("inner")).count, 2)
    }

    func testLinksThatLeadNowhereAreRefused() throws {
        let folder = try TemporaryFolder()
        for (link, target, code) in [
            ("a", "b", ENOENT), ("b", "a", ELOOP), ("self", "self", ELOOP), ("gone", "none/file.csv", ENOENT),
        ] {
            try FileManager.default.createSymbolicLink(atPath: folder.path(link), withDestinationPath: target)
            guard link != "a" else { continue }
            XCTAssertThrowsError(try OutputFile(folder.path(link)).finish(), link) {
                XCTAssertEqual($0 as? FileError, FileError(path: folder.path(link), action: .written, code: code))
            }
        }
        XCTAssertEqual(try folder.names, ["a", "b", "gone", "self"])
    }

    func testDevicesAreWrittenDirectly() throws {
        let file = try OutputFile("/dev/null")
        try file.write("gone".utf8)
        try file.finish()
        var status = stat()
        XCTAssertEqual(stat("/dev/null", &status), 0)
        XCTAssertEqual(status.st_mode & S_IFMT, S_IFCHR)
    }

    /// Its folder would permit replacing it.
    func testAFileThatMayOnlyBeReadStays() throws {
        try XCTSkipIf(geteuid() == 0, "root may write every file")
        let folder = try TemporaryFolder()
        let path = try folder.write("old".utf8, to: "out.csv")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: path)
        XCTAssertThrowsError(try OutputFile(path)) {
            XCTAssertEqual($0 as? FileError, FileError(path: path, action: .written, code: EACCES))
        }
    }

    func testTheNewFileHasTheOwnerOfTheOld() throws {
        try XCTSkipIf(geteuid() != 0, "only root may give a file away")
        let folder = try TemporaryFolder()
        let path = try folder.write("old".utf8, to: "out.csv")
        XCTAssertEqual(chown(path, 12_345, 54_321), 0)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try OutputFile(path).finish()
        var status = stat()
        XCTAssertEqual(stat(path, &status), 0)
        XCTAssertEqual([status.st_uid, status.st_gid, status.st_mode & 0o777], [12_345, 54_321, 0o640])
    }

    func testAFolderThatMayNotBeWrittenIsNamed() throws {
        try XCTSkipIf(geteuid() == 0, "root may write in every folder")
        let folder = try TemporaryFolder()
        let path = try folder.write("old".utf8, to: "out.csv")
        chmod(folder.url.path, 0o555)
        defer { chmod(folder.url.path, 0o755) }
        for path in [path, folder.path("new.csv")] {
            XCTAssertThrowsError(try OutputFile(path)) {
                XCTAssertEqual(
                    "\($0)",
                    "\(path) could not be written: you are not allowed to make files in its folder \(folder.url.path)/")
            }
        }
    }

    func testSaysWhyAFileCannotBeWritten() throws {
        let folder = try TemporaryFolder()
        for (path, code) in [(folder.path("none/out.csv"), ENOENT), (folder.url.path, EISDIR)] {
            XCTAssertThrowsError(try OutputFile(path)) { error in
                XCTAssertEqual(error as? FileError, FileError(path: path, action: .written, code: code))
            }
        }
        XCTAssertTrue(
            FileError(path: "a", action: .written, code: ENOSPC).description
                == "a could not be written: the disk is full")
        #if os(Linux)
        let full = try OutputFile("/dev/full")
        try full.write("x".utf8)
        XCTAssertThrowsError(try full.finish()) { XCTAssertEqual(($0 as? FileError)?.code, ENOSPC) }
        #endif
    }
}
