// Files from beside the page.

/** A file that did not come, and why, in words. */
export class DownloadError extends Error {
  name = 'DownloadError';
}

/**
 * The bytes of a file; `progress(share)` is told what share has come so far, where the length is
 * known beforehand.
 */
export async function fetchWhole(path, progress = () => {}) {
  const response = await fetch(path).catch(() => {
    throw new DownloadError(`${path} cannot be reached`);
  });
  if (!response.ok) throw new DownloadError(`${path}: ${response.status} ${response.statusText}`);
  const total = Number(response.headers.get('content-length'));
  const encoded = response.headers.has('content-encoding');
  if (!total || encoded || !response.body) return new Uint8Array(await response.arrayBuffer());
  const bytes = new Uint8Array(total);
  let at = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new DownloadError(`${path} broke off after ${at} of ${total} bytes`);
    });
    if (done) break;
    if (at + value.length > total) throw new DownloadError(`${path} is longer than announced`);
    bytes.set(value, at);
    at += value.length;
    progress(at / total);
  }
  if (at < total) throw new DownloadError(`${path} broke off after ${at} of ${total} bytes`);
  return bytes;
}
