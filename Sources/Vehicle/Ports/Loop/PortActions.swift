/// Collects the actions that a ``PortHandler`` requests from its loop. Only the initializer allocates memory.
public struct PortActions: ~Copyable {
  /// Maximum number of bytes that may wait to be sent. An adapter's longest command is many times shorter.
  public static let outputCapacity = 1_024

  /// Time of ``BootClock`` at which ``PortHandler/deadlinePassed(at:_:)`` is called; `nil` for none. It is set to `nil`
  /// before that call.
  public var deadline: Int64?

  private var output: [UInt8]
  private var outputCount = 0
  private(set) var isStopping = false
  private(set) var wantedBaud: Int?
  /// Number of waiting bytes that must be sent before the baud rate is changed.
  private var countBeforeBaud = 0

  /// Creates a collection without actions.
  public init() { output = [UInt8](repeating: 0, count: PortActions.outputCapacity) }

  /// Sends bytes to the device after the bytes that already wait to be sent.
  ///
  /// - Returns: `false` if there is not enough room for all bytes; none is sent then.
  @discardableResult
  public mutating func send(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= output.count - outputCount else { return false }
    for index in bytes.indices { output[outputCount + index] = bytes[index] }
    outputCount += bytes.count
    return true
  }

  /// Sends the bytes of a constant ASCII text to the device. Returns `false` if there is not enough room for all bytes;
  /// none is sent then.
  @discardableResult
  public mutating func send(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe send(Span(_unsafeElements: $0)) }
  }

  /// Changes the baud rate after all bytes that wait now were written. Bytes that are passed to ``send(_:)`` after this
  /// call are sent at the new rate. If this is called twice before the change, only the second rate is used.
  public mutating func setBaud(_ baud: Int) {
    wantedBaud = baud
    countBeforeBaud = outputCount
  }

  /// Ends the loop after the current call of the handler. Bytes that still wait are not sent.
  public mutating func stop() { isStopping = true }

  /// The bytes that were not written to the port yet. Tests use this to see which bytes a handler has sent.
  public var unsent: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: outputCount) }
  }

  /// The bytes that may be written now. All other bytes wait for a change of the baud rate.
  var leaving: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: wantedBaud == nil ? outputCount : countBeforeBaud) }
  }

  /// Removes the first `count` bytes, which were written to the port.
  mutating func remove(_ count: Int) {
    countBeforeBaud -= min(count, countBeforeBaud)
    for index in count..<max(count, outputCount) { output[index - count] = output[index] }
    outputCount -= count
  }

  /// Discards all bytes that wait to be sent, because they were to be sent at a baud rate that is not supported.
  mutating func forgetUnsent() {
    outputCount = 0
    countBeforeBaud = 0
  }

  mutating func popBaud() -> Int? {
    defer { wantedBaud = nil }
    return wantedBaud
  }
}
