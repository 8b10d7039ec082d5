import Glibc
import Ports
import Testing

@Suite struct ListenerTests {
  private static let sentence = "$GPGGA,092750.000,5321.6802,N,00630.3372,W,1,8,1.03,61.7,M,55.2,M,,*76\r\n"

  /// Passes pieces to a listener, each at its time in milliseconds. Returns its result and its deadline.
  private static func hear(_ pieces: [(Int64, String)]) -> (heard: Listener.Result, deadline: Int64?) {
    var listener = Listener()
    var actions = PortActions()
    listener.opened(at: 0, &actions)
    for (moment, text) in pieces { listener.received(Array(text.utf8).span, at: moment * 1_000_000, &actions) }
    #expect(actions.unsent.isEmpty == true, "a listener sends nothing")
    return (listener.heard, actions.deadline)
  }

  @Test func a_sentence_makes_a_receiver() {
    #expect(Self.hear([(900, Self.sentence)]).heard == .sentences(baud: 9_600))
  }

  @Test func a_sentence_in_pieces_after_half_of_another_makes_one_too() {
    let pieces = Self.sentence.map { (Int64(5), String($0)) }
    #expect(Self.hear([(1, "1.03,61.7,M*76\r\n$GPGG")] + pieces).heard == .sentences(baud: 9_600))
  }

  @Test func silence_is_nothing_and_two_seconds_of_it_are_enough() {
    let (heard, deadline) = Self.hear([])
    #expect(heard == .nothing)
    #expect(deadline == 2_000_000_000)
  }

  @Test(arguments: [
    "ELM327 v1.5\r\r>", "$GPGGA,092750.000*00\r\n", "$*00", "$GPGGA,09275\r\n0*76", "$GP\u{7},1*76\r\n", "*76\r\n",
  ])
  func an_incomplete_sentence_is_not_recognised_as_nmea(_ text: String) {
    #expect(Self.hear([(1, text)]).heard == .otherBytes)
  }

  @Test func arriving_bytes_extend_the_listening_time_once() {
    #expect(Self.hear([(100, "x"), (1_900, "y"), (3_000, "z")]).deadline == 4_000_000_000)
  }

  @Test func unreadable_bytes_lead_to_the_next_baud_rate() throws {
    let garbage = String(repeating: "\u{1}", count: 200)
    let (heard, _) = Self.hear([(1, garbage), (2, garbage), (3, "garb" + Self.sentence)])
    #expect(heard == .sentences(baud: 38_400))
  }

  @Test func unsupported_baud_rates_are_skipped_and_listening_ends_without_any() {
    var listener = Listener()
    var actions = PortActions()
    listener.opened(at: 0, &actions)
    let garbage = Array(repeating: UInt8(1), count: 200)
    listener.received(garbage.span, at: 1, &actions)
    #expect(listener.rateRefused(4_800, at: 2, &actions) == true)
    listener.received(Array(Self.sentence.utf8).span, at: 3, &actions)
    #expect(listener.heard == .sentences(baud: 38_400))
    #expect([1, 2, 3, 4].map { _ in listener.rateRefused(38_400, at: 4, &actions) } == [true, true, true, false])
  }

  /// A receiver on a line: it is opened, listened to and closed, and nothing is written.
  @Test func a_receiver_is_detected_without_writing_to_it() throws {
    let line = try Adapter()
    // When the first rate is set, earlier bytes are discarded. The receiver therefore sends until it is detected.
    let receiver = BackgroundWork { speaks in
      while speaks() {
        var room = pollfd(fd: line.master, events: Int16(POLLOUT), revents: 0)
        if unsafe poll(&room, 1, 100) > 0 { line.write(Self.sentence) }
      }
    }
    let heard = try Listener.listen(to: line.path, unless: WakeUp())
    receiver.stop()
    #expect(heard == .sentences(baud: 9_600))
    #expect(receiver.ended())
    var waiting = pollfd(fd: line.master, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&waiting, 1, 0)
    #expect(Int32(waiting.revents) & POLLIN == 0, "nothing was written to it")
  }

  @Test func listening_ends_when_woken() throws {
    let line = try Adapter()
    let wakeUp = try WakeUp()
    wakeUp.signal()
    #expect(try Listener.listen(to: line.path, unless: wakeUp) == .nothing)
  }
}
