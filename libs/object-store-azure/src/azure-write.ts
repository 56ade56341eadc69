import { createHash } from 'node:crypto';
import type { BlockBlobClient } from '@azure/storage-blob';
import { AppError, isAppError } from '@lateen/errors';
import { writeInParts } from '@lateen/object-store';
import type { AzureClient } from './azure-client.ts';

/** Azure takes no more (Put Block List, "Remarks"). */
const blocksMax = 50_000;
/** After this many blocks the next ones are twice as large, so that 50,000 are enough for any object. */
const blocksOfOneSize = 5_000;

/**
 * One Put Blob for what fits into a block, else blocks that a list joins at the end. Until then the key is as it was;
 * Azure drops blocks that are in no list with the next write of the key, or after a week (Put Block, "Remarks").
 */
export async function writePieces(
  client: AzureClient,
  key: string,
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const writer = {
    partBytes: (block: number) => client.limits.partBytes * 2 ** Math.floor(block / blocksOfOneSize),
    whole: (body: Uint8Array) => putWhole(client, key, body, signal),
    parts: (bodies: AsyncIterable<Uint8Array>) => writeBlocks(client, key, signal, bodies),
  };
  await writeInParts(pieces, writer, signal);
}

export async function putWhole(
  client: AzureClient,
  key: string,
  body: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<void> {
  const blob = client.blob(key);
  const upload = (abortSignal: AbortSignal) => blob.upload(body, body.length, { abortSignal });
  await client.call(`object "${key}"`, signal, upload, body.length);
}

async function writeBlocks(
  client: AzureClient,
  key: string,
  signal: AbortSignal | undefined,
  bodies: AsyncIterable<Uint8Array>,
): Promise<void> {
  const blob = client.blob(key);
  const subject = `object "${key}"`;
  const before = await etagOf(client, blob, subject, signal);
  const ids: string[] = [];
  for await (const body of bodies) {
    if (ids.length === blocksMax) {
      throw new AppError('OBJECT_STORE_BAD_ANSWER', `${subject} is larger than ${blocksMax} blocks can hold`);
    }
    const id = blockId(ids.length, body);
    const stage = (abortSignal: AbortSignal) => blob.stageBlock(id, body, body.length, { abortSignal });
    await client.call(subject, signal, stage, body.length);
    ids.push(id);
  }
  try {
    await client.call(subject, signal, (abortSignal) => blob.commitBlockList(ids, { abortSignal }));
  } catch (error) {
    // Another writer's list drops our blocks. Then theirs has replaced ours as if it had come a moment later.
    const lost = isAppError(error, 'OBJECT_STORE_BAD_ANSWER') && error.message.includes('InvalidBlockList');
    if (!lost || (await etagOf(client, blob, subject, signal)) === before) throw error;
  }
}

/** Undefined when there is no blob yet. */
async function etagOf(
  client: AzureClient,
  blob: BlockBlobClient,
  subject: string,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  try {
    return (await client.call(subject, signal, (abortSignal) => blob.getProperties({ abortSignal }))).etag;
  } catch (error) {
    if (isAppError(error, 'OBJECT_NOT_FOUND')) return undefined;
    throw error;
  }
}

/** Made of the content: two writers at once use the same name only for the same bytes. All are of one length, as Azure wants. */
const blockId = (index: number, body: Uint8Array): string =>
  createHash('sha256').update(`${index}:`).update(body).digest('base64');
