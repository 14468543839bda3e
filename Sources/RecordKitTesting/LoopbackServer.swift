public import RecordKit
