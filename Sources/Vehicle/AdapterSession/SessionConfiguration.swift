import OBDWire

/// What a session is told from outside; nothing of it changes while it runs.
public struct SessionConfiguration: BitwiseCopyable, Sendable {
  /// A kind of port.
  public enum Transport: BitwiseCopyable, Sendable, Equatable {
    /// A serial port: its speed in baud, or nil to find it out.
    case serial(baud: Int?)
    /// RFCOMM, TCP, pty: speed is not ours to set.
    case stream
  }

  /// How the adapter is reached.
  public var transport: Transport = .stream
  /// ELM digit of the protocol, ASCII `1`…`9`; nil: found out.
  public var protocolDigit: UInt8?
  /// Trouble codes are read this often, ns.
  public var codesPeriod: Int64 = 60_000_000_000
  /// The adapter's voltage is read this often, ns; a second at least, less counts as that.
  public var voltagePeriod: Int64 = 10_000_000_000
  /// Time between two tries to find the vehicle, ns.
  public var searchPause: Int64 = 2_000_000_000
  /// When the vehicle is left alone, and when it is asked again.
  public var power = PowerConfiguration()
  /// Speed that the adapter is asked to change to behind its settings, baud (ATBRD, 15,686…500,000; STBR); nil: it stays
  /// as found. Serial ports alone; where the change fails, both stay as they were.
  public var preferredBaud: Int?

  /// Everything found out, codes each minute.
  public init() {}
}

/// What an earlier session learned, for the next one with the same adapter: keep it with the vehicle's records.
public struct SessionMemory: BitwiseCopyable, Sendable {
  /// The baud that worked; 0: none yet.
  public var baud = 0
  /// ELM digit of the protocol that worked (ASCII); 0: none yet.
  public var protocolDigit: UInt8 = 0
  /// The VIN's 17 characters, or as many as came; ``vinCount`` counts.
  public var vin = InlineArray<20, UInt8>(repeating: 0)
  public var vinCount = 0
  /// PIDs that this vehicle claims to support and does not answer.
  public var silentPIDs = PIDSet()
  /// What was learned of the adapter.
  public var quirks: Quirks = []
  /// What its voltage is short of the vehicle's (PID 42), V; 0: nothing learned.
  public var voltageOffset = 0.0
  /// Its voltage was seen to change: it is measured, not made up.
  public var measuresVoltage = false

  /// Nothing known.
  public init() {}
}
