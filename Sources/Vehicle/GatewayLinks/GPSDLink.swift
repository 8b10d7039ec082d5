import Fusion
import NMEAWire
import Ports

/// A client of gpsd: subscribes to its reports and checks that the connection is alive.
///
/// gpsd is silent while its receivers are silent, and a dead connection gives no sign. After ``quiet`` the client
/// therefore requests gpsd's version, which is always answered.
struct GPSDLink: LinkDriver, ~Copyable {
  static let quiet: Int64 = 10_000_000_000
  static let answer: Int64 = 5_000_000_000
  /// Delay before a connection without an answer is retried, ns.
  private static let pause: Int64 = 2_000_000_000

  private let control: LinkControl
  private var reader = GPSDReader()
  private var ear: Ear
  private var isAsked = false
  private(set) var reopenNotBefore: Int64?

  private struct Ear: GPSDHandler, ~Copyable {
    var outlet: FixOutlet
    var now: Int64 = 0
    var isConnected = false
    private var saidMalformed = false
    private var saidRefused = false
    /// Number of unreadable text lines that are not reported yet, and the time of the last report.
    private var unreadable = 0
    private var unreadableTold: Int64 = .min / 2

    init(_ outlet: consuming FixOutlet) { self.outlet = outlet }

    mutating func fix(_ fix: Fix) {
      tellUnreadable()
      outlet.put(.fix(fix, began: now), at: now)
    }

    /// At most once a second: a flood of lines must not displace fixes in the ring.
    private mutating func tellUnreadable(isLast: Bool = false) {
      guard unreadable > 0, isLast || now - unreadableTold >= 1_000_000_000 else { return }
      outlet.put(.unreadable(lines: unreadable), at: now)
      unreadable = 0
      unreadableTold = now
    }

    mutating func said(_ notice: GPSDNotice) {
      switch notice {
      case .version(let release):
        guard !isConnected else { return }
        isConnected = true
        saidMalformed = false
        outlet.put(.connected(ShortText(Array("gpsd \(release)".utf8).span)), at: now)
      case .error(let message):
        // Once for each connection.
        guard !saidRefused else { return }
        saidRefused = true
        outlet.put(.refused(ShortText(Array(message.utf8).span)), at: now)
      case .malformed:
        // A gpsd that has sent its version is one, and its other lines are valid.
        if isConnected {
          unreadable += 1
          return tellUnreadable()
        }
        // Once until gpsd has sent its version: another program may listen on that port, send a lot and hang up.
        guard !saidMalformed else { return }
        saidMalformed = true
        outlet.put(.noSentences, at: now)
      }
    }

    mutating func lost(_ loss: FixDelivery.Loss, at time: Int64) {
      now = time
      tellUnreadable(isLast: true)
      guard isConnected else { return }
      isConnected = false
      saidRefused = false
      outlet.put(.lost(loss), at: time)
    }
  }

  init(_ outlet: consuming FixOutlet, control: LinkControl) {
    ear = Ear(outlet)
    self.control = control
  }

  mutating func prepare() {}

  mutating func unreachable(_ kind: PortError.Kind, at now: Int64) { ear.outlet.put(.unreachable(kind), at: now) }

  mutating func closed(at now: Int64) {
    ear.lost(isAsked ? .silent : .portClosed, at: now)
    reader = GPSDReader()
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    reopenNotBefore = nil
    isAsked = false
    actions.send(GPSDReader.watch)
    actions.deadline = now + Self.quiet
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    ear.now = now
    isAsked = false
    reader.receive(bytes, into: &ear)
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
