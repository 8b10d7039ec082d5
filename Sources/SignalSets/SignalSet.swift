import JSONText
import OBDWire

/// One OBDb signal-set file (version 3): what a vehicle answers beyond the standard, and how to read it.
///
///     { "commands": [
///       { "hdr": "720", "rax": "728", "cmd": {"22": "404C"}, "freq": 30,
///         "signals": [ {"id": "F150_ODO", "name": "Odometer",
///                       "fmt": { "len": 24, "max": 1677721, "div": 10, "unit": "kilometers" }} ]} ] }
///
/// What changes the meaning of bytes is read strictly: an unknown key in a command or a format is an error. What only
/// serves a display (`path`, `suggestedMetric`, `signalGroups`, …) may hold anything. `synthetics`, values computed from
/// other signals, are not read.
public struct SignalSet: Sendable {
  /// The file's name, as messages give it.
  public let fileName: String
  /// Diagnostic session that live use of the whole set needs (`diagnosticLevel`); decoding does not.
  public let diagnosticLevel: UInt8?
  /// In the order of the file.
  public let commands: [Command]
  /// Signals of the file that no ``OBDWire/SignalDefinition`` can express, with the reason; they give no reading.
  public let unsupported: [Unsupported]

  /// A signal that is left out, and why.
  public struct Unsupported: Equatable, Sendable {
    /// The signal's id.
    public let id: String
    /// Where it stands in the file, from 1.
    public let line: Int
    /// `commands[3].signals[0].fmt`
    public let path: String
    /// One phrase, for people.
    public let reason: String
  }

  /// - Parameters:
  ///   - bytes: the whole file.
  ///   - fileName: for messages only.
  /// - Throws: the first thing that is wrong, with its line, path and what would be right.
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

  /// One request and the signals in its answer.
  public struct Command: Sendable {
    /// The buses that `proto` or the length of `hdr` says.
    public enum Bus: Equatable, Sendable { case can11, can29, iso9141 }

    public internal(set) var bus: Bus
    /// Header of the request as the set writes it: `7E0` (an identifier), `DA10`, `686A` (its two middle bytes).
    public internal(set) var header: String
    /// CAN priority of a 29-bit request (`pri`), 0x18 where the set says nothing.
    public internal(set) var priority: UInt8
    /// Who answers (`rax`); ``OBDWire/ECUAddress/unknown`` where the set leaves it open.
    public internal(set) var receiver: ECUAddress
    /// Extended address of the request (`eax`, ISO 15765-2 extended addressing).
    public internal(set) var extendedAddress: UInt8?
    /// Tester address (`tst`).
    public internal(set) var testerAddress: UInt8?
    /// Timeout (`tmo`), as the adapter's ATST counts it: 4 ms a step.
    public internal(set) var timeout: UInt8?
    /// The adapter's flow control must be set by hand (`fcm1`).
    public internal(set) var needsFlowControl: Bool
    /// 0x01, 0x21 or 0x22.
    public internal(set) var service: UInt8
    /// PID, local identifier or data identifier.
    public internal(set) var identifier: UInt16
    /// Seconds between two requests (`freq`).
    public internal(set) var period: Double
    /// Diagnostic session that the ECU must be put into first (`din`). Such a command is decoded but must not be sent.
    public internal(set) var session: UInt8?
    /// Diagnostic session to return to (`dout`).
    public internal(set) var returnSession: UInt8?
    /// Still to be tried on cars (`dbg`, `dbgfilter`): the set's author is not sure that it works everywhere.
    public internal(set) var isExperimental: Bool
    /// Model years that the command belongs to; nil: all.
    public internal(set) var filter: YearFilter?
    /// Model years in which the author still asks for recordings.
    public internal(set) var debugFilter: YearFilter?
    /// In the order of the file.
    public internal(set) var signals: [Signal]
    /// Where it stands in the file, from 1.
    public internal(set) var line: Int

    /// Whether the command may be sent to a vehicle: it changes no session of any ECU.
    public var isSendable: Bool { session == nil && returnSession == nil }
  }

  /// One value in an answer.
  public struct Signal: Sendable {
    /// `F150_ODO`
    public internal(set) var id: String
    /// `Odometer`
    public internal(set) var title: String
    /// A sentence more than the title.
    public internal(set) var description: String?
    /// Where a display would put it: `Trips`.
    public internal(set) var category: String?
    /// The set's own word for a common meaning: `odometer`.
    public internal(set) var suggestedMetric: String?
    /// Not meant for people.
    public internal(set) var isHidden: Bool
    /// How its bits lie and scale. Its limits hold `nullmin` and `nullmax` only; `enumeration` is set on loading.
    public internal(set) var definition: SignalDefinition
    /// As records print it; empty where there is nothing to print.
    public internal(set) var unitText: String
    /// `min` as the set writes it, in the signal's unit.
    public internal(set) var minimum: Double?
    /// `max` as the set writes it, in the signal's unit.
    public internal(set) var maximum: Double?
    /// `map`: the text of each code, by code.
    public internal(set) var texts: [MapEntry]
    /// Where it stands in the file, from 1.
    public internal(set) var line: Int
    /// Column of the same place, in characters, from 1.
    public internal(set) var column: Int
    /// Bytes in front of it.
    public internal(set) var offset: Int
    /// `commands[3].signals[0]`
    public internal(set) var path: String
  }

  /// One code of an enumeration.
  public struct MapEntry: Equatable, Sendable {
    /// The raw bits, unsigned.
    public let code: UInt64
    /// `NOT_CHARGING`
    public let value: String
    /// `Not charging`
    public let description: String
  }
}
