import AdapterSession
import OBDWire
import Ports

/// The body of a link's thread.
package struct LinkBody: Sendable {
  private let link: any RunnableLink

  /// Runs the link until ``LinkControl/stop()`` is called. Call this only once.
  package func run() { link.run() }

  /// What a link needs to pass data to the record thread.
  package struct Receiving: ~Copyable {
    fileprivate let wakeUp: WakeUp
    fileprivate let progress: Progress?

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - wakeUp: signalled when there are deliveries for the record thread.
    ///   - progress: reports the link thread's progress; `nil` without a watchdog.
    package init(wakeUp: WakeUp, progress: Progress?) {
      self.wakeUp = wakeUp
      self.progress = progress
    }
  }

  /// Creates an adapter's link.
  ///
  /// - Parameters:
  ///   - ring: receives what the adapter delivers.
  ///   - figures: receives the counts of the link's traffic.
  ///   - definitions: signals of the loaded signal sets.
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
  package init(
    _ session: consuming AdapterSession, _ control: AdapterControl, _ ring: consuming RingProducer<Delivery>,
    _ receiving: consuming Receiving, figures: LinkFigures, definitions: [SignalDefinition]
  ) throws(PortError) {
    let writer = DeliveryWriter(ring, wakeUp: receiving.wakeUp, control: control, figures: figures)
    let driver = AdapterLink(session, writer, definitions: definitions)
    link = LinkBox(try LinkThread(control.link, driver, progress: receiving.progress))
  }

  /// Creates the link of a receiver with NMEA 0183, or of gpsd.
  ///
  /// - Parameters:
  ///   - address: a serial device for a receiver with NMEA 0183, or a network address for gpsd.
  ///   - ring: receives what the receiver delivers.
  /// - Throws: ``Ports/PortError`` if the process has no file descriptors left.
  package init(
    receiver address: PortAddress, _ control: LinkControl, _ ring: consuming RingProducer<FixDelivery>,
    _ receiving: consuming Receiving
  ) throws(PortError) {
    let writer = FixDeliveryWriter(ring, wakeUp: receiving.wakeUp)
    if case .serial(_, let baud) = address {
      let driver = ReceiverLink(writer, control: control, baud: baud)
      link = LinkBox(try LinkThread(control, driver, progress: receiving.progress))
    } else {
      link = LinkBox(try LinkThread(control, GPSDLink(writer, control: control), progress: receiving.progress))
    }
  }
}

/// A link that can run, whatever its driver.
private protocol RunnableLink: Sendable {
  func run()
}

/// Holds a link, so that it can be moved into its thread. Only that thread uses it.
private final class LinkBox<Driver: LinkDriver & ~Copyable>: RunnableLink, @unchecked Sendable {
  private var link: LinkThread<Driver>

  init(_ link: consuming LinkThread<Driver>) { self.link = link }

  func run() { link.run() }
}
