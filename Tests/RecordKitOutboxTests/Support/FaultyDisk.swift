import CSQLite
import Foundation
import Synchronization

/// A disk for SQLite that counts writes and syncs, and fails some of them: a VFS around the one of the system.
enum FaultyDisk {
    struct State {
        var writes = 0
        var syncs = 0
        /// The operations that fail, of all writes and syncs, counted from 0.
        var failing: Range<Int> = 0..<0
        /// Whether every write fails, since the disk is full.
        var isFull = false
        var hasFailed = false

        mutating func fails() -> Bool {
            let index = writes + syncs
            guard isFull || failing.contains(index) else { return false }
            hasFailed = true
            return true
        }
    }

    fileprivate static let state = Mutex(State())
    /// The methods of the system for files, by the address of ours.
    fileprivate static let methods = Mutex<[UInt: UInt]>([:])

    static var now: State { state.withLock { $0 } }

    /// Begins to count again, and lets operations fail.
    static func set(failing: Range<Int> = 0..<0, isFull: Bool = false) {
        install
        state.withLock { $0 = State(failing: failing, isFull: isFull) }
    }

    /// Runs work while the disk is full.
    static func setFull(_ isFull: Bool) { state.withLock { $0.isFull = isFull } }

    /// SQLite's own structure, which doesn't change.
    nonisolated(unsafe) fileprivate static let system = sqlite3_vfs_find(nil)!

    private static let install: Void = {
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.pointee = system.pointee
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup("faulty"))
        vfs.pointee.xOpen = { _, name, file, flags, outFlags in
            let code = FaultyDisk.system.pointee.xOpen(FaultyDisk.system, name, file, flags, outFlags)
            guard code == SQLITE_OK, let file, let original = file.pointee.pMethods else { return code }
            file.pointee.pMethods = FaultyDisk.replaced(original)
            return code
        }
        sqlite3_vfs_register(vfs, 1)
    }()

    /// Returns the methods of a file with ours in place of writes and syncs.
    private static func replaced(_ original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        methods.withLock { methods in
            let address = UInt(bitPattern: original)
            if let ours = methods.first(where: { $0.value == address })?.key {
                return UnsafePointer(bitPattern: ours)!
            }
            let ours = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            ours.pointee = original.pointee
            ours.pointee.xWrite = { file, bytes, count, offset in
                let isFull = FaultyDisk.state.withLock { state in
                    defer { state.writes += 1 }
                    return state.fails()
                }
                return isFull ? SQLITE_FULL : FaultyDisk.original(of: file).xWrite(file, bytes, count, offset)
            }
            ours.pointee.xSync = { file, flags in
                let fails = FaultyDisk.state.withLock { state in
                    defer { state.syncs += 1 }
                    return state.fails()
                }
                // SQLITE_IOERR_FSYNC
                return fails ? SQLITE_IOERR | 4 << 8 : FaultyDisk.original(of: file).xSync(file, flags)
            }
            methods[UInt(bitPattern: ours)] = address
            return UnsafePointer(ours)
        }
    }

    fileprivate static func original(of file: UnsafeMutablePointer<sqlite3_file>?) -> sqlite3_io_methods {
        let address = methods.withLock { $0[UInt(bitPattern: file?.pointee.pMethods)] }
        return UnsafePointer<sqlite3_io_methods>(bitPattern: address ?? 0)!.pointee
    }
}
