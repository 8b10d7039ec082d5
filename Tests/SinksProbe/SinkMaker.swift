import Glibc
import JSONText
import Sinks
import Telemetry

/// Prints a line on stdout at once.
func printLine(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// Returns the sinks that a file with a JSON array configures. Relative paths are relative to its folder.
func sinks(_ file: String) -> [SinkConfiguration] {
  let folder = file.lastIndex(of: "/").map { String(file[...$0]) } ?? ""
  do throws(JSONError) {
    var all: [SinkConfiguration] = []
    for value in try JSONDocument(parsing: content(file)).root.requireArray() {
      all.append(try SinkConfiguration(value, folder: folder))
    }
    return all
  } catch {
    printLine(error.message(in: file))
    exit(78)
  }
}

private func content(_ file: String) -> [UInt8] {
  let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 1 << 16)
  let count = unsafe read(descriptor, &bytes, bytes.count)
  return Array(bytes[..<max(0, count)])
}

/// Resident memory, KiB (proc(5): statm).
func residentMemory() -> Int {
  let pages = String(decoding: content("/proc/self/statm"), as: UTF8.self).split(separator: " ")
  return (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * (sysconf(Int32(_SC_PAGESIZE)) / 1_024)
}

/// Makes records in the form in which a gateway makes them, about 400 bytes each.
struct Maker: ~Copyable {
  private var line = JSONLineEncoder()

  mutating func telemetry(_ number: Int, at time: Int64) -> [UInt8] {
    line.begin()
    head(.telemetry, number, time).write(to: &line)
    for name in ["rpm", "speed", "coolantTemp", "maf", "fuelLevel", "latitude", "longitude", "heading"] {
      line.key(name)
      _ = (Double(number % 1_000) / 7).write(to: &line)
    }
    line.finish()
    return bytes
  }

  mutating func event(_ number: Int, at time: Int64) -> [UInt8] {
    line.record(
      head(.driving, number, time),
      DrivingRecord(event: .overspeed, figures: [NamedValue("speed", .number(Double(number)))]))
    return bytes
  }

  private var bytes: [UInt8] { line.line.indices.map { line.line[$0] } }

  private func head(_ type: RecordType, _ number: Int, _ time: Int64) -> RecordHead {
    let epoch = UUIDv7(milliseconds: 1, first: 1, rest: 1)
    return RecordHead(
      type: type, id: UUIDv7(milliseconds: UInt64(time / 1_000_000), first: 7, rest: UInt64(number)),
      time: .elapsed(nanoseconds: time), gatewayId: "gw-17", vehicleId: "VAN-001", epoch: epoch, sequence: 1)
  }
}
