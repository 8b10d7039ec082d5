/// Collects what a ``PortHandler`` requests from its loop. Memory is allocated only by the initializer.
public struct PortActions: ~Copyable {
  /// Maximum number of bytes that wait to be sent. This is many times the length of an adapter's longest command.
  public static let outputCapacity = 1_024

  /// The time of ``BootClock`` at which `deadlinePassed` is called; `nil` for none. It becomes `nil` when that time
  /// comes.
  public var deadline: Int64?

  private var output: [UInt8]
  private var outputCount = 0
  private(set) var isStopping = false
  private(set) var wantedBaud: Int?
  /// Number of waiting bytes that must be sent before the baud rate is changed.
  private var countBeforeBaud = 0

  /// Creates a value without requests.
  public init() { output = [UInt8](repeating: 0, count: PortActions.outputCapacity) }

  /// Sends bytes to the device, after those that already wait to be sent.
  ///
  /// - Returns: `false` if there is not room for all of them, in which case none is sent.
  @discardableResult
  public mutating func send(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count <= output.count - outputCount else { return false }
    for index in bytes.indices { output[outputCount + index] = bytes[index] }
    outputCount += bytes.count
    return true
  }

  /// Sends a constant ASCII text.
  @discardableResult
  public mutating func send(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe send(Span(_unsafeElements: $0)) }
  }

  /// Changes the baud rate when all bytes that wait now were written. Bytes that are sent after this call wait for the
  /// change. If this is called twice, only the second rate takes effect.
  public mutating func setBaud(_ baud: Int) {
    wantedBaud = baud
    countBeforeBaud = outputCount
  }

  /// Ends the loop after the current call of the handler. Bytes that still wait are not sent.
  public mutating func stop() { isStopping = true }

  /// Bytes that were not written yet. Tests use this to see what a handler has sent.
  public var unsent: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: outputCount) }
  }

  /// Bytes that may be written now. The others wait for a change of the baud rate.
  var leaving: Span<UInt8> {
    @_lifetime(borrow self) get { output.span.extracting(first: wantedBaud == nil ? outputCount : countBeforeBaud) }
  }

  /// Removes bytes that were written.
  mutating func remove(_ count: Int) {
    countBeforeBaud -= min(count, countBeforeBaud)
    for index in count..<max(count, outputCount) { output[index - count] = output[index] }
    outputCount -= count
  }

  /// Discards the waiting bytes, which were to be sent at a baud rate that is not supported.
  mutating func forgetUnsent() {
    outputCount = 0
    countBeforeBaud = 0
  }

  mutating func takeBaud() -> Int? {
    defer { wantedBaud = nil }
    return wantedBaud
  }
}
