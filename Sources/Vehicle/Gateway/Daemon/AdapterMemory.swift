import AdapterSession
import Failures
import Fusion
import GatewayLinks
import GatewayOutput
import Glibc
import JSONText
import Telemetry

/// The properties of adapters and vehicles that sessions have found. They are stored in `adapters.jsonl` in the state
/// directory, one text line for each adapter.
///
///     {"adapter":"usb:0403:6015:DA01","baud":115200,"protocol":"6","vin":"1D4GP00RX5B123456","measuresVoltage":true,
///      "silentPids":["04","0F"],"quirks":["noCountSuffix"]}         (one line)
///
/// The file is optional. If it has invalid lines, one log line reports all of them, and sessions find the properties
/// again. The file is written under another name and then renamed. Therefore, a power cut leaves either the old file or
/// the new one.
struct AdapterMemory {
  private let path: String?
  private var known: [String: SessionMemory] = [:]
  /// The last error in writing the file; empty after a success. An error is logged only if it differs from this one.
  private var lastReason = ""
  /// Maximum number of bytes that are read from the file. This suffices for more than a thousand adapters.
  static let limit = 256 << 10

  /// Reads the file.
  ///
  /// - Parameter folder: the state directory; `nil` to store nothing.
  init(folder: String?) {
    path = folder.map { $0 + "/adapters.jsonl" }
    guard let path, unsafe access(path, F_OK) == 0 else { return }
    do throws(Failure) {
      let reading = Reading(try FileText.read(path, limit: Self.limit + 1, cuts: true), from: path)
      known = reading.known
      if let complaint = reading.complaint { Log.write(complaint, .warning) }
    } catch {
      Log.write("\(error); its content will be learned again", .warning)
    }
  }

  /// The content of the file: its valid lines, and a message about the other lines.
  struct Reading {
    var known: [String: SessionMemory] = [:]
    /// A message about all invalid lines; `nil` if all lines are valid. It is written as one log line.
    var complaint: String?

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - text: the content of the file, or its beginning if it is longer than ``AdapterMemory/limit``.
    ///   - path: path of the file, for messages.
    init(_ text: [UInt8], from path: String) {
      var (first, wrong): (String?, Int) = (nil, 0)
      let isCut = text.count > AdapterMemory.limit
      var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
      // The text was cut off at the limit, so its last line is incomplete.
      if isCut { lines.removeLast() }
      for (index, line) in lines.enumerated() where !line.isEmpty {
        do throws(JSONError) {
          let (name, memory) = try AdapterMemory.entry(line)
          known[name] = memory
        } catch {
          first = first ?? "\(path):\(index + 1): \(error.reason)"
          wrong += 1
        }
      }
      if wrong > 1 { first? += " (and \(wrong - 1) more lines are wrong)" }
      let parts = [first, isCut ? "\(path): longer than \(AdapterMemory.limit >> 10) KiB, the rest is not read" : nil]
      let said = parts.compactMap { $0 }
      if !said.isEmpty { complaint = said.joined(separator: "; ") + "; its content will be learned again" }
    }
  }

  /// The properties found for the adapter with this name; empty if none were found.
  subscript(name: String) -> SessionMemory { known[name] ?? SessionMemory() }

  /// Stores the properties that a session has found for an adapter, and writes the file.
  mutating func store(_ memory: SessionMemory, of name: String) {
    known[name] = memory
    guard let path else { return }
    do throws(Failure) {
      try FileText.replace(path, with: text)
      lastReason = ""
    } catch {
      if error.description != lastReason {
        Log.write("\(error); what is learned of adapters is lost at the end", .warning)
      }
      lastReason = error.description
    }
  }

  private var text: [UInt8] {
    var text: [UInt8] = []
    var line = JSONLineEncoder()
    for (name, memory) in known.sorted(by: { $0.key < $1.key }) {
      line.begin()
      line.field("adapter", name)
      if memory.baud > 0 { line.field("baud", UInt64(memory.baud)) }
      if memory.protocolDigit > 0 { line.field("protocol", String(Character(Unicode.Scalar(memory.protocolDigit)))) }
      let vin = (0..<memory.vinCount).map { memory.vin[$0] }
      // A VIN with unprintable characters is damaged and identifies no vehicle.
      if !vin.isEmpty, vin.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) { line.field("vin", String(latin1: vin.span)) }
      if memory.voltageOffset != 0 { line.field("voltageOffset", memory.voltageOffset) }
      if memory.measuresVoltage { line.field("measuresVoltage", true) }
      if !memory.silentPIDs.isEmpty { line.field("silentPids", memory.silentPIDs.texts) }
      line.field("quirks", memory.quirks.names)
      line.finish()
      for index in line.line.indices { text.append(line.line[index]) }
    }
    return text
  }

  private static func entry(_ line: ArraySlice<UInt8>) throws(JSONError) -> (String, SessionMemory) {
    let document = try JSONDocument(parsing: Array(line))
    var reader = try JSONObjectReader(document.root)
    let name = try reader.requiredString("adapter")
    var memory = SessionMemory()
    memory.baud = try reader.optionalInt("baud", in: 300...12_000_000) ?? 0
    if let text = try reader.optionalString("protocol"), let digit = text.utf8.first { memory.protocolDigit = digit }
    for byte in (try reader.optionalString("vin") ?? "").utf8.prefix(20) {
      memory.vin[memory.vinCount] = byte
      memory.vinCount += 1
    }
    memory.voltageOffset = try reader.optionalDouble("voltageOffset", in: -5...5) ?? 0
    memory.measuresVoltage = try reader.optionalBool("measuresVoltage") ?? false
    if let silent = try reader.optionalArray("silentPids") {
      for element in silent {
        guard let pid = UInt8(try element.requireString(), radix: 16) else {
          throw element.invalid(expected: "a PID of two hexadecimal digits")
        }
        memory.silentPIDs.insert(pid)
      }
    }
    if let names = try reader.optionalArray("quirks") {
      for element in names { memory.quirks.insert(Quirks(name: try element.requireString())) }
    }
    // Unknown keys are ignored, because a newer version may have written them.
    return (name, memory)
  }
}

extension PIDSet {
  /// The PIDs as texts of two hexadecimal digits each.
  fileprivate var texts: [String] {
    (0...255).map { UInt8($0) }.filter(contains).map {
      ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true)
    }
  }
}
