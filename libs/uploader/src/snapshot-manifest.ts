import { AppError } from '@lateen/errors';
import { attributesInlineOf, attributesKeyOf } from './attributes/attribute-snapshot.ts';

/** What we read of a kopia snapshot manifest, whether printed by `snapshot create --json` or by `manifest show`. */
export interface SnapshotManifest {
  /** 32 hex digits; what a DataUpload carries as snapshotID. */
  id: string;
  totalBytes: number;
  /** "canceled", "checkpoint" …; undefined for a complete snapshot. */
  incomplete: string | undefined;
  /** Files that could not be read. */
  failedEntries: number;
  errors: readonly { path: string; error: string }[];
  /** Key of the attribute manifest; undefined when the snapshot has none, or has it in a tag. */
  attributesKey: string | undefined;
  /** The attribute manifest itself, packed, when it is small. */
  attributesInline: string | undefined;
  /** Files in the whole tree; undefined when the manifest does not say. */
  files: number | undefined;
  /** ID of the root directory's object. */
  rootObject: string | undefined;
  /** The root directory as an entry, in kopia's form. */
  rootEntry: unknown;
}

/** The manifest in the output of `kopia snapshot create --json --json-verbose`. @throws UPLOADER_BAD_ANSWER */
export function parseSnapshotJson(stdout: string): SnapshotManifest {
  const parsed = tryParse(stdout);
  const manifest = parsed === undefined ? undefined : manifestOf(parsed);
  if (manifest !== undefined) return manifest;
  throw new AppError('UPLOADER_BAD_ANSWER', 'kopia did not report the snapshot it made', { retry: 'later' });
}

/** The manifest as the repository has it. @throws SNAPSHOT_INVALID */
export function snapshotManifestOf(data: unknown, id: string): SnapshotManifest {
  const manifest = typeof data === 'object' && data !== null ? manifestOf({ ...data, id }) : undefined;
  if (manifest !== undefined) return manifest;
  throw new AppError('SNAPSHOT_INVALID', `manifest ${id} of the repository is not a snapshot of a volume`);
}

/** The manifest in the output of `kopia manifest show`, below its comment lines; the ID is the caller's. */
export function parseManifestShow(stdout: string, id: string): SnapshotManifest {
  const body = stdout
    .split('\n')
    .filter((line) => !line.startsWith('//'))
    .join('\n');
  return snapshotManifestOf(tryParse(body), id);
}

/** The same, or undefined: for the output of a run that was asked to stop. */
export function tryParseSnapshotJson(stdout: string): SnapshotManifest | undefined {
  const parsed = tryParse(stdout);
  return parsed === undefined ? undefined : manifestOf(parsed);
}

interface RawManifest {
  id?: unknown;
  incomplete?: unknown;
  tags?: unknown;
  stats?: { totalSize?: unknown };
  rootEntry?: {
    summ?: { size?: unknown; files?: unknown; numFailed?: unknown; errors?: unknown };
    size?: unknown;
    obj?: unknown;
  };
}

function manifestOf(raw: RawManifest): SnapshotManifest | undefined {
  const summary = raw.rootEntry?.summ;
  const totalBytes = raw.stats?.totalSize ?? summary?.size ?? raw.rootEntry?.size;
  if (typeof raw.id !== 'string' || raw.id === '' || typeof totalBytes !== 'number') return undefined;
  return {
    id: raw.id,
    totalBytes,
    incomplete: typeof raw.incomplete === 'string' && raw.incomplete !== '' ? raw.incomplete : undefined,
    failedEntries: typeof summary?.numFailed === 'number' ? summary.numFailed : 0,
    errors: Array.isArray(summary?.errors) ? summary.errors.flatMap(entryErrorOf) : [],
    attributesKey: attributesKeyOf(raw.tags),
    attributesInline: attributesInlineOf(raw.tags),
    files: typeof summary?.files === 'number' ? summary.files : undefined,
    rootObject: typeof raw.rootEntry?.obj === 'string' ? raw.rootEntry.obj : undefined,
    rootEntry: raw.rootEntry,
  };
}

function entryErrorOf(raw: unknown): { path: string; error: string }[] {
  if (typeof raw !== 'object' || raw === null) return [];
  const { path, error } = raw as { path?: unknown; error?: unknown };
  return [{ path: String(path ?? '?'), error: String(error ?? 'unknown error') }];
}

function tryParse(text: string): RawManifest | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
