import JSONText
import NMEAWire

/// Receives the results of a ``GPSDReader``, in the order of the stream. All calls are made during
/// ``GPSDReader/receive(_:into:)``.
public protocol GPSDHandler: ~Copyable {
  /// Receives the fix in a position report (TPV) of the chosen receiver. The fix may have no position.
  mutating func fix(_ fix: Fix)
  /// Receives any other message of gpsd.
  mutating func handle(_ notice: GPSDNotice)
}

/// A message of gpsd that is not a fix.
public enum GPSDNotice: Equatable, Sendable {
  /// The greeting of gpsd, with its version, for example `3.22`.
  case version(String)
  /// An error message.
  case error(String)
  /// A text line that is not JSON or does not follow gpsd's documentation.
  case malformed
}

/// Reads the JSON protocol of gpsd (gpsd_json(5)), which has one report on each text line:
///
///     {"class":"VERSION","release":"3.22",…}
///     {"class":"SKY","device":"/dev/ttyACM0","hdop":0.94,"uSat":9,…}
///     {"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-05-04T10:00:00.000Z","lat":48.1,"lon":11.5,…}
///
/// A fix combines a TPV report with the preceding SKY and ATT reports of the same receiver. gpsd sends the reports of
/// all its receivers, but only one receiver is used: the first receiver with a fix. Another receiver with a fix
/// replaces the chosen receiver when the chosen one has lost its fix, or has sent nothing while the others sent
/// ``patience`` reports. A simulated fix counts as no fix.
///
/// The reader allocates memory only for a text line that is longer than all previous ones.
public struct GPSDReader: ~Copyable {
  /// Maximum length of a text line, bytes. A SKY report about the satellites of four systems has 10 KiB.
  public static let maximumLength = 65_536
  /// The command that makes gpsd send its reports.
  public static let watch: StaticString = "?WATCH={\"enable\":true,\"json\":true};\r\n"
  /// A command that gpsd always answers. The answer shows that gpsd still runs, even if its receivers are silent.
  public static let ping: StaticString = "?VERSION;\r\n"
  /// The chosen receiver counts as silent after this many successive reports from other receivers.
  static let patience = 5

  private var line: [UInt8] = []
  private var isTooLong = false
  private var document = JSONDocument()
  /// Device name of the chosen receiver.
  private var device: [UInt8] = []
  private var hasFix = false
  private var othersInARow = 0
  private var sky = Sky()

  /// Values that the chosen receiver has sent, in SKY and ATT reports, since its last TPV report.
  private struct Sky {
    var hdop: Double?
    var satellites: Int?
    var heading: Double?
  }

  /// Creates a reader at the start of a stream.
  public init() { line.reserveCapacity(4_096) }

  /// Reads the next bytes of the stream.
  public mutating func receive<Handler: GPSDHandler & ~Copyable>(_ bytes: Span<UInt8>, into handler: inout Handler) {
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == 0x0A {
        if isTooLong { handler.handle(.malformed) } else { handleLine(into: &handler) }
        line.removeAll(keepingCapacity: true)
        isTooLong = false
      } else if line.count < Self.maximumLength {
        if byte != 0x0D { line.append(byte) }
      } else {
        isTooLong = true
      }
    }
  }

  private mutating func handleLine<Handler: GPSDHandler & ~Copyable>(into handler: inout Handler) {
    guard !line.isEmpty else { return }
    do throws(JSONError) {
      let line = line
      try document.parse(line.span)
      let report = document.root
      guard let kind = report["class"] else { throw report.error(.missingKey("class")) }
      if kind.isString("TPV") {
        guard try isChosen(report) else { return }
        let fix = try fix(of: report)
        sky = Sky()
        handler.fix(fix)
      } else if kind.isString("SKY") {
        guard isFromChosen(report) else { return }
        if let hdop = try report["hdop"]?.requireDouble(in: 0...1_000) { sky.hdop = hdop }
        if let used = try report["uSat"]?.requireInt(in: 0...1_000) { sky.satellites = used }
      } else if kind.isString("ATT") {
        if isFromChosen(report) { sky.heading = try report["heading"]?.requireDouble(in: 0...360) }
      } else if kind.isString("VERSION") {
        handler.handle(.version(try report["release"]?.requireString() ?? ""))
      } else if kind.isString("ERROR") {
        handler.handle(.error(try report["message"]?.requireString() ?? ""))
      }
    } catch {
      handler.handle(.malformed)
    }
  }

  // MARK: Choice of the receiver

  private func isFromChosen(_ report: JSONValue) -> Bool {
    guard let name = report["device"] else { return true }
    return device.isEmpty || (name.withUTF8 { isSame($0) } ?? false)
  }

  private func isSame(_ name: Span<UInt8>) -> Bool {
    guard name.count == device.count else { return false }
    for index in device.indices where device[index] != name[index] { return false }
    return true
  }

  private mutating func isChosen(_ report: JSONValue) throws(JSONError) -> Bool {
    let isValid = try report["mode"]?.requireInt(in: 0...100) ?? 0 >= 2
    if isFromChosen(report) {
      othersInARow = 0
      hasFix = isValid
      if device.isEmpty { choose(report) }
      return true
    }
    othersInARow += 1
    guard isValid, !hasFix || othersInARow >= Self.patience else { return false }
    choose(report)
    hasFix = true
    sky = Sky()
    return true
  }

  private mutating func choose(_ report: JSONValue) {
    othersInARow = 0
    var name: [UInt8] = []
    _ = report["device"]?.withUTF8 { bytes in
      for index in bytes.indices { name.append(bytes[index]) }
    }
    device = name
  }

  // MARK: The fix

  private func fix(of report: JSONValue) throws(JSONError) -> Fix {
    var fix = Fix()
    (fix.date, fix.time) = try Self.moment(report["time"])
    fix.trueHeading = sky.heading
    let mode = try report["mode"]?.requireInt(in: 0...100) ?? 0
    let status = try report["status"]?.requireInt(in: 0...100) ?? 0
    fix.type = Self.type(mode: mode, status: status)
    guard fix.type != .none else { return fix }
    guard let latitude = try report["lat"]?.requireDouble(in: -90...90),
      let longitude = try report["lon"]?.requireDouble(in: -180...180)
    else {
      fix.type = .none
      return fix
    }
    fix.latitude = latitude
    fix.longitude = longitude
    // "alt" is the altitude's key before version 3.20. It is ignored because some of those versions measured the
    // altitude from the ellipsoid.
    if mode >= 3 { fix.altitude = try report["altMSL"]?.requireDouble() }
    // gpsd reports m/s.
    if let speed = try report["speed"]?.requireDouble(in: 0...100_000) { fix.speed = speed * 3.6 }
    fix.course = try report["track"]?.requireDouble(in: 0...360)
    fix.horizontalError = try report["eph"]?.requireDouble(in: 0...1e9)
    fix.hdop = sky.hdop
    fix.satellites = sky.satellites
    return fix
  }

  /// Returns the type of fix for the mode and the status in a TPV report (gpsd_json(5)). With the modes 2 and 3, the
  /// report contains a fix. The status is 2 for DGPS, 3 for RTK fixed, 4 for RTK float, 5 for dead reckoning, 6 for
  /// dead reckoning with satellites, 7 for a surveyed position, and 8 for a simulated position.
  private static func type(mode: Int, status: Int) -> FixType {
    guard mode >= 2 else { return .none }
    switch status {
    case 2: return .dgps
    case 3: return .rtkFixed
    case 4: return .rtkFloat
    case 5, 6: return .estimated
    case 7, 8: return .none
    default: return mode == 2 ? .twoD : .threeD
    }
  }

  /// Parses a date and time such as `2026-05-04T10:00:00.000Z`.
  private static func moment(_ value: JSONValue?) throws(JSONError) -> (CalendarDate?, TimeOfDay?) {
    guard let value else { return (nil, nil) }
    let parts = value.withUTF8 { text -> (CalendarDate?, TimeOfDay?)? in
      guard text.count >= 20, text[text.count - 1] == UInt8(ascii: "Z"), text[10] == UInt8(ascii: "T"),
        let year = digits(text, 0..<4), let month = digits(text, 5..<7), let day = digits(text, 8..<10),
        let hour = digits(text, 11..<13), let minute = digits(text, 14..<16), let second = digits(text, 17..<19)
      else { return nil }
      var nanosecond = 0
      if text[19] == UInt8(ascii: ".") {
        let places = min(text.count - 21, 9)
        guard places > 0, let decimals = digits(text, 20..<20 + places) else { return nil }
        nanosecond = decimals
        for _ in places..<9 { nanosecond *= 10 }
      }
      guard let date = CalendarDate(year: year, month: month, day: day),
        let time = TimeOfDay(hour: hour, minute: minute, second: second, nanosecond: nanosecond)
      else { return nil }
      return (date, time)
    }
    guard let found = parts ?? nil else { throw value.invalid(expected: "a time such as 2026-05-04T10:00:00.000Z") }
    return found
  }

  private static func digits(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    var number = 0
    for index in range {
      guard (0x30...0x39).contains(text[index]) else { return nil }
      number = number * 10 + Int(text[index] - 0x30)
    }
    return number
  }
}
