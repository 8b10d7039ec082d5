import NMEAWire
import Ports

/// Reads from a receiver that sends NMEA 0183 on a serial line. It never sends anything to the receiver.
///
/// If no baud rate is configured, it tries the usual rates until it receives sentences. If no more sentences are
/// received, it tries the rates again. It reads no clock, and allocates no memory while it runs.
struct ReceiverLink: LinkDriver, ~Copyable {
  /// The baud rates to try, the most common first. A receiver on USB (CDC ACM) works at any rate.
  static let rates = Listener.rates + [57_600, 19_200, 230_400, 460_800]
  /// Time without received bytes after which the epoch is complete, ns. At 4800 baud, a sentence takes up to 170 ms.
  static let epochSilence: Int64 = 250_000_000
  /// Time without received bytes after which the receiver counts as lost, ns. Receivers send once a second or more
  /// often.
  static let patience: Int64 = 5_000_000_000
  /// Number of bytes without a sentence after which the baud rate is wrong: the length of two complete sentences.
  private static let enough = 2 * 82
  /// The baud rate counts as wrong if this many bytes contain no sentence, although sentences were received at this
  /// rate before. It is larger than ``enough``, because the receiver may send a start-up text or many binary messages.
  private static let enoughOnceRight = 4_096

  private let control: LinkControl
  private let fixedBaud: Int?
  private var reader = FixReader()
  private var handler: Handler
  private var rate = 0
  private var isRateRight = false
  private var bytesWithout = 0
  private var ratesTried = 0
  private var lastByte: Int64 = 0

  /// Passes the fixes that the reader finds to the record thread.
  private struct Handler: FixHandler, ~Copyable {
    var writer: FixDeliveryWriter
    var now: Int64 = 0
    /// Time at which the first sentence of the current epoch was received, ns since boot.
    var began: Int64 = 0
    /// Time at which the last sentence of the current epoch was received, ns since boot.
    var last: Int64 = 0
    var isOpen = false
    var accepted = 0
    var isConnected = false
    var saidNoSentences = false

    mutating func accepted(_ kind: SentenceKind) {
      accepted += 1
      if !isOpen { began = now }
      isOpen = true
      last = now
      guard !isConnected else { return }
      isConnected = true
      saidNoSentences = false
      writer.put(.connected(ShortText(ReceiverLink.identity)), at: now)
    }

    mutating func fix(_ fix: Fix) {
      isOpen = false
      writer.put(.fix(fix, began: began), at: last)
    }

    mutating func rejected(_ reason: RejectReason, sentence: Span<UInt8>, position: UInt64) {}

    mutating func lost(_ loss: FixDelivery.Loss, at time: Int64) {
      guard isConnected else { return }
      isConnected = false
      writer.put(.lost(loss), at: time)
    }
  }

  static let identity: StaticString = "NMEA 0183"

  /// Creates the driver of a receiver.
  ///
  /// - Parameter baud: the configured baud rate; `nil` to detect the rate.
  init(_ writer: consuming FixDeliveryWriter, control: LinkControl, baud: Int?) {
    self.control = control
    handler = Handler(writer: writer)
    fixedBaud = baud
  }

  var reopenNotBefore: Int64? { nil }

  mutating func prepare() {}

  mutating func unreachable(_ kind: PortError.Kind, at now: Int64) { handler.writer.put(.unreachable(kind), at: now) }

  mutating func closed(at now: Int64) {
    handler.now = now
    reader.finish(into: &handler)
    reader = FixReader()
    handler.isOpen = false
    handler.lost(.portClosed, at: now)
  }

  mutating func opened(at now: Int64, _ actions: inout PortActions) {
    bytesWithout = 0
    lastByte = now
    actions.setBaud(fixedBaud ?? Self.rates[rate])
    actions.deadline = now + Self.patience
  }

  mutating func received(_ bytes: Span<UInt8>, at now: Int64, _ actions: inout PortActions) {
    handler.now = now
    lastByte = now
    let before = handler.accepted
    reader.receive(bytes, into: &handler)
    if handler.accepted != before {
      isRateRight = true
      bytesWithout = 0
      ratesTried = 0
    } else {
      bytesWithout += bytes.count
      if bytesWithout >= (isRateRight ? Self.enoughOnceRight : Self.enough) { abandonRate(at: now, &actions) }
    }
    actions.deadline = now + (handler.isOpen ? Self.epochSilence : Self.patience)
  }

  private mutating func abandonRate(at now: Int64, _ actions: inout PortActions) {
    bytesWithout = 0
    isRateRight = false
    ratesTried += 1
    // Report this only after each rate was tried twice. The first attempt may have been in a pause between two epochs.
    if ratesTried >= 2 * (fixedBaud == nil ? Self.rates.count : 1), !handler.saidNoSentences {
      handler.saidNoSentences = true
      handler.isConnected = false
      handler.writer.put(.noSentences, at: now)
    }
    guard fixedBaud == nil else { return }
    rate = (rate + 1) % Self.rates.count
    actions.setBaud(Self.rates[rate])
  }

  mutating func rateRefused(_ baud: Int, at now: Int64, _ actions: inout PortActions) -> Bool {
    guard fixedBaud == nil else { return false }
    rate = (rate + 1) % Self.rates.count
    guard rate != 0 else { return false }
    actions.setBaud(Self.rates[rate])
    return true
  }

  mutating func deadlinePassed(at now: Int64, _ actions: inout PortActions) {
    handler.now = now
    if handler.isOpen { reader.flush(into: &handler) }
    handler.isOpen = false
    if now - lastByte >= Self.patience {
      handler.lost(.silent, at: now)
      actions.deadline = nil
    } else {
      actions.deadline = lastByte + Self.patience
    }
  }

  mutating func wokenUp(at now: Int64, _ actions: inout PortActions) { if !control.mayStayOpen { actions.stop() } }
}
