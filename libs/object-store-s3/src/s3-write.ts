import { AppError, isAppError } from '@lateen/errors';
import { type RetryCalls, textOf, writeInParts } from '@lateen/object-store';
import type { Checksum } from './checksum.ts';
import type { Encryption } from './encryption.ts';
import type { S3Client } from './s3-client.ts';

/** What every object that is written gets. */
export interface WriteDeps {
  client: S3Client;
  encryption: Encryption;
  checksum: Checksum | undefined;
  tagging: string | undefined;
  /** Bytes of a part. */
  partBytes: number;
  /** For single parts: a large object shall not fail because one of its thousand parts met a busy gateway. */
  retry: RetryCalls;
}

interface Upload {
  key: string;
  id: string;
  signal: AbortSignal | undefined;
}

interface Part {
  number: number;
  etag: string;
  checksum: string | undefined;
}

/** S3 takes no more (Amazon S3 user guide, "Multipart upload limits"). */
const partsMax = 10_000;
/** After this many parts the next ones are twice as large, so that 10,000 are enough for 1.4 TiB from 8 MiB. */
const partsOfOneSize = 1_000;
const partBytesMax = 256 * 1024 * 1024;

/** One PUT, whole. */
export async function writeWhole(
  deps: WriteDeps,
  key: string,
  body: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  signal?.throwIfAborted();
  const headers = { ...(await newHeaders(deps)), ...deps.checksum?.ofBody(body) };
  await deps.client.send({ method: 'PUT', key, headers, body, signal });
}

/** One PUT for what fits into one part, else a multipart upload that is aborted when anything fails. */
export async function writePieces(
  deps: WriteDeps,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const most = Math.max(partBytesMax, deps.partBytes);
  const writer = {
    partBytes: (part: number) => Math.min(deps.partBytes * 2 ** Math.floor(part / partsOfOneSize), most),
    whole: (body: Uint8Array) => writeWhole(deps, key, body, signal),
    parts: (bodies: AsyncIterable<Uint8Array>) => writeParts(deps, key, signal, bodies),
  };
  await writeInParts(pieces, writer, signal);
}

async function newHeaders({ encryption, tagging }: WriteDeps): Promise<Record<string, string>> {
  return { ...(await encryption.ofNew()), ...(tagging ? { 'x-amz-tagging': tagging } : {}) };
}

async function writeParts(
  deps: WriteDeps,
  key: string,
  signal: AbortSignal | undefined,
  bodies: AsyncIterable<Uint8Array>,
): Promise<void> {
  const headers = { ...(await newHeaders(deps)), ...deps.checksum?.ofUpload };
  const begun = await deps.client.send({ method: 'POST', key, query: { uploads: '' }, headers, signal });
  const id = textOf(new TextDecoder().decode(begun.body), 'UploadId');
  if (id === '') throw new AppError('OBJECT_STORE_BAD_ANSWER', `a multipart upload of object "${key}" got no id`);
  const upload = { key, id, signal };
  try {
    const parts: Part[] = [];
    for await (const body of bodies) {
      const number = parts.length + 1;
      parts.push(await deps.retry.run(signal, () => sendPart(deps, upload, number, body)));
    }
    await complete(deps, upload, parts);
  } catch (error) {
    await discard(deps.client, upload, error);
    throw error;
  }
}

async function sendPart(deps: WriteDeps, upload: Upload, number: number, body: Uint8Array): Promise<Part> {
  if (number > partsMax) {
    throw new AppError('OBJECT_STORE_BAD_ANSWER', `object "${upload.key}" is larger than ${partsMax} parts can hold`);
  }
  const query = { partNumber: String(number), uploadId: upload.id };
  const sums = deps.checksum?.ofBody(body) ?? {};
  const headers = { ...(await deps.encryption.ofBytes()), ...sums };
  const { key, signal } = upload;
  const answer = await deps.client.send({ method: 'PUT', key, query, headers, body, signal });
  const etag = answer.header('etag');
  if (etag === undefined) {
    throw new AppError('OBJECT_STORE_BAD_ANSWER', `part ${number} of object "${upload.key}" got no ETag`);
  }
  return { number, etag, checksum: deps.checksum === undefined ? undefined : sums[deps.checksum.headerName] };
}

async function complete(deps: WriteDeps, upload: Upload, parts: readonly Part[]): Promise<void> {
  const element = deps.checksum?.element;
  const list = parts.map(({ number, etag, checksum }) => {
    const sum = checksum === undefined ? '' : `<${element}>${checksum}</${element}>`;
    return `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag>${sum}</Part>`;
  });
  const body = new TextEncoder().encode(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
  const { key, id, signal } = upload;
  const answer = await deps.client.send({ method: 'POST', key, query: { uploadId: id }, body, signal });
  const xml = new TextDecoder().decode(answer.body);
  // A store that joins the parts for long answers 200 first, and says in the body how it ended.
  if (xml.includes('<CompleteMultipartUploadResult')) return;
  const said = [textOf(xml, 'Code'), textOf(xml, 'Message')].filter((text) => text !== '').join(': ');
  throw new AppError(
    'OBJECT_STORE_UNAVAILABLE',
    `the parts of object "${key}" could not be joined (${said || 'no S3 XML'})`,
    { retry: 'later' },
  );
}

/** Frees the parts. The caller's signal may be why we are here, so this call has only its own limit of time. */
async function discard(client: S3Client, upload: Upload, reason: unknown): Promise<void> {
  try {
    await client.send({ method: 'DELETE', key: upload.key, query: { uploadId: upload.id } });
  } catch (cause) {
    // An abort keeps its reason, which the aborting caller expects. An upload that another program has ended leaves nothing.
    if (upload.signal?.aborted === true || isAppError(cause, 'OBJECT_NOT_FOUND')) return;
    throw new AppError(
      'OBJECT_STORE_UNAVAILABLE',
      `object "${upload.key}" was not written, and its parts are still in the bucket`,
      {
        retry: 'later',
        cause: new AggregateError([reason, cause]),
        nextStep: 'Give the bucket a lifecycle rule that removes incomplete multipart uploads.',
      },
    );
  }
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
