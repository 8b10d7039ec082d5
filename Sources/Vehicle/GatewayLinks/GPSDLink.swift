import Fusion
import NMEAWire
import Ports

/// A client of gpsd. It subscribes to gpsd's reports, and checks whether the connection still works.
///
/// If gpsd's receivers are silent, gpsd sends nothing. A connection that has failed looks the same. Therefore, if
/// nothing was received for ``quiet``, the client requests gpsd's version, which gpsd always sends.
struct GPSDLink: LinkDriver, ~Copyable {
  /// Time without received bytes after which the client requests gpsd's version, ns.
  static let quiet: Int64 = 10_000_000_000
  /// Time limit for gpsd's answer to the version request, ns.
  static let answer: Int64 = 5_000_000_000
  /// Pause before the next attempt to connect, if gpsd did not answer on the last connection, ns.
  private static let pause: Int64 = 2_000_000_000

  private let control: LinkControl
  private var reader = GPSDReader()
  private var handler: Handler
  private var isAsked = false
  private(set) var reopenNotBefore: Int64?

  private struct Handler: GPSDHandler, ~Copyable {
    var writer: FixDeliveryWriter
    var now: Int64 = 0
    var isConnected = false
    private var saidMalformed = false
    private var saidRefused = false
    /// Number of unreadable text lines that were not reported yet.
    private var unreadable = 0
    /// Time of the last report of unreadable text lines, ns since boot.
    private var unreadableTold: Int64 = .min / 2

    init(_ writer: consuming FixDeliveryWriter) { self.writer = writer }

    mutating func fix(_ fix: Fix) {
      logUnreadable()
      writer.put(.fix(fix, began: now), at: now)
    }

    /// Reports the number of unreadable text lines at most once a second. Otherwise, many such lines could displace
    /// fixes in the ring.
    private mutating func logUnreadable(isLast: Bool = false) {
      guard unreadable > 0, isLast || now - unreadableTold >= 1_000_000_000 else { return }
      writer.put(.unreadable(lines: unreadable), at: now)
      unreadable = 0
      unreadableTold = now
    }

    mutating func handle(_ notice: GPSDNotice) {
      switch notice {
      case .version(let release):
        guard !isConnected else { return }
        isConnected = true
        saidMalformed = false
        writer.put(.connected(ShortText(Array("gpsd \(release)".utf8).span)), at: now)
      case .error(let message):
        // An error message is reported only once for each connection.
        guard !saidRefused else { return }
        saidRefused = true
        writer.put(.refused(ShortText(Array(message.utf8).span)), at: now)
      case .malformed:
        // gpsd has sent its version on this connection, so the peer is gpsd. Single unreadable lines do not change
        // that.
        if isConnected {
          unreadable += 1
          return logUnreadable()
        }
        // This is reported only once until gpsd has sent its version. Another program may listen on this port, and send
        // many lines on each connection.
        guard !saidMalformed else { return }
        saidMalformed = true
        writer.put(.noSentences, at: now)
      }
    }

    mutating func lost(_ loss: FixDelivery.Loss, at time: Int64) {
      now = time
      logUnreadable(isLast: true)
      guard isConnected else { return }
      isConnected = false
      saidRefused = false
      writer.put(.lost(loss), at: time)
    }
  }

  init(_ writer: consuming FixDeliveryWriter, control: LinkControl) {
    handler = Handler(writer)
    self.control = control
  }

  mutating func prepare() {}

  mutating func unreachable(_ kind: PortError.Kind, at now: Int64) { handler.writer.put(.unreachable(kind), at: now) }

  mutating func closed(at now: Int64) {
    handler.lost(isAsked ? .silent : .portClosed, at: now)
    reader = GPSDReader()
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    reopenNotBefore = nil
    isAsked = false
    actions.send(GPSDReader.watch)
    actions.deadline = now + Self.quiet
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    handler.now = now
    isAsked = false
    reader.receive(bytes, into: &handler)
    actions.deadline = now + Self.quiet
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {
    guard !isAsked else {
      reopenNotBefore = now + Self.pause
      actions.stop()
      return
    }
    isAsked = true
    actions.send(GPSDReader.ping)
    actions.deadline = now + Self.answer
  }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { if !control.mayStayOpen { actions.stop() } }
}
