/// Collects the requests of a ``PortHandler``. Only the initializer allocates memory.
public struct PortActions: ~Copyable {
  /// Capacity of the output buffer in bytes, many times the length of an adapter's longest command.
  public static let outputCapacity = 1_024

  /// Time of ``BootClock`` at which `deadlinePassed` is called; `nil` for none. It is set to `nil` when it passes.
  public var deadline: Int64?

  private var output: [UInt8]
  private var outputCount = 0
  private(set) var isStopping = false
  private(set) var wantedBaud: Int?
  /// Number of buffered bytes that must be sent before the rate changes.
  private var countBeforeBaud = 0

  /// Creates a value without requests.
  public init() { output = [UInt8](repeating: 0, count: PortActions.outputCapacity) }

  /// Sends bytes to the device, after those that are buffered.
  ///
  /// - Returns: `false` if they do not fit into the buffer. None of them is sent then.
  @discardableResult
  public mutating func send(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= output.count - outputCount else { return false }
    for index in bytes.indices { output[outputCount + index] = bytes[index] }
    outputCount += bytes.count
    return true
  }

  /// Sends a fixed ASCII text.
  @discardableResult
  public mutating func send(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe send(Span(_unsafeElements: $0)) }
  }

  /// Changes the baud rate after everything sent so far has been written. Bytes sent later wait for the change. Of two
  /// consecutive changes, only the second takes effect.
  public mutating func setBaud(_ baud: Int) {
    wantedBaud = baud
    countBeforeBaud = outputCount
  }

  /// Ends the loop after this call. Buffered bytes are not sent.
  public mutating func stop() { isStopping = true }

  /// Bytes that have not been written. Tests use it to read what a handler sent.
  public var unsent: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: outputCount) }
  }

  /// The bytes that may be written now. The others wait for a change of the rate.
  var leaving: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: wantedBaud == nil ? outputCount : countBeforeBaud) }
  }

  /// Removes bytes that have been written.
  mutating func remove(_ count: Int) {
    countBeforeBaud -= min(count, countBeforeBaud)
    for index in count..<max(count, outputCount) { output[index - count] = output[index] }
    outputCount -= count
  }

  /// Discards the buffered bytes, which were meant for an unsupported rate.
  mutating func forgetUnsent() {
    outputCount = 0
    countBeforeBaud = 0
  }

  mutating func takeBaud() -> Int? {
    defer { wantedBaud = nil }
    return wantedBaud
  }
}
