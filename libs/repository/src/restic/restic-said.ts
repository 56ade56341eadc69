import { constants } from 'node:os';
import { getSystemErrorMessage } from 'node:util';

const { ENOENT, ESTALE } = constants.errno;

/** restic clears its status line with these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with a control character
const escapes = /\u001b\[[0-9;]*[A-Za-z]/g;

/**
 * restic 0.14's standard error as text for users: with `--json`, a file that could not be read is an object with an errno in it.
 * A last line that only says that there were such errors is left out.
 */
export function plainStderr(stderr: string): string {
  return stderr
    .split(/\r?\n/)
    .map((line) => plainLine(line.replace(escapes, '').trim()))
    .filter((line) => line !== '')
    .join('\n');
}

/** One file or directory that restic could not archive. */
export interface ItemError {
  /** The path as restic prints it: relative to the volume or absolute. */
  item: string;
  /** `permission denied`; empty when restic gives no reason. */
  reason: string;
  /** The file no longer exists, or a file server reports that another client deleted it. */
  isGone: boolean;
  /** False for an error during restic's count: the same error occurs again when restic reads the file. */
  archival: boolean;
}

/** Reads one JSON error line of `backup`; undefined for anything else. */
export function parseItemError(line: string): ItemError | undefined {
  const parsed = tryParse(line);
  if (parsed?.message_type !== 'error') return undefined;
  const { error, item, during } = parsed;
  const { Path, Err } = (typeof error === 'object' && error !== null ? error : {}) as { Path?: unknown; Err?: unknown };
  const named = typeof item === 'string' && item !== '' ? item : Path;
  return {
    item: typeof named === 'string' ? named : '?',
    reason: reasonOf(Err),
    isGone: Err === ENOENT || Err === ESTALE,
    archival: during !== 'scan',
  };
}

function plainLine(line: string): string {
  const failed = parseItemError(line);
  if (failed === undefined) return line;
  return failed.reason === '' ? `cannot read ${failed.item}` : `cannot read ${failed.item}: ${failed.reason}`;
}

/** Go writes an errno as a number, and most other errors as an empty object. */
function reasonOf(err: unknown): string {
  if (typeof err === 'string') return err;
  if (typeof err !== 'number' || !Number.isInteger(err) || err <= 0) return '';
  return getSystemErrorMessage(-err);
}

function tryParse(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
