import Foundation
import Glibc

/// A plain HTTP/1.1 client over one connection. It sends exactly the given bytes.
final class TestClient {
  struct Reply {
    let status: Int
    /// The headers; their names are in lower case.
    let headers: [String: String]
    let body: [UInt8]
    /// The values of all headers `Set-Cookie`.
    var cookies: [String] = []

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: [String: Any] {
      get throws { try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] ?? [:] }
    }
    /// The value `error.code` in the body of an error.
    var errorCode: String? { ((try? json)?["error"] as? [String: Any])?["code"] as? String }
    var errorMessage: String { ((try? json)?["error"] as? [String: Any])?["message"] as? String ?? "" }
    /// The value `data` in the body of a list.
    var list: [[String: Any]] { (try? json)?["data"] as? [[String: Any]] ?? [] }
    /// Returns the value of a key in each element of a list.
    func integers(_ key: String) -> [Int?] { list.map { $0[key] as? Int } }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let socket: Int32
  private let token: String?
  /// Bytes that were read but not returned yet.
  private var rest: [UInt8] = []

  /// - Parameters:
  ///   - token: sent with every request.
  ///   - host: the last number of the client's address, 127.0.0.x.
  ///   - receiveBuffer: size of the kernel's buffer; `nil` for the default.
  init(port: Int, token: String? = nil, from host: UInt32 = 1, receiveBuffer: Int32? = nil) throws {
    self.token = token
    socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    unsafe setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    if var size = receiveBuffer {
      unsafe setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }
    address.sin_addr.s_addr = (UInt32(0x7F00_0000) | host).bigEndian
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard bound == 0 else { throw Failure(description: "bind: \(unsafe String(cString: strerror(errno)))") }
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw Failure(description: "connect: \(unsafe String(cString: strerror(errno)))") }
  }

  var isWithoutToken: Bool { token == nil }

  deinit { close(socket) }

  /// Sends a request and reads its answer.
  func send(
    _ method: String, _ path: String, _ body: [UInt8]? = nil, headers: [String: String] = [:]
  ) throws -> Reply {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\n"
    if let token { head += "Authorization: Bearer \(token)\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    try write(Array((head + "\r\n").utf8) + (body ?? []))
    return try read(hasBody: method != "HEAD")
  }

  /// Sends a request with a JSON body and reads its answer.
  func send(_ method: String, _ path: String, json: String, headers: [String: String] = [:]) throws -> Reply {
    try send(
      method, path, Array(json.utf8), headers: headers.merging(["Content-Type": "application/json"]) { old, _ in old })
  }

  /// Returns all pages of a list, from the first to the last.
  ///
  /// - Parameter path: a path with a query.
  func pages(_ path: String) throws -> [[[String: Any]]] {
    var pages: [[[String: Any]]] = []
    var next = ""
    while true {
      let reply = try send("GET", path + next)
      pages.append(reply.list)
      guard let cursor = try reply.json["next"] as? String else { return pages }
      next = "&cursor=" + (cursor.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
  }

  func write(_ bytes: [UInt8]) throws {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes[done...].withUnsafeBytes {
        unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "send: \(unsafe String(cString: strerror(errno)))") }
      done += count
    }
  }

  /// Closes the sending direction.
  func endInput() { shutdown(socket, Int32(SHUT_WR)) }

  func read(hasBody: Bool = true) throws -> Reply {
    let head = try String(decoding: receive(through: Array("\r\n\r\n".utf8)), as: UTF8.self)
    let lines = head.components(separatedBy: "\r\n")
    guard let status = Int(lines[0].dropFirst(9).prefix(3)) else { throw Failure(description: "no status: \(head)") }
    var headers: [String: String] = [:]
    var cookies: [String] = []
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let (name, value) = (
        line[..<colon].lowercased(), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      )
      headers[name] = value
      if name == "set-cookie" { cookies.append(value) }
    }
    let count = hasBody ? headers["content-length"].flatMap { Int($0) } ?? 0 : 0
    let isChunked = hasBody && headers["transfer-encoding"] == "chunked"
    return Reply(
      status: status, headers: headers, body: isChunked ? try receiveChunks() : try receive(count), cookies: cookies)
  }

  /// Reads a body in chunks (RFC 9112, 7.1).
  private func receiveChunks() throws -> [UInt8] {
    var body: [UInt8] = []
    while true {
      let size = String(decoding: try receive(through: Array("\r\n".utf8)).dropLast(2), as: UTF8.self)
      guard let count = Int(size, radix: 16) else { throw Failure(description: "no length of a chunk: \(size)") }
      body += try receive(count)
      _ = try receive(2)
      if count == 0 { return body }
    }
  }

  /// Reads bytes until the server ends its side of the connection.
  func readToEnd() throws -> [UInt8] {
    while try fill() {}
    defer { rest = [] }
    return rest
  }

  func receive(_ count: Int) throws -> [UInt8] {
    while rest.count < count {
      guard try fill() else { throw Failure(description: "the connection ended after \(rest.count) of \(count) bytes") }
    }
    defer { rest.removeFirst(count) }
    return Array(rest[..<count])
  }

  func receive(through mark: [UInt8]) throws -> [UInt8] {
    var searched = 0
    while true {
      if rest.count >= mark.count {
        for start in searched...(rest.count - mark.count)
        where rest[start..<(start + mark.count)].elementsEqual(mark) { return try receive(start + mark.count) }
        searched = rest.count - mark.count + 1
      }
      guard try fill() else {
        throw Failure(description: "the connection ended: \(String(decoding: rest, as: UTF8.self))")
      }
    }
  }

  /// Reads more bytes; returns `false` at the end.
  private func fill() throws -> Bool {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(socket, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failure(description: "recv: \(unsafe String(cString: strerror(errno)))") }
    rest += buffer[..<count]
    return count > 0
  }
}
