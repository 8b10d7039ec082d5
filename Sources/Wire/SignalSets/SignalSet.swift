import JSONText
import OBDWire

/// An OBDb signal-set file (version 3): data of a vehicle beyond the standard, and how to decode it.
///
///     { "commands": [
///       { "hdr": "720", "rax": "728", "cmd": {"22": "404C"}, "freq": 30,
///         "signals": [ {"id": "F150_ODO", "name": "Odometer",
///                       "fmt": { "len": 24, "max": 1677721, "div": 10, "unit": "kilometers" }} ]} ] }
///
/// Everything that affects decoding is read strictly: an unknown key in a command or a format is an error. Display
/// properties (`path`, `suggestedMetric`, `signalGroups`, …) are not checked. `synthetics`, which are computed from
/// other signals, are ignored.
public struct SignalSet: Sendable {
  /// Name of the file, for messages.
  public let fileName: String
  /// Diagnostic session that live use of the whole set requires (`diagnosticLevel`); decoding does not. `nil` if none.
  public let diagnosticLevel: UInt8?
  /// The commands in the order of the file.
  public let commands: [Command]
  /// Signals that ``OBDWire/SignalDefinition`` cannot represent, with the reason. They produce no readings.
  public let unsupported: [Unsupported]

  /// A signal that is left out, with the reason.
  public struct Unsupported: Equatable, Sendable {
    /// ID of the signal.
    public let id: String
    /// Line in the file, from 1.
    public let line: Int
    /// Path in the file, for example `commands[3].signals[0].fmt`.
    public let path: String
    /// The reason, one phrase.
    public let reason: String
  }

  /// Parses a signal-set file.
  ///
  /// - Parameters:
  ///   - bytes: content of the file.
  ///   - fileName: name of the file, for messages.
  /// - Throws: the first error, with its position and what was expected.
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
    /// The bus, according to `proto` or the length of `hdr`.
    public enum Bus: Equatable, Sendable { case can11, can29, iso9141 }

    /// The bus of the request.
    public internal(set) var bus: Bus
    /// Header of the request as in the file: `7E0` (an identifier), `DA10`, or `686A` (its two middle bytes).
    public internal(set) var header: String
    /// CAN priority of a 29-bit request (`pri`); default 0x18.
    public internal(set) var priority: UInt8
    /// Address that answers (`rax`); ``OBDWire/ECUAddress/unknown`` if not given.
    public internal(set) var receiver: ECUAddress
    /// Extended address of the request (`eax`, ISO 15765-2 extended addressing); `nil` if none.
    public internal(set) var extendedAddress: UInt8?
    /// Tester address (`tst`); `nil` if not given.
    public internal(set) var testerAddress: UInt8?
    /// Timeout (`tmo`) for the adapter's ATST, in steps of 4 ms; `nil` if not given.
    public internal(set) var timeout: UInt8?
    /// Whether the adapter's flow control must be set manually (`fcm1`).
    public internal(set) var needsFlowControl: Bool
    /// Service: 0x01, 0x21 or 0x22.
    public internal(set) var service: UInt8
    /// PID, local identifier or data identifier.
    public internal(set) var identifier: UInt16
    /// Interval between requests (`freq`), s.
    public internal(set) var period: Double
    /// Diagnostic session that must be started first (`din`); `nil` if none. Such a command is decoded but must not be
    /// sent.
    public internal(set) var session: UInt8?
    /// Diagnostic session to return to (`dout`); `nil` if none.
    public internal(set) var returnSession: UInt8?
    /// Whether the author has not verified the command on all vehicles (`dbg`, `dbgfilter`).
    public internal(set) var isExperimental: Bool
    /// Model years of the command; `nil` for all.
    public internal(set) var filter: YearFilter?
    /// Model years for which the author requests recordings; `nil` if none.
    public internal(set) var debugFilter: YearFilter?
    /// The signals in the order of the file.
    public internal(set) var signals: [Signal]
    /// Line in the file, from 1.
    public internal(set) var line: Int

    /// Whether the command may be sent to a vehicle, because it does not change the diagnostic session.
    public var isSendable: Bool { session == nil && returnSession == nil }
  }

  /// A value in an answer.
  public struct Signal: Sendable {
    /// ID, for example `F150_ODO`.
    public internal(set) var id: String
    /// Title, for example `Odometer`.
    public internal(set) var title: String
    /// An additional description; `nil` if none.
    public internal(set) var description: String?
    /// Group in a display (`path`), for example `Trips`; `nil` if none.
    public internal(set) var category: String?
    /// The common meaning of the value, for example `odometer`; `nil` if none.
    public internal(set) var suggestedMetric: String?
    /// Whether displays should not show it.
    public internal(set) var isHidden: Bool
    /// Position and scaling of its bits. Its limits contain only `nullmin` and `nullmax`; `enumeration` is set by
    /// ``LoadedSignals``.
    public internal(set) var definition: SignalDefinition
    /// Unit in records; empty if there is none.
    public internal(set) var unitText: String
    /// `min` as in the file, in the signal's unit; `nil` if not given.
    public internal(set) var minimum: Double?
    /// `max` as in the file, in the signal's unit; `nil` if not given.
    public internal(set) var maximum: Double?
    /// The texts of an enumeration (`map`).
    public internal(set) var texts: [MapEntry]
    /// Line in the file, from 1.
    public internal(set) var line: Int
    /// Column in the file, from 1, in characters.
    public internal(set) var column: Int
    /// Offset in the file, bytes.
    public internal(set) var offset: Int
    /// Path in the file, for example `commands[3].signals[0]`.
    public internal(set) var path: String
  }

  /// One code of an enumeration.
  public struct MapEntry: Equatable, Sendable {
    /// The raw bits as an unsigned number.
    public let code: UInt64
    /// Text of the code, for example `NOT_CHARGING`.
    public let value: String
    /// Description of the code, for example `Not charging`.
    public let description: String
  }
}
