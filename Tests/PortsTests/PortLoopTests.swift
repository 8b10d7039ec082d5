import Glibc
import Ports
import Testing

/// The loop over a pseudo-terminal, with a scripted handler that records its calls.
@Suite struct PortLoopTests {
  @Test func bytes_are_delivered_with_the_time_they_were_read() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    line.write("41 0C\r>")
    var handler = Script { event, actions in
      if case .received = event { actions.stop() }
    }
    let before = BootClock.now
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &handler)
    #expect(handler.events.first == .opened)
    #expect(handler.text == "41 0C\r>")
    #expect((before...BootClock.now).contains(handler.moments.last ?? 0))
    #expect(handler.moments == handler.moments.sorted())
    #expect(port.isOpen == true)
  }

  @Test func sent_bytes_reach_the_device_and_are_reported() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    var handler = Script { event, actions in
      switch event {
      case .opened: actions.send("ATZ\r")
      case .sent: line.write(line.hear(4) == "ATZ\r" ? "ELM327 v1.5\r\r>" : "?")
      case .received: actions.stop()
      default: break
      }
    }
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &handler)
    #expect(handler.events == [.opened, .sent("ATZ\r"), .received("ELM327 v1.5\r\r>")])
  }

  @Test func a_deadline_passes_once_and_not_early() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    let began = BootClock.now
    var handler = Script { event, actions in
      switch event {
      case .opened: actions.deadline = began + 20_000_000
      case .deadlinePassed where actions.deadline == nil: actions.stop()
      default: break
      }
    }
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &handler)
    #expect(handler.events == [.opened, .deadlinePassed])
    #expect(handler.moments[1] >= began + 20_000_000)
    #expect(handler.moments[1] < began + 20_000_000_000)
  }

  @Test func a_past_deadline_passes_at_once_and_a_cancelled_one_never() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    let wakeUp = try WakeUp()
    var count = 0
    var handler = Script { event, actions in
      switch event {
      case .opened: actions.deadline = 1
      case .deadlinePassed:
        count += 1
        actions.deadline = BootClock.now + 3_600_000_000_000
        wakeUp.signal()
      case .wokenUp where actions.deadline != nil:
        actions.deadline = nil
        wakeUp.signal()
      case .wokenUp: actions.stop()
      default: break
      }
    }
    var loop = try PortLoop(wakeUp: wakeUp)
    try loop.run(&port, &handler)
    #expect(count == 1)
    #expect(handler.events == [.opened, .deadlinePassed, .wokenUp, .wokenUp])
  }

  @Test func bytes_before_a_deadline_are_delivered_before_it() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    line.write("late")
    PortContract.waitUntilReadable(port)
    var handler = Script { event, actions in
      switch event {
      case .opened: actions.deadline = 1
      case .deadlinePassed: actions.stop()
      default: break
      }
    }
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &handler)
    #expect(handler.events == [.opened, .received("late"), .deadlinePassed])
  }

  @Test func another_thread_wakes_the_port_loop() throws {
    let line = try Adapter()
    var port = SerialPort(path: line.path)
    try port.open()
    let wakeUp = try WakeUp()
    var handler = Script { event, actions in
      if case .wokenUp = event { actions.stop() }
    }
    var loop = try PortLoop(wakeUp: wakeUp)
    let waker = BackgroundWork { wakeUp.signal() }
    try loop.run(&port, &handler)
    #expect(waker.ended())
    #expect(handler.events == [.opened, .wokenUp])
    #expect(!wakeUp.clear())
  }

  @Test func a_lost_device_ends_the_port_loop_after_its_last_bytes() throws {
    let server = try Listening()
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    try port.open()
    let peer = server.accepted()
    Peer.write("last", to: peer)
    close(peer)
    var handler = Script { _, _ in }
    var loop = try PortLoop(wakeUp: WakeUp())
    let error = PortContract.error { () throws(PortError) in try loop.run(&port, &handler) }
    #expect(error?.kind == .gone)
    #expect(handler.events == [.opened, .received("last")])
  }

  @Test func a_hang_up_ends_the_port_loop() throws {
    var line: Adapter? = try Adapter()
    var port = SerialPort(path: line?.path ?? "")
    try port.open()
    line = nil
    var handler = Script { _, _ in }
    var loop = try PortLoop(wakeUp: WakeUp())
    let error = PortContract.error { () throws(PortError) in try loop.run(&port, &handler) }
    #expect(error?.kind == .gone)
  }

  @Test func the_baud_rate_changes_between_earlier_and_later_output() throws {
    var port = SlowPort()
    var handler = Script { event, actions in
      switch event {
      case .opened:
        actions.send("ATBRD 23\r")
        actions.setBaud(115_200)
        actions.send("A\r")
        actions.deadline = 1
      case .deadlinePassed where isDone(actions): actions.stop()
      case .deadlinePassed: actions.deadline = 1
      default: break
      }
    }
    var loop = try PortLoop(wakeUp: WakeUp())
    try port.open()
    try loop.run(&port, &handler)
    // The port accepts three bytes at a time.
    #expect(port.log == ["ATB", "RD ", "23\r", "115200", "A\r"])
    func isDone(_ actions: borrowing PortActions) -> Bool { actions.unsent.isEmpty }
  }

  @Test func an_unsupported_baud_rate_is_reported_and_its_output_discarded() throws {
    var port = SlowPort(highestBaud: 115_200)
    var handler = Script { event, actions in
      switch event {
      case .opened:
        actions.setBaud(230_400)
        actions.send("ATZ\r")
      case .refused:
        actions.setBaud(57_600)
        actions.send("AB\r")
        actions.deadline = 1
      case .deadlinePassed: actions.stop()
      default: break
      }
    }
    var loop = try PortLoop(wakeUp: WakeUp())
    try port.open()
    try loop.run(&port, &handler)
    #expect(handler.events == [.opened, .refused(230_400), .sent("AB\r"), .deadlinePassed])
    #expect(port.log == ["57600", "AB\r"])
  }

  @Test func a_rejected_baud_rate_ends_the_loop_without_an_alternative() throws {
    var port = SlowPort(highestBaud: 115_200)
    var handler = Script { event, actions in
      if case .opened = event { actions.setBaud(230_400) }
    }
    handler.hasOtherRates = false
    var loop = try PortLoop(wakeUp: WakeUp())
    try port.open()
    let error = PortContract.error { () throws(PortError) in try loop.run(&port, &handler) }
    #expect(error?.kind == .invalid)
    #expect(handler.events == [.opened, .refused(230_400)])
  }

  @Test func a_command_that_does_not_fit_the_send_buffer_is_rejected_completely() {
    var actions = PortActions()
    let most = [UInt8](repeating: 0x41, count: PortActions.outputCapacity - 1)
    #expect(actions.send(most.span) == true)
    #expect(actions.send("AB") == false)
    #expect(actions.unsent.count == most.count)
    #expect(actions.send("C") == true)
    #expect(actions.unsent[most.count] == 0x43)
  }

  @Test func a_flood_does_not_keep_deadlines_from_passing() throws {
    let server = try Listening()
    var port = TCPPort(host: "127.0.0.1", port: server.port)
    try port.open()
    let peer = server.accepted()
    let flood = BackgroundWork {
      let garbage = String(repeating: "\u{7F}garbage", count: 1_000)
      // Until the reader closes: then writing fails, and Peer returns.
      for _ in 0..<10_000 { Peer.write(garbage, to: peer) }
    }
    _ = signal(SIGPIPE, SIG_IGN)
    var passed = 0
    var handler = Script { event, actions in
      switch event {
      case .opened: actions.deadline = 1
      case .deadlinePassed:
        passed += 1
        actions.deadline = 1
        if passed == 50 { actions.stop() }
      default: break
      }
    }
    handler.keepsText = false
    var loop = try PortLoop(wakeUp: WakeUp())
    try loop.run(&port, &handler)
    #expect(passed == 50)
    port.close()
    #expect(flood.ended())
    close(peer)
  }
}
