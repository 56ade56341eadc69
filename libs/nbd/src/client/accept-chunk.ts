import type { StatusExtent } from '@lateen/block-engine';
import type { ByteQueue } from '../wire/byte-queue.ts';
import { chunk, command, nameBytesMax } from '../wire/numbers.ts';
import type { ChunkHead } from '../wire/replies.ts';
import type { PendingRequest } from './pending-requests.ts';
import { ReadParts } from './read-parts.ts';

/** As many runs as qemu-storage-daemon puts into one answer; the caller sends another request for more. */
const extentsMax = 128 * 1024;
const errorBytesMax = 4 + 2 + nameBytesMax + 8;
/** EINVAL, for an error chunk that gives the error 0. */
const errorUnsaid = 22;

/** Takes the payload of one chunk in: `more` while it has not come whole, `bad` when it is no answer to this request. */
export function acceptChunk(request: PendingRequest, head: ChunkHead, queue: ByteQueue): 'accepted' | 'more' | 'bad' {
  if (!isPlausible(request, head)) return 'bad';
  if (queue.length < head.payloadBytes) return 'more';
  return accept(request, head, queue) ? 'accepted' : 'bad';
}

/** Asked before the payload is waited for, so that it bounds what is held. */
function isPlausible(request: PendingRequest, { type, payloadBytes }: ChunkHead): boolean {
  if ((type & chunk.ERROR) !== 0) return payloadBytes >= 6 && payloadBytes <= errorBytesMax;
  const reads = request.command === command.READ;
  if (type === chunk.NONE) return payloadBytes === 0;
  if (type === chunk.OFFSET_DATA) return reads && payloadBytes > 8 && payloadBytes <= 8 + request.lengthBytes;
  if (type === chunk.OFFSET_HOLE) return reads && payloadBytes === 12;
  if (type !== chunk.BLOCK_STATUS || request.command !== command.BLOCK_STATUS) return false;
  return payloadBytes >= 12 && payloadBytes % 8 === 4 && payloadBytes <= 4 + 8 * extentsMax;
}

function accept(request: PendingRequest, { type, payloadBytes }: ChunkHead, queue: ByteQueue): boolean {
  if (type === chunk.NONE) return true;
  if (type === chunk.OFFSET_DATA) return acceptData(request, payloadBytes, queue);
  const payload = Buffer.concat(queue.takeList(payloadBytes) ?? []);
  if ((type & chunk.ERROR) !== 0) {
    if (request.error === 0) request.error = payload.readUInt32BE(0) || errorUnsaid;
    return true;
  }
  if (type === chunk.OFFSET_HOLE) {
    const from = Number(payload.readBigUInt64BE(0) - request.at);
    return partsOf(request).add(from, payload.readUInt32BE(8), undefined);
  }
  return acceptStatus(request, payload);
}

function acceptData(request: PendingRequest, payloadBytes: number, queue: ByteQueue): boolean {
  const at = queue.takeHead(8)?.readBigUInt64BE(0);
  const data = queue.takeList(payloadBytes - 8);
  if (at === undefined || data === undefined) return false;
  return partsOf(request).add(Number(at - request.at), payloadBytes - 8, data);
}

function partsOf(request: PendingRequest): ReadParts {
  request.parts ??= new ReadParts(request.lengthBytes);
  return request.parts;
}

/** A server answers for every context that was agreed on; the one that was asked for is kept. */
function acceptStatus(request: PendingRequest, payload: Buffer): boolean {
  if (payload.readUInt32BE(0) !== request.contextId) return true;
  if (request.extents !== undefined) return false;
  const extents: StatusExtent[] = [];
  for (let i = 4; i < payload.length; i += 8) {
    const lengthBytes = payload.readUInt32BE(i);
    if (lengthBytes === 0) return false;
    extents.push({ lengthBytes, value: payload.readUInt32BE(i + 4) });
  }
  request.extents = extents;
  return true;
}
