import CPorts
import Glibc

/// Several descriptors behind one, which `poll(2)` calls readable while any of them is ready (epoll(7)).
struct Watch: ~Copyable {
  private let epoll: Descriptor

  /// - Throws: ``PortError/Kind/system`` where the process has no descriptors left.
  init(for port: String) throws(PortError) {
    let number = cports_watch_create()
    guard number >= 0 else { throw PortError(.system, port, code: -number, systemReason(-number)) }
    epoll = Descriptor(owning: number)
  }

  var descriptor: Int32 { epoll.number }

  /// Watches a descriptor for events of `poll(2)`; being hung up is always among them.
  ///
  /// - Parameter number: 0…7, what ``ready()`` calls it.
  /// - Returns: 0, or the negated `errno`.
  @discardableResult
  func set(_ descriptor: Int32, _ events: Int32, number: Int) -> Int32 {
    cports_watch_set(epoll.number, descriptor, UInt32(bitPattern: events), UInt32(number))
  }

  /// What each of the descriptors is ready for now, by its number.
  func ready() -> InlineArray<8, Int32> {
    var events = InlineArray<8, Int32>(repeating: 0)
    var found = InlineArray<8, cports_ready>(repeating: cports_ready())
    var span = found.mutableSpan
    let count = unsafe span.withUnsafeMutableBufferPointer {
      unsafe cports_watch_ready(epoll.number, $0.baseAddress, Int32($0.count))
    }
    for index in 0..<max(0, Int(count)) {
      events[Int(found[index].number & 7)] = Int32(bitPattern: found[index].events)
    }
    return events
  }
}
