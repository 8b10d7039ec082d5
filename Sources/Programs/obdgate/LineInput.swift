import Failures
import Glibc

/// Blocks of bytes from a file or standard input.
struct InputFile: ~Copyable {
  let path: String
  private let descriptor: Int32

  /// - Parameter path: a file's, or `-` for standard input.
  /// - Throws: 66 where it is missing or a directory, 74 where it cannot be read.
  init(path: String) throws(Failure) {
    self.path = path == "-" ? "standard input" : path
    if path == "-" {
      descriptor = STDIN_FILENO
      return
    }
    let opened = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard opened >= 0 else { throw Self.failure(path, errno) }
    descriptor = opened
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// Reads into the array's front; 0 at the end.
  func read(into block: inout [UInt8]) throws(Failure) -> Int {
    while true {
      let count = unsafe block.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress!, $0.count) }
      if count >= 0 { return count }
      if errno != EINTR { throw Self.failure(path, errno) }
    }
  }

  /// The whole file; for configuration and signal sets, which are small.
  static func contents(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    let file = try InputFile(path: path)
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var all: [UInt8] = []
    while true {
      let count = try file.read(into: &block)
      if count == 0 { return all }
      all.append(contentsOf: block[..<count])
      guard all.count <= limit else { throw Failure(.badData, "\(path): larger than \(limit) bytes") }
    }
  }

  static func failure(_ path: String, _ number: Int32) -> Failure {
    switch number {
    case ENOENT, ENOTDIR: Failure(.noInput, "\(path): no such file")
    case EISDIR: Failure(.noInput, "\(path): is a directory: name a file in it")
    default: Failure(.unreadable, "\(path): cannot be read: \(systemReason(number))")
    }
  }
}

/// Lines of standard input, each at most 1 MiB, handed on as they come.
struct LineInput: ~Copyable {
  /// A line longer than this is bad data.
  static let limit = 1 << 20

  enum Event {
    /// The line's range in ``bytes``.
    case line(Range<Int>)
    /// A line past the limit; it has been dropped.
    case tooLong
    /// No whole line is here: what came has been worked off, the next call waits for more.
    case wait
    case end
  }

  private let file: InputFile
  private(set) var bytes: [UInt8] = []
  private var block = [UInt8](repeating: 0, count: 1 << 18)
  private var start = 0
  private var scanned = 0
  private var isDropping = false
  private var isAtEnd = false
  private var hasWaited = false

  init(path: String) throws(Failure) { file = try InputFile(path: path) }

  /// The next line; ``Event/wait`` once before each read, so that the caller can flush.
  mutating func next() throws(Failure) -> Event {
    while true {
      if let feed = firstFeed() {
        let range = start..<feed
        start = feed + 1
        scanned = start
        if isDropping {
          isDropping = false
          return .tooLong
        }
        return range.count > Self.limit ? .tooLong : .line(range)
      }
      if bytes.count - start > Self.limit {
        isDropping = true
        start = bytes.count
      }
      if isAtEnd {
        let range = start..<bytes.count
        start = bytes.count
        if isDropping {
          isDropping = false
          return .tooLong
        }
        return range.isEmpty ? .end : .line(range)
      }
      if !hasWaited {
        hasWaited = true
        return .wait
      }
      hasWaited = false
      try fill()
    }
  }

  private mutating func firstFeed() -> Int? {
    var i = max(scanned, start)
    while i < bytes.count {
      if bytes[i] == 0x0A { return i }
      i += 1
    }
    scanned = i
    return nil
  }

  private mutating func fill() throws(Failure) {
    if start > 0 {
      bytes.removeSubrange(0..<start)
      scanned -= start
      start = 0
    }
    let count = try file.read(into: &block)
    if count == 0 { isAtEnd = true } else { bytes.append(contentsOf: block[..<count]) }
  }
}
