import JSONText
import OBDWire

/// An OBDb signal-set file (version 3). It describes data of a vehicle beyond the OBD standards, and how to decode
/// them.
///
///     { "commands": [
///       { "hdr": "720", "rax": "728", "cmd": {"22": "404C"}, "freq": 30,
///         "signals": [ {"id": "F150_ODO", "name": "Odometer",
///                       "fmt": { "len": 24, "max": 1677721, "div": 10, "unit": "kilometers" }} ]} ] }
///
/// Everything that affects decoding is checked: an unknown key in a command or a format is an error. Display properties
/// (`path`, `suggestedMetric`, `signalGroups`, …) are not checked. `synthetics`, which are computed from other signals,
/// are ignored.
public struct SignalSet: Sendable {
  /// Name of the file, for messages.
  public let fileName: String
  /// Diagnostic session that is needed for polling the set's commands, but not for decoding (`diagnosticLevel`); `nil`
  /// if none.
  public let diagnosticLevel: UInt8?
  /// The commands, in the order of the file.
  public let commands: [Command]
  /// Signals that ``OBDWire/SignalDefinition`` cannot represent, each with the reason. They produce no readings.
  public let unsupported: [Unsupported]

  /// A signal that cannot be decoded, with the reason.
  public struct Unsupported: Equatable, Sendable {
    /// ID of the signal.
    public let id: String
    /// Line of the signal in the file, from 1.
    public let line: Int
    /// JSON path of the signal in the file, for example `commands[3].signals[0].fmt`.
    public let path: String
    /// The reason why the signal cannot be decoded, as one phrase.
    public let reason: String
  }

  /// Parses a signal-set file.
  ///
  /// - Parameters:
  ///   - bytes: content of the file.
  ///   - fileName: name of the file, for messages.
  /// - Throws: the first error in the file, with its position and what was expected.
  public init(parsing bytes: [UInt8], fileName: String) throws(SignalSetError) {
    do throws(JSONError) {
      let reader = try SignalSetReader(JSONDocument(parsing: bytes).root)
      diagnosticLevel = reader.diagnosticLevel
      commands = reader.commands
      unsupported = reader.unsupported
    } catch {
      throw SignalSetError(file: fileName, error: error)
    }
    self.fileName = fileName
  }

  /// A request, and the signals in its answer.
  public struct Command: Sendable {
    /// The bus on which the command is sent, from `proto` or the length of `hdr`.
    public enum Bus: Equatable, Sendable { case can11, can29, iso9141 }

    /// The bus on which the request is sent.
    public internal(set) var bus: Bus
    /// Header of the request as in the file: `7E0` (an identifier), `DA10`, or `686A` (its two middle bytes).
    public internal(set) var header: String
    /// CAN priority of a 29-bit request (`pri`); default 0x18.
    public internal(set) var priority: UInt8
    /// Address of the ECU that answers (`rax`); ``OBDWire/ECUAddress/unknown`` if not given.
    public internal(set) var receiver: ECUAddress
    /// Extended address of the request (`eax`, ISO 15765-2 extended addressing); `nil` if none.
    public internal(set) var extendedAddress: UInt8?
    /// Tester address (`tst`); `nil` if not given.
    public internal(set) var testerAddress: UInt8?
    /// Timeout (`tmo`) for the adapter's command `ATST`, in steps of 4 ms; `nil` if not given.
    public internal(set) var timeout: UInt8?
    /// Whether header and data of the adapter's flow-control frame must be set by commands (`fcm1`).
    public internal(set) var needsFlowControl: Bool
    /// Service: 0x01, 0x21 or 0x22.
    public internal(set) var service: UInt8
    /// The PID (service 0x01), local identifier (0x21) or data identifier (0x22).
    public internal(set) var identifier: UInt16
    /// Interval between requests (`freq`), s.
    public internal(set) var period: Double
    /// Diagnostic session that must be started first (`din`); `nil` if none. The answer to such a command is decoded,
    /// but the command must not be sent.
    public internal(set) var session: UInt8?
    /// Diagnostic session that must be started after the command (`dout`); `nil` if none. Such a command must not be
    /// sent.
    public internal(set) var returnSession: UInt8?
    /// Whether the command is experimental: its author has not verified it on all vehicles (`dbg`, `dbgfilter`).
    public internal(set) var isExperimental: Bool
    /// Model years that have the command; `nil` for all.
    public internal(set) var filter: YearFilter?
    /// Model years for which the author of the set asks for recordings of the answer; `nil` if none.
    public internal(set) var debugFilter: YearFilter?
    /// The signals, in the order of the file.
    public internal(set) var signals: [Signal]
    /// Line of the command in the file, from 1.
    public internal(set) var line: Int

    /// Whether the command may be sent to a vehicle, because it does not change the diagnostic session.
    public var isSendable: Bool { session == nil && returnSession == nil }
  }

  /// A value in the answer to a command.
  public struct Signal: Sendable {
    /// ID, for example `F150_ODO`.
    public internal(set) var id: String
    /// Title, for example `Odometer`.
    public internal(set) var title: String
    /// An additional description; `nil` if none.
    public internal(set) var description: String?
    /// Group of the signal in a display (`path`), for example `Trips`; `nil` if none.
    public internal(set) var category: String?
    /// The meaning of the value, as a term that all sets share, for example `odometer`; `nil` if none.
    public internal(set) var suggestedMetric: String?
    /// Whether a display should not show the signal.
    public internal(set) var isHidden: Bool
    /// Position and scaling of the signal's bits. Of the limits, only `nullmin` and `nullmax` are applied here.
    /// ``LoadedSignals`` applies `min` and `max`, and sets `enumeration`.
    public internal(set) var definition: SignalDefinition
    /// Unit of the value in records; empty if it has none.
    public internal(set) var unitText: String
    /// `min` as in the file, in the signal's unit; `nil` if not given.
    public internal(set) var minimum: Double?
    /// `max` as in the file, in the signal's unit; `nil` if not given.
    public internal(set) var maximum: Double?
    /// The texts of an enumeration (`map`); empty if the signal is not an enumeration.
    public internal(set) var texts: [MapEntry]
    /// Line of the signal in the file, from 1.
    public internal(set) var line: Int
    /// Column of the signal in the file, from 1, in characters.
    public internal(set) var column: Int
    /// Offset of the signal in the file, bytes.
    public internal(set) var offset: Int
    /// JSON path of the signal in the file, for example `commands[3].signals[0]`.
    public internal(set) var path: String
  }

  /// One code of an enumeration, with its texts.
  public struct MapEntry: Equatable, Sendable {
    /// The code: the signal's bits as an unsigned number.
    public let code: UInt64
    /// Text of the code, for example `NOT_CHARGING`.
    public let value: String
    /// Description of the code, for example `Not charging`.
    public let description: String
  }
}
