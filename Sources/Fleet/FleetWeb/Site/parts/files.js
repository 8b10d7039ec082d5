/** Uploads of files. An upload that was interrupted continues where it ended (tus 1.0). */
import { RequestError, request } from "../api.js";

/** The size of one piece, in bytes: small enough that little is lost with a bad network. */
const pieceBytes = 512 * 1024;

/** Dispatches `progress` with the path, and the part that has arrived: from 0 to 1. */
export const uploads = new EventTarget();

/**
 * The number of bytes that have arrived; `null` if the file is complete.
 * @param {string} path
 */
async function arrived(path) {
  const text = (await request("HEAD", path + "/content")).headers?.get("Upload-Offset") ?? null;
  return text === null ? null : Number(text);
}

/**
 * Uploads a file, or the rest of it.
 * @param {string} path that of the file, with the id that this browser chose
 * @param {Blob} blob
 * @param {string} name
 */
export async function upload(path, blob, name) {
  const answer = await request("PUT", path, { body: { name, size: blob.size }, headers: { "If-None-Match": "*" } });
  if (answer.value.status !== "uploading") return answer;
  let offset = await arrived(path);
  while (offset !== null && offset < blob.size) {
    try {
      await request("PATCH", path + "/content", {
        body: blob.slice(offset, offset + pieceBytes), type: "application/offset+octet-stream", headers: { "Upload-Offset": String(offset), "Tus-Resumable": "1.0.0" },
      });
      offset = Math.min(blob.size, offset + pieceBytes);
    } catch (error) {
      // Another tab has sent this piece.
      if (!(error instanceof RequestError) || error.code !== "wrongOffset") throw error;
      offset = await arrived(path);
    }
    uploads.dispatchEvent(new CustomEvent("progress", { detail: { path, part: (offset ?? blob.size) / Math.max(1, blob.size) } }));
  }
  return answer;
}
