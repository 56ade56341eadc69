import { readId } from '../volume-id.ts';
import type { AnyRecord } from './records.ts';

/** Written into each record file; a later layout gets another number. */
export const recordVersion = 1;

const states = ['creating', 'ready', 'deleting'];
const fileSystems = ['ext4', 'xfs'];

export const recordText = (record: AnyRecord): string => `${JSON.stringify({ version: recordVersion, ...record })}\n`;

/**
 * A record from its file's text, or the reason why it cannot be one. The file is ours, but a disk can lie: nothing of
 * it is used unchecked, because the ID becomes a path.
 */
export function readRecord(text: string, expectedId: string): AnyRecord | { unreadable: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { unreadable: 'it is not JSON' };
  }
  if (typeof value !== 'object' || value === null) return { unreadable: 'it is not a JSON object' };
  const fields = value as Record<string, unknown>;
  const problem = problemOf(fields, expectedId);
  if (problem !== undefined) return { unreadable: problem };
  const { version: _version, ...record } = fields;
  return record as unknown as AnyRecord;
}

function problemOf(fields: Record<string, unknown>, expectedId: string): string | undefined {
  if (fields.version !== recordVersion) return `its version is ${String(fields.version)}, not ${recordVersion}`;
  const id = readId(expectedId, 'id');
  if (id.kind === 'unknown' || fields.id !== expectedId || fields.kind !== id.kind)
    return 'its id is not its file name';
  if (typeof fields.name !== 'string') return 'it has no name';
  if (!states.includes(fields.state as string)) return `its state is ${String(fields.state)}`;
  if (!isSize(fields.createdAtMs)) return 'it has no creation time';
  if (!isSize(id.kind === 'volume' ? fields.capacityBytes : fields.sizeBytes)) return 'it has no size';
  if (id.kind === 'snapshot' && typeof fields.sourceVolumeId !== 'string') return 'it has no source volume';
  return fileSystemProblem(fields.fileSystem);
}

function fileSystemProblem(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'object' || value === null) return 'its file system is not an object';
  const { type, state, sizeBytes } = value as Record<string, unknown>;
  const isWhole =
    fileSystems.includes(type as string) && (state === 'formatting' || state === 'ready') && isSize(sizeBytes);
  return isWhole ? undefined : 'its file system is incomplete';
}

const isSize = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
