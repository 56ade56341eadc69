import { createHash } from 'node:crypto';
import { volumeLimits } from './limits.ts';
import { volumeError } from './volume-error.ts';

export type RecordKind = 'volume' | 'snapshot';

const prefixes = { volume: 'vol', snapshot: 'snap' } as const satisfies Record<RecordKind, string>;
const idPattern = /^(vol|snap)-([0-9a-f]{8})-([0-9a-f]{32})$/;

const hex = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length);

/** Eight digits that identify a node in IDs, so that a node recognises volumes of other nodes. */
export const nodeTag = (nodeId: string): string => hex(nodeId, 8);

/**
 * The ID for a name on a node. It is computed, not drawn: a call repeated after a crash finds what the first one left,
 * and no character of a request ever becomes part of a file name.
 * @throws AppError `INVALID_ARGUMENT` for an empty or oversized name.
 */
export function idForName(kind: RecordKind, name: string, nodeId: string): string {
  if (name === '') throw volumeError('INVALID_ARGUMENT', `a ${kind} needs a name`);
  if (Buffer.byteLength(name) > volumeLimits.idBytesMax) {
    throw volumeError('INVALID_ARGUMENT', `the ${kind} name is longer than ${volumeLimits.idBytesMax} bytes`);
  }
  return `${prefixes[kind]}-${nodeTag(nodeId)}-${hex(name, 32)}`;
}

/** What an ID that came from outside refers to. Anything that we cannot have issued is `unknown`. */
export type IdFinding = { kind: RecordKind; id: string; tag: string } | { kind: 'unknown' };

/**
 * Reads an ID from a request. Pure; the pattern leaves no room for separators or dots.
 * @throws AppError `INVALID_ARGUMENT` when it is empty or too long.
 */
export function readId(text: string, what: string): IdFinding {
  if (text === '') throw volumeError('INVALID_ARGUMENT', `${what} is missing`);
  const match = Buffer.byteLength(text) > volumeLimits.idBytesMax ? null : idPattern.exec(text);
  if (match?.[2] === undefined) return { kind: 'unknown' };
  return { kind: match[1] === 'vol' ? 'volume' : 'snapshot', id: text, tag: match[2] };
}
