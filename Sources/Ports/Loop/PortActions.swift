/// What a ``PortHandler`` wants done. Nothing in it takes memory from the heap once it is made.
public struct PortActions: ~Copyable {
  /// How many bytes may wait for the device to take them: the longest command of an adapter many times over.
  public static let outputCapacity = 1_024

  /// When `deadlinePassed` is to be called, a moment of ``BootClock``; nil: not. It stays until it passes or is changed.
  public var deadline: Int64?

  private var output: [UInt8]
  private var outputCount = 0
  private(set) var isStopping = false
  private(set) var wantedBaud: Int?
  /// How many of the waiting bytes leave at the rate before.
  private var countBeforeBaud = 0

  /// Asks for nothing.
  public init() { output = [UInt8](repeating: 0, count: PortActions.outputCapacity) }

  /// Sends bytes to the device, after those that are waiting.
  ///
  /// - Returns: false where they do not fit behind those; then none of them is sent.
  @discardableResult
  public mutating func send(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= output.count - outputCount else { return false }
    for index in bytes.indices { output[outputCount + index] = bytes[index] }
    outputCount += bytes.count
    return true
  }

  /// Sends a fixed text of ASCII.
  @discardableResult
  public mutating func send(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe send(Span(_unsafeElements: $0)) }
  }

  /// Changes the rate once everything sent so far has left; what is sent after it waits for it. Of two changes in a row
  /// the second counts.
  public mutating func setBaud(_ baud: Int) {
    wantedBaud = baud
    countBeforeBaud = outputCount
  }

  /// Ends the loop after this call; what has not left by then does not.
  public mutating func stop() { isStopping = true }

  /// Bytes that the device has not taken yet: a test reads here what was sent.
  public var unsent: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: outputCount) }
  }

  /// Those of them that may leave now: the others wait for a change of the rate.
  var leaving: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: wantedBaud == nil ? outputCount : countBeforeBaud) }
  }

  /// The first bytes have left.
  mutating func remove(_ count: Int) {
    countBeforeBaud -= min(count, countBeforeBaud)
    for index in count..<max(count, outputCount) { output[index - count] = output[index] }
    outputCount -= count
  }

  /// What waits does not leave: it was meant for a rate that the line did not take.
  mutating func forgetUnsent() {
    outputCount = 0
    countBeforeBaud = 0
  }

  mutating func takeBaud() -> Int? {
    defer { wantedBaud = nil }
    return wantedBaud
  }
}
