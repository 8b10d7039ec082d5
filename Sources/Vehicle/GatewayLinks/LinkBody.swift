import AdapterSession
import OBDWire
import Ports

/// The function that runs in a link's thread, with the link.
package struct LinkBody: Sendable {
  private let link: any RunnableLink

  /// Runs the link until ``LinkControl/stop()`` is called. Call this only once.
  package func run() { link.run() }

  /// The objects with which a link passes data to the record thread.
  package struct Receiving: ~Copyable {
    fileprivate let wakeUp: WakeUp
    fileprivate let progress: Progress?

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - wakeUp: wakes the record thread when the link has written data for it.
    ///   - progress: receives the progress of the link's thread for the watchdog; `nil` without a watchdog.
    package init(wakeUp: WakeUp, progress: Progress?) {
      self.wakeUp = wakeUp
      self.progress = progress
    }
  }

  /// Creates the link of an adapter.
  ///
  /// - Parameters:
  ///   - ring: receives the adapter's readings and events.
  ///   - figures: receives the numbers about the link's traffic.
  ///   - definitions: the signals of the loaded signal sets.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
  package init(
    _ session: consuming AdapterSession, _ control: AdapterControl, _ ring: consuming RingProducer<LinkDelivery>,
    _ receiving: consuming Receiving, figures: LinkFigures, definitions: [SignalDefinition]
  ) throws(PortError) {
    let writer = DeliveryWriter(ring, wakeUp: receiving.wakeUp, control: control, figures: figures)
    let driver = AdapterLink(session, writer, definitions: definitions)
    link = LinkBox(try LinkThread(control.link, driver, progress: receiving.progress))
  }

  /// Creates the link of an NMEA 0183 receiver or of gpsd.
  ///
  /// - Parameters:
  ///   - address: a serial device for an NMEA 0183 receiver, or a network address for gpsd.
  ///   - ring: receives the fixes and events of the receiver.
  /// - Throws: ``Ports/PortError`` if the process cannot open another file descriptor.
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

/// A link of any type that can run in a thread.
private protocol RunnableLink: Sendable {
  func run()
}

/// Holds a link, so that the link can be moved into its thread. Only that thread uses it.
private final class LinkBox<Driver: LinkDriver & ~Copyable>: RunnableLink, @unchecked Sendable {
  private var link: LinkThread<Driver>

  init(_ link: consuming LinkThread<Driver>) { self.link = link }

  func run() { link.run() }
}
