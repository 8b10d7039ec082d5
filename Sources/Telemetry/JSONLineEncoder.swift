/// Writes one JSON object as one line of text into a buffer of its own, which is allocated once.
///
///     {"type":"telemetry","rpm":1726,"ecus":{"7E9":{"speed":12.5}}}⏎
///
/// Constraints, all of them kept by construction:
/// - What is written is valid JSON and valid UTF-8, whatever bytes come in: a key or value goes in whole or not at
///   all, the closing brackets of everything that is open and the line feed always have their room kept free.
/// - A fixed encoder never allocates again. A value that does not fit is left out and ``overflowed`` says so;
///   ``mark`` and ``rollback(to:)`` take a group of values out again, so that it can go into the next line.
/// - A value that is not a finite number is no value: it is left out together with its key.
///
/// Call order: ``begin()``, then keys and values, then ``finish()``; ``line`` is what was written. A value without a
/// key in an object, or a key in an array, is a programming error and traps.
@safe
public struct JSONLineEncoder: ~Copyable {
  /// The longest line of the records' contract, with its line feed.
  public static let recordCapacity = 16_384

  /// What the next value needs in front of it.
  enum Pending: UInt8 {
    /// Nothing: the level is an array, or no key was written yet.
    case none
    /// A key stands there and waits for its value.
    case key
    /// The key did not fit: its value is dropped with it.
    case dropped
  }

  private(set) var base: UnsafeMutablePointer<UInt8>
  /// Bytes of the buffer; grows only where the encoder was made growable.
  public private(set) var capacity: Int
  /// Bytes written so far.
  public internal(set) var count = 0
  /// True once something did not fit; what did not is absent, the rest is valid.
  public internal(set) var overflowed = false
  /// Bytes kept free for the line feed, one closing bracket for each open level and what ``holdBack(_:)`` asked.
  var kept = 1
  var depth = 0
  /// Bit n: level n + 1 is an array.
  var arrays: UInt64 = 0
  var needsComma = false
  var pending = Pending.none
  /// Where the pending key began, comma included.
  var keyStart = 0
  private let growable: Bool

  /// - Parameters:
  ///   - capacity: bytes of the longest line, its line feed included; at least 16.
  ///   - growable: whether a longer line makes the buffer grow (which allocates) rather than overflow.
  public init(capacity: Int = recordCapacity, growable: Bool = false) {
    self.capacity = max(capacity, 16)
    self.growable = growable
    // One buffer for the encoder's whole life; deinit gives it back, nothing else holds the pointer.
    unsafe base = .allocate(capacity: self.capacity)
  }

  deinit { unsafe base.deallocate() }

  /// Forgets the line and opens the object of a new one.
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

  /// Closes whatever is open and ends the line. Always fits.
  public mutating func finish() {
    while depth > 0 { end() }
    kept = 0
    unsafe base[count] = UInt8(ascii: "\n")
    count += 1
  }

  /// The bytes written; after ``finish()`` a whole line with its line feed.
  public var line: Span<UInt8> {
    @_lifetime(borrow self)
    borrowing get {
      // The buffer lives as long as the encoder and `count` never passes `capacity`.
      let bytes = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
      return unsafe _overrideLifetime(bytes, borrowing: self)
    }
  }

  /// Calls `body` with the bytes written.
  public borrowing func withLine<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try body(line)
  }

  /// Keeps `bytes` of the buffer free until they are released by a negative number.
  ///
  /// For a last key that must find its place however long the rest became.
  public mutating func holdBack(_ bytes: Int) { kept += bytes }

  /// Says whether `bytes` more fit, making the buffer longer where that is allowed.
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
  /// A place to come back to.
  public struct Mark: Sendable {
    let count: Int
    let depth: Int
    let arrays: UInt64
    let kept: Int
    let needsComma: Bool
  }

  /// The place reached; not between a key and its value.
  public var mark: Mark {
    precondition(pending == .none, "a mark stands between values")
    return Mark(count: count, depth: depth, arrays: arrays, kept: kept, needsComma: needsComma)
  }

  /// Takes back everything written since `mark`, an overflow included.
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
