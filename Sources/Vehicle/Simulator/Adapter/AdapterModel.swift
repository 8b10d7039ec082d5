/// The kind of adapter to simulate, and its connection.
public struct AdapterModel: Sendable {
  /// The three common kinds of adapters.
  public enum Kind: String, CaseIterable, Sendable {
    /// An ELM327 v1.5 according to its data sheet.
    case elm327
    /// A poor clone that identifies as v2.1: one CR before the prompt, many commands unknown, no answer count in
    /// requests.
    case clone
    /// An STN chip (OBDLink): ELM327 and ST commands, long requests, support for pending answers.
    case stn
  }

  /// The kind of adapter.
  public var kind: Kind
  /// Text that `ATI` and `ATZ` print.
  public var identity: String
  /// Text that `AT@1` prints.
  public var title: String
  /// Baud rate of the serial connection.
  public var baud = 38400
  /// Whether line feeds are on (`ATL1`) after a restart; pin 7 of the chip selects this.
  public var linefeeds = false
  /// Time from a command's CR to its answer.
  public var processing = Duration.microseconds(500)
  /// Duration of ATZ.
  public var resetTime = Duration.milliseconds(800)
  /// Time for which the USB bridge collects bytes before it sends them.
  public var chunkTime = Duration.milliseconds(1)
  /// Number of bytes at which the USB bridge sends immediately.
  public var chunkSize = 62
  /// Whether a host with another baud rate reads and writes garbage, as with a real adapter (pseudo terminal only).
  public var isStrictAboutBaud = false

  /// Creates a model with the defaults of a kind.
  ///
  /// - Parameter kind: determines the default of every other property.
  public init(_ kind: Kind = .elm327) {
    self.kind = kind
    switch kind {
    case .elm327:
      identity = "ELM327 v1.5"
      title = "OBDII to RS232 Interpreter"
    case .clone:
      identity = "ELM327 v2.1"
      title = "OBDII to RS232 Interpreter"
    case .stn:
      identity = "ELM327 v1.4b"
      title = "SCANTOOL.NET LLC"
    }
  }

  /// Number of characters that the output may lag behind the bus.
  var bufferSize: Int { kind == .stn ? 4096 : 512 }

  /// Maximum number of data bytes in a CAN request.
  var longestRequest: Int { kind == .stn ? 4095 : kind == .clone ? 4 : 7 }

  /// Whether a request may end with the number of expected answers.
  var takesCount: Bool { kind != .clone }

  /// Number of blank lines between an answer and the prompt.
  var blankLines: Int { kind == .clone ? 0 : 1 }

  /// Minimum pause after the last frame on a K-line before a request. The ELM327 waits (0F − 0.5) × 4.096 ms by its
  /// programmable parameter 1D; the clone leaves it to the host.
  var requestPause: Duration {
    switch kind {
    case .elm327: ProgrammableParameters.requestPause
    case .stn: .milliseconds(55)
    case .clone: .zero
    }
  }

  /// Whether a command, without AT and spaces, is unknown to this kind.
  func lacks(_ command: String) -> Bool {
    // The STN's own parameters are not documented.
    if kind == .stn { return command == "PPS" }
    guard kind == .clone else { return false }
    return ["AT", "@2", "CEA", "LP", "PP", "BR", "CF", "CM", "R0", "R1", "JE", "MP"].contains { command.hasPrefix($0) }
  }
}
