import Glibc
import Ports

/// Shows how the daemon goes to whoever asks on this machine: one thread, few who ask at once, as many followers as like.
///
/// `GET /status`, one JSON object; `GET /records`, the records as they come; `GET /metrics`, for Prometheus. The last is
/// all that is served where it is configured to listen for TCP. It only looks: nothing that a client sends changes
/// anything, and one that is slow or never ends its request holds nobody up.
///
/// Not a web server: GET of three paths. A library for it (libmicrohttpd) brings GnuTLS into a process of 12 MB.
struct StatusServer: ~Copyable {
  /// Where what it shows comes from.
  struct Sources {
    var status: () -> [UInt8]
    var metrics: () -> [UInt8]
  }

  /// Who ask at once, by the socket of this machine and by TCP each; more wait outside.
  private static let mostConnections = 32
  /// So long nobody is let in where that failed, ns: the process has no descriptors left.
  private static let pause: Int64 = 1_000_000_000
  /// Each has a descriptor; the rest of those that the process may have are for its own work.
  private static let mostFollowers = 1_000
  private static let ownDescriptors = 256

  /// A listening socket, and whether those who come are of this machine's.
  final class Door: Sendable {
    let socket: ListeningSocket
    let isLocal: Bool

    init(_ socket: consuming ListeningSocket, isLocal: Bool) {
      self.socket = socket
      self.isLocal = isLocal
    }
  }

  /// Arrays hold what can be copied only.
  private final class Guest {
    var connection: StatusConnection
    init(_ connection: consuming StatusConnection) { self.connection = connection }
  }

  /// A place at which it cannot be listened yet: the network is not up, another program has it.
  struct Absent: Sendable {
    var open: @Sendable () throws(PortError) -> Door
    /// Called once it can.
    var opened: @Sendable () -> Void
    /// Between two tries, ns.
    var pause: Int64 = 10_000_000_000
  }

  private var doors: [Door]
  private var absent: Absent?
  private var nextTry = Int64.max
  private let followerLimit = Self.roomForFollowers
  private let sources: Sources
  private let followers: Followers
  /// Rung when there are records, and at the end.
  private let bell: WakeUp
  private let isEnding: () -> Bool
  private var guests: [Guest] = []
  private var closedUntil = Int64.min
  private var buffer: [UInt8] = []

  /// - Parameter absent: nil: all that was wanted is in `doors`.
  init(
    _ doors: [Door], absent: Absent? = nil, _ sources: Sources, _ followers: Followers, bell: WakeUp,
    isEnding: @escaping () -> Bool
  ) {
    self.doors = doors
    self.absent = absent
    if let absent { nextTry = BootClock.now + absent.pause }
    self.sources = sources
    self.followers = followers
    self.bell = bell
    self.isEnding = isEnding
  }

  /// The thread's body.
  mutating func run() {
    while !isEnding() {
      let ready = wait()
      let now = BootClock.now
      bell.silence()
      for (index, door) in doors.enumerated() where ready.doors[index] { takeIn(door, at: now) }
      for (guest, events) in zip(guests, ready.guests) where events != 0 && !isEnding() {
        serve(guest, events, at: now)
      }
      writeRecords()
      for guest in guests where guest.connection.isOver || guest.connection.deadline <= now { leave(guest) }
      guests.removeAll { $0.connection.isOver || $0.connection.deadline <= now }
      if now >= nextTry { tryAgain() }
    }
    for guest in guests { leave(guest) }
  }

  private mutating func writeRecords() {
    guard !followers.isEmpty else {
      buffer = []
      return
    }
    if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Follower.room) }
    for guest in guests { guest.connection.writeRecords(through: &buffer) }
    followers.forgetTaken()
  }

  /// How many may follow.
  private static var roomForFollowers: Int {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 16 }
    return min(mostFollowers, max(16, Int(clamping: limit.rlim_cur) - ownDescriptors))
  }

  private mutating func tryAgain() {
    guard let absent else { return }
    do throws(PortError) {
      doors.append(try absent.open())
      absent.opened()
      self.absent = nil
      nextTry = .max
    } catch {
      // Why not was said when it was first tried.
      nextTry = BootClock.now + absent.pause
    }
  }

  private func wait() -> (doors: [Bool], guests: [Int32]) {
    var waiting = [pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)]
    let isClosed = BootClock.now < closedUntil
    for door in doors {
      let isOpen = !isClosed && hasRoom(door)
      waiting.append(pollfd(fd: isOpen ? door.socket.descriptor : -1, events: Int16(POLLIN), revents: 0))
    }
    var limit = min(isClosed ? closedUntil : Int64.max, nextTry)
    for guest in guests {
      waiting.append(
        pollfd(fd: guest.connection.descriptor, events: Int16(guest.connection.events), revents: 0))
      limit = min(limit, guest.connection.deadline)
    }
    let milliseconds = limit == .max ? -1 : Int32(clamping: max(0, (limit - BootClock.now) / 1_000_000 + 1))
    _ = unsafe poll(&waiting, nfds_t(waiting.count), milliseconds)
    return (
      doors.indices.map { waiting[1 + $0].revents != 0 },
      guests.indices.map { Int32(waiting[1 + doors.count + $0].revents) }
    )
  }

  private func hasRoom(_ door: Door) -> Bool {
    guests.count { $0.connection.isLocal == door.isLocal && $0.connection.follower == nil } < Self.mostConnections
  }

  private mutating func takeIn(_ door: Door, at now: Int64) {
    let before = guests.count
    while hasRoom(door), let socket = door.socket.accept() {
      guests.append(Guest(StatusConnection(socket, isLocal: door.isLocal, at: now)))
    }
    if guests.count == before { closedUntil = now + Self.pause }
  }

  private func serve(_ guest: Guest, _ events: Int32, at now: Int64) {
    if events & (POLLHUP | POLLERR) != 0 { guest.connection.hungUp() }
    if events & ~POLLOUT != 0, let request = guest.connection.read() { answer(request, guest, at: now) }
    if events & POLLOUT != 0 { guest.connection.write() }
  }

  private func answer(_ request: StatusRequest, _ guest: Guest, at now: Int64) {
    switch request {
    case .status: guest.connection.answer(StatusAnswer.whole("application/json", sources.status()), at: now)
    case .metrics:
      guest.connection.answer(
        StatusAnswer.whole("text/plain; version=0.0.4; charset=utf-8", sources.metrics()), at: now)
    case .records:
      guard guests.count(where: { $0.connection.follower != nil }) < followerLimit else {
        guest.connection.answer(StatusAnswer.refusal(503, "\(followerLimit) follow already"), at: now)
        return
      }
      guest.connection.follow(followers.add())
    case .refused(let code, let reason):
      guest.connection.answer(StatusAnswer.refusal(code, reason), at: now)
    }
  }

  private func leave(_ guest: Guest) { guest.connection.follower?.leave() }
}
