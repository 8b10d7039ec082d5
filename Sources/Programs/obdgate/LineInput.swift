import Failures
import Glibc

/// Reads blocks of bytes from a file or from stdin.
struct InputFile: ~Copyable {
  let path: String
  private let descriptor: Int32

  /// Opens a file.
  ///
  /// - Parameter path: path of the file, or `-` for stdin.
  /// - Throws: an error with exit status 66 if the file does not exist or is a directory, or with 74 if it cannot be
  ///   opened.
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

  /// Reads bytes into the start of `block`. Returns their number; 0 at the end of the file.
  func read(into block: inout [UInt8]) throws(Failure) -> Int {
    while true {
      let count = unsafe block.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress!, $0.count) }
      if count >= 0 { return count }
      if errno != EINTR { throw Self.failure(path, errno) }
    }
  }

  /// The size of the file, bytes; `nil` if it is not a regular file, for example a pipe.
  private var size: Int? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Int(status.st_size)
  }

  /// Reads a whole file of at most `limit` bytes, such as a configuration or a signal set.
  static func contents(of path: String, limit: Int) throws(Failure) -> [UInt8] {
    let file = try InputFile(path: path)
    let size = file.size ?? 0
    // A file that is too large is rejected before it is read.
    guard size <= limit else { throw Failure(.badData, "\(path): larger than \(limit) bytes") }
    var block = [UInt8](repeating: 0, count: 1 << 16)
    var all: [UInt8] = []
    all.reserveCapacity(size + block.count)
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

/// Reads the text lines of a file or of stdin as they arrive. Each may have at most 1 MiB.
struct LineInput: ~Copyable {
  /// Maximum length of a text line, bytes. A longer line is discarded and reported as ``Event/tooLong``.
  static let limit = 1 << 20

  enum Event {
    /// A text line without its line feed. The value is the line's range in ``bytes``.
    case line(Range<Int>)
    /// A text line was longer than the limit and was discarded.
    case tooLong
    /// No complete text line is in the buffer. The next call waits for input.
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

  /// Returns the next event. ``Event/wait`` comes once before each read, so that the caller can flush its output before
  /// the program waits.
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
