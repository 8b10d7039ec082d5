/// Writes one JSON object as one text line into its own buffer, which is allocated once.
///
///     var encoder = JSONLineEncoder()
///     encoder.begin()
///     encoder.field("type", "telemetry")
///     encoder.field("rpm", 1726.0)
///     encoder.finish()
///     // encoder.line: {"type":"telemetry","rpm":1726}⏎
///
/// - The output is always valid JSON and valid UTF-8, for any input. A key or value is written completely or not at
///   all. The closing brackets of all open levels and the line feed always have reserved room.
/// - An encoder of fixed capacity never allocates again. A value that does not fit is omitted, and ``overflowed`` is
///   set. ``mark`` and ``rollback(to:)`` remove a group of values, so that it can be written to the next text line.
/// - A number that is not finite is omitted together with its key.
///
/// Call ``begin()``, write keys and values, then call ``finish()``; ``line`` is the result. Writing a value without a
/// key into an object, or a key into an array, is a programming error that stops the process.
@safe
public struct JSONLineEncoder: ~Copyable {
  /// Maximum length of a record's text line, including its line feed, bytes.
  public static let recordCapacity = 16_384

  /// Whether a key was written for the next value.
  enum Pending: UInt8 {
    /// There is no key: the level is an array, or the key was not written yet.
    case none
    /// A key was written, and its value must follow.
    case key
    /// The key did not fit, so its value is omitted as well.
    case dropped
  }

  private(set) var base: UnsafeMutablePointer<UInt8>
  /// Size of the buffer in bytes. It increases only if the encoder was created as growable.
  public private(set) var capacity: Int
  /// Number of bytes written.
  public internal(set) var count = 0
  /// Whether a key or value did not fit and was omitted. The text line is nevertheless valid.
  public internal(set) var overflowed = false
  /// Number of reserved bytes: one for the line feed, one for the closing bracket of each open level, and the bytes
  /// that ``holdBack(_:)`` reserved.
  var kept = 1
  var depth = 0
  /// One bit for each open level, the outermost in bit 0: 1 for an array, 0 for an object.
  var arrays: UInt64 = 0
  var needsComma = false
  var pending = Pending.none
  /// Index at which the last key begins, or the comma before it. If the key's value does not fit, all bytes from here
  /// on are removed.
  var keyStart = 0
  private let growable: Bool

  /// Creates an encoder.
  ///
  /// - Parameters:
  ///   - capacity: maximum length of a text line in bytes, including its line feed; at least 16.
  ///   - growable: whether a text line may be longer than `capacity`; the buffer is then enlarged, which allocates
  ///     memory.
  public init(capacity: Int = recordCapacity, growable: Bool = false) {
    self.capacity = max(capacity, 16)
    self.growable = growable
    // The buffer exists as long as the encoder. Only the encoder stores the pointer, and `deinit` frees the buffer.
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  /// Discards the text line and opens the object of a new text line.
  public mutating func begin() {
    count = 0
    overflowed = false
    kept = 1
    depth = 0
    arrays = 0
    needsComma = false
    pending = .none
    open(UInt8(ascii: "{"), isArray: false)
  }

  /// Closes all open levels and ends the text line. There is always room for this.
  public mutating func finish() {
    while depth > 0 { end() }
    kept = 0
    unsafe base[count] = UInt8(ascii: "\n")
    count += 1
  }

  /// The written bytes; after ``finish()``, a complete text line with its line feed.
  public var line: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      // The buffer exists as long as the encoder, and `count` never exceeds `capacity`.
      let bytes = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
      return unsafe _overrideLifetime(bytes, borrowing: self)
    }
  }

  /// Calls `body` with the written bytes.
  public borrowing func withLine<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(line)
  }

  /// Reserves bytes of the buffer, so that keys that are written last fit in any case.
  ///
  /// - Parameter bytes: number of bytes; negative to release them.
  public mutating func holdBack(_ bytes: Int) { kept += bytes }

  /// Returns whether `bytes` more bytes fit, after enlarging the buffer if the encoder is growable.
  @inline(__always)
  mutating func hasRoom(_ bytes: Int) -> Bool {
    if count + bytes + kept <= capacity { return true }
    return growable && grow(for: bytes)
  }

  @inline(never)
  private mutating func grow(for bytes: Int) -> Bool {
    let longer = max(capacity * 2, count + bytes + kept)
    let replacement = UnsafeMutablePointer<UInt8>.allocate(capacity: longer)
    unsafe replacement.update(from: base, count: count)
    unsafe base.deallocate()
    unsafe base = replacement
    capacity = longer
    return true
  }
}

extension JSONLineEncoder {
  /// A position in the text line for ``JSONLineEncoder/rollback(to:)``.
  public struct Mark: Sendable {
    let count: Int
    let depth: Int
    let arrays: UInt64
    let kept: Int
    let needsComma: Bool
  }

  /// The current position. To read it between a key and its value is a programming error that stops the process.
  public var mark: Mark {
    precondition(pending == .none, "a mark stands between values")
    return Mark(count: count, depth: depth, arrays: arrays, kept: kept, needsComma: needsComma)
  }

  /// Removes everything that was written since `mark`, and resets ``overflowed``.
  public mutating func rollback(to mark: Mark) {
    precondition(mark.count <= count, "a mark of another line")
    count = mark.count
    depth = mark.depth
    arrays = mark.arrays
    kept = mark.kept
    needsComma = mark.needsComma
    pending = .none
    overflowed = false
  }
}
