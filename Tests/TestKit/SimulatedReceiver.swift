import Foundation
import Glibc
import Ports
import Synchronization

/// A satellite receiver on a pseudo-terminal. It sends an epoch of NMEA 0183 five times a second. Its time of day
/// advances in real time.
///
///     let receiver = try SimulatedReceiver { seconds in .init(latitude: 48 + seconds * 0.0001, longitude: 11.5) }
///     … ["device": receiver.path]
public final class SimulatedReceiver: Sendable {
  /// The position, speed and quality that it reports at one moment.
  public struct State: Sendable {
    /// The latitude in degrees; `nil` if it has no fix.
    public var latitude: Double?
    public var longitude: Double
    /// The quality of the fix, as in the sentence GGA.
    public var quality = 1
    public var hdop = 0.9

    public init(latitude: Double?, longitude: Double, quality: Int = 1, hdop: Double = 0.9) {
      self.latitude = latitude
      self.longitude = longitude
      self.quality = quality
      self.hdop = hdop
    }
  }

  public let path: String
  private let isStopping = Mutex(false)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts a receiver.
  ///
  /// - Parameters:
  ///   - date: the date that it reports. Its time of day begins at 12:00:00.
  ///   - link: path of a symbolic link to the terminal; `nil` for a generated path.
  ///   - state: returns the state at a number of seconds after the start.
  public init(
    date: String = "050327", link: String? = nil, state: @escaping @Sendable (_ seconds: Double) -> State
  ) throws {
    let terminal = try PseudoTerminal()
    // Use a link with a unique name, which is removed when the receiver is unplugged. The terminal's own number may
    // soon be given to another test, and a daemon that searches for its receiver must not find that terminal.
    path = link ?? NSTemporaryDirectory() + "obdgate-receiver-" + UUID().uuidString
    try? FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: terminal.path)
    let began = ContinuousClock.now
    let held = Held(terminal)
    Thread.detachNewThread { [self] in
      var step = 0
      while !isStopping.withLock({ $0 }) {
        let seconds = Double(step) * 0.2
        let due = (began + .seconds(seconds) - .now) / .milliseconds(1)
        if due > 0 { poll(nil, 0, Int32(due)) }
        held.write(Self.epoch(date, seconds, state(seconds)))
        step += 1
      }
      ended.signal()
    }
  }

  /// Unplugs the receiver, and waits until it is gone.
  public func stop() {
    let wasStopping = isStopping.withLock { value in
      defer { value = true }
      return value
    }
    guard !wasStopping else { return }
    try? FileManager.default.removeItem(atPath: path)
    ended.wait()
  }

  /// Returns the sentences of one epoch.
  public static func epoch(_ date: String, _ seconds: Double, _ state: State) -> String {
    let hundredths = Int((seconds * 100).rounded())
    let time = String(
      format: "12%02d%02d.%02d", hundredths / 6_000 % 60, hundredths / 100 % 60, hundredths % 100)
    guard let latitude = state.latitude else {
      return sentence("GPRMC,\(time),V,,,,,,,\(date),,,N") + sentence("GPGGA,\(time),,,,,0,00,99.99,,,,,,")
    }
    let place = angle(latitude, digits: 2, "N", "S") + "," + angle(state.longitude, digits: 3, "E", "W")
    return sentence("GPRMC,\(time),A,\(place),20.00,0.0,\(date),,,A")
      + sentence("GPGGA,\(time),\(place),\(state.quality),09,\(state.hdop),520.0,M,47.0,M,,")
      + sentence("GPGSA,A,3,02,05,07,09,13,16,20,26,,,,,1.87,\(state.hdop),1.58")
  }

  private static func angle(_ degrees: Double, digits: Int, _ positive: String, _ negative: String) -> String {
    let whole = Int(abs(degrees))
    let minutes = (abs(degrees) - Double(whole)) * 60
    return String(format: "%0\(digits)d%08.5f", whole, minutes) + "," + (degrees < 0 ? negative : positive)
  }

  private static func sentence(_ body: String) -> String {
    String(format: "$%@*%02X\r\n", body, body.utf8.reduce(0, ^))
  }

  /// The terminal, which the writing thread uses.
  private final class Held: @unchecked Sendable {
    private let terminal: PseudoTerminal

    init(_ terminal: consuming PseudoTerminal) { self.terminal = terminal }

    /// If nobody reads, output is lost, as on a serial line.
    func write(_ text: String) {
      let bytes = Array(text.utf8)
      _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(terminal.descriptor, $0.baseAddress, $0.count) }
    }
  }
}
