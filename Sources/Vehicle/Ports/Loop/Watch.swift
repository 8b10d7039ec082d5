import CPorts
import Failures
import Glibc

/// A set of descriptors that can be watched by a single descriptor: `poll(2)` reports this descriptor as readable while
/// any descriptor of the set is ready (epoll(7)).
struct Watch: ~Copyable {
  private let epoll: Descriptor

  /// Creates an empty set. `port` is the name that an error contains.
  ///
  /// - Throws: ``PortError/Kind/system`` if the process has no free descriptors.
  init(for port: String) throws(PortError) {
    let number = cports_watch_create()
    guard number >= 0 else { throw PortError(.system, port, code: -number, systemReason(-number)) }
    epoll = Descriptor(owning: number)
  }

  var descriptor: Int32 { epoll.number }

  /// Adds a descriptor to the set, or changes its events. A hang-up is always watched for, too.
  ///
  /// - Parameters:
  ///   - descriptor: the descriptor.
  ///   - events: the events of poll(2) to watch for.
  ///   - number: 0…7, the index of the descriptor in the result of ``ready()``.
  /// - Returns: 0, or the negated `errno`.
  @discardableResult
  func set(_ descriptor: Int32, _ events: Int32, number: Int) -> Int32 {
    cports_watch_set(epoll.number, descriptor, UInt32(bitPattern: events), UInt32(number))
  }

  /// Returns the events that have occurred for each descriptor. The index is the number that was passed to
  /// ``set(_:_:number:)``.
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
