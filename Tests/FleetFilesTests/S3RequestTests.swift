import FleetDomain
import Peers
import Telemetry
import Testing

@testable import FleetFiles

/// Requests to S3-compatible storage, and their answers.
@Suite struct S3RequestTests {
  /// The examples of "Signature Calculations for the Authorization Header" in the Amazon S3 API Reference.
  @Test(arguments: [
    (
      S3Request(method: .get, key: "test.txt", headers: [("range", "bytes=0-9")]),
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    ),
    (
      S3Request(method: .get, key: "", query: [("lifecycle", "")]),
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    ),
    (
      S3Request(method: .get, key: "", query: [("prefix", "J"), ("max-keys", "2")]),
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
    ),
  ])
  func a_signature_is_that_of_the_published_example(_ request: S3Request, _ signature: String) throws {
    var bucket = S3Bucket(
      url: try #require(ServiceURL("https://s3.amazonaws.com", schemes: [("https", 443)])), name: "examplebucket",
      region: "us-east-1")
    bucket.addressing = .host
    (bucket.accessKey, bucket.secretKey) = ("AKI" + "AIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let time = try #require(Timestamp(year: 2013, month: 5, day: 24))
    let lines = request.signedHeaders(for: bucket, at: time)
    #expect(lines.contains { $0.hasSuffix("Signature=\(signature)") }, "\(lines)")
    #expect(lines.contains("host: examplebucket.s3.amazonaws.com") && !"\(bucket)".contains(bucket.secretKey))
  }

  @Test func addresses_name_the_bucket_in_the_path_or_in_the_host() throws {
    let url = try #require(ServiceURL("http://[::1]:9000/s3/", schemes: [("http", 80)]))
    var bucket = S3Bucket(url: url, name: "fleet", region: "x")
    #expect(bucket.host == "[::1]:9000" && bucket.path("a/b") == "/s3/fleet/a/b")
    bucket.addressing = .host
    #expect(bucket.host == "fleet.[::1]:9000" && bucket.path("a/b") == "/s3/a/b")
    #expect(S3Bucket.isName("a.b-c") && !S3Bucket.isName("ab") && !S3Bucket.isName("A-b") && !S3Bucket.isName("-ab"))
    #expect(
      S3Bucket.isPrefix("") && S3Bucket.isPrefix("a/b_c/") && !S3Bucket.isPrefix("/a") && !S3Bucket.isPrefix("a/../b"))
    #expect(!S3Bucket.isPrefix("a b") && !S3Bucket.isPrefix("ä"))
  }

  /// Two servers may store pieces of the same upload; the longest object of each part counts.
  @Test func the_parts_of_an_upload_are_the_longest_without_a_gap() {
    let hash = String(repeating: "a", count: 64)
    func part(_ index: Int, _ count: Int, _ nonce: String? = nil) -> S3Part {
      S3Part(index: index, count: count, sha256: hash, nonce: nonce)
    }
    func chain(_ parts: [S3Part], _ more: [Substring] = []) -> [S3Part] {
      S3Part.chain(parts.map { $0.name[...] } + more)
    }
    let full = S3Part.fullBytes
    #expect(chain([]) == [])
    #expect(chain([part(0, 5), part(0, full), part(1, 7), part(1, 3)]) == [part(0, full), part(1, 7)])
    #expect(chain([part(0, 5), part(1, 7)]) == [part(0, 5)])
    #expect(chain([part(1, 7)]) == [])
    // The parts of a piece count only after its checksum was checked.
    #expect(chain([part(0, full, "n"), part(0, 4), part(1, 1, "n")]) == [part(0, 4)])
    #expect(
      chain([part(0, full, "n"), part(0, 4), part(1, 1, "n")], ["ok.n"]) == [part(0, full, "n"), part(1, 1, "n")])
    #expect(chain([], ["000000.0.\(hash[...])", "x", "000000.9.ab", "ok."]) == [])
  }

  @Test func errors_of_the_storage_have_a_remedy() throws {
    let url = try #require(ServiceURL("https://s3.example", schemes: [("https", 443)]))
    let bucket = S3Bucket(url: url, name: "fleet", region: "x")
    func text(_ status: Int, _ code: String) -> String {
      let body = Array("<Error><Code>\(code)</Code><Message>m\u{7}</Message></Error>".utf8)
      let failure = S3Failure(status: status, body: body)
      return "\(failure.isTemporary) \(failure.error(S3Request(method: .get, key: "k"), bucket))"
    }
    #expect(text(403, "RequestTimeTooSkewed").contains("set the clock"))
    #expect(text(404, "NoSuchBucket").contains("https://s3.example/fleet: this bucket does not exist"))
    #expect(text(404, "NoSuchKey") == #"false missing("k")"#)
    #expect(text(301, "PermanentRedirect").contains("files.s3.region"))
    #expect(text(503, "SlowDown").hasPrefix("true") && text(500, "InternalError").hasPrefix("true"))
    #expect(text(403, "AccessDenied").hasPrefix("false"))
  }
}
