/// The kind of adapter to simulate, and the properties of its serial connection.
public struct AdapterModel: Sendable {
  /// The three common kinds of adapters.
  public enum Kind: String, CaseIterable, Sendable {
    /// An ELM327 v1.5 according to its data sheet.
    case elm327
    /// A poor clone that claims to be v2.1. It prints a single CR before the prompt, lacks many commands, and rejects
    /// the count of expected answers after a request.
    case clone
    /// An STN chip (OBDLink). It knows ELM327 and ST commands, sends long requests, and waits for an ECU that answers
    /// "pending".
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
  /// Whether line feeds are on (`ATL1`) after a restart. On a real chip, the level of pin 7 decides.
  public var linefeeds = false
  /// Time from a command's CR to its answer.
  public var processing = Duration.microseconds(500)
  /// Duration of ATZ.
  public var resetTime = Duration.milliseconds(800)
  /// Maximum time for which the USB bridge collects bytes before it sends them.
  public var chunkTime = Duration.milliseconds(1)
  /// Number of collected bytes at which the USB bridge sends at once.
  public var chunkSize = 62
  /// Whether a host with a wrong baud rate reads and writes garbage, as with a real adapter. This works only with a
  /// pseudo-terminal.
  public var isStrictAboutBaud = false

  /// Creates a model with the defaults of a kind.
  ///
  /// - Parameter kind: the kind, which determines the default of every other property.
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

  /// Number of characters that the adapter can hold if its output is slower than the bus.
  var bufferSize: Int { kind == .stn ? 4096 : 512 }

  /// Maximum number of data bytes in a CAN request.
  var longestRequest: Int { kind == .stn ? 4095 : kind == .clone ? 4 : 7 }

  /// Whether a request may end with the count of expected answers.
  var takesCount: Bool { kind != .clone }

  /// Number of blank lines between an answer and the prompt.
  var blankLines: Int { kind == .clone ? 0 : 1 }

  /// Minimum pause on a K-line between the last frame and the next request. An ELM327 waits (0F − 0.5) × 4.096 ms
  /// according to its programmable parameter 1D. A clone does not wait, and leaves the pause to the host.
  var requestPause: Duration {
    switch kind {
    case .elm327: ProgrammableParameters.requestPause
    case .stn: .milliseconds(55)
    case .clone: .zero
    }
  }

  /// Whether this kind of adapter lacks a command, given without AT and spaces.
  func lacks(_ command: String) -> Bool {
    // The STN's own parameters are not documented.
    if kind == .stn { return command == "PPS" }
    guard kind == .clone else { return false }
    return ["AT", "@2", "CEA", "LP", "PP", "BR", "CF", "CM", "R0", "R1", "JE", "MP"].contains { command.hasPrefix($0) }
  }
}
