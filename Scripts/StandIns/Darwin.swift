// Declarations of Darwin that RecordKitOutbox uses, for Scripts/apple on Linux. Nothing of it is run.

@_exported import Glibc

public func fclonefileat(
    _ source: Int32, _ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: UInt32
) -> Int32 { -1 }
