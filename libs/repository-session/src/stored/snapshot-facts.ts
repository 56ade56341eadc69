/** What the manifest of a snapshot says, whatever program wrote it. */
export interface SnapshotFacts {
  source: { host?: unknown; userName?: unknown; path?: unknown };
  /** Why it is not the whole of its source; undefined if it is. */
  flaw: string | undefined;
  /** The object of its folder; undefined if it names none. */
  root: string | undefined;
  /** Of all files together: of a block volume, its size. 0 if it does not say. */
  sizeBytes: number;
  /** When it was begun. Infinity if it does not say: it may be the newest. */
  startMs: number;
  tags: Readonly<Record<string, unknown>>;
}

interface Manifest {
  source?: SnapshotFacts['source'];
  startTime?: unknown;
  incomplete?: unknown;
  stats?: { totalSize?: unknown };
  rootEntry?: { obj?: unknown; type?: unknown; summ?: { numFailed?: unknown } };
  tags?: SnapshotFacts['tags'];
}

/**
 * The one rule by which a snapshot counts as whole: it has a folder, a size and a time, kopia ended it itself, and no entry was left out.
 * kopia itself also builds on one with entries left out; here that one counts as unfinished. Undefined for what is no JSON object. Pure.
 */
export function snapshotFacts(json: string): SnapshotFacts | undefined {
  const manifest = manifestIn(json);
  if (manifest === undefined) return undefined;
  const { source, startTime, stats, rootEntry, tags } = manifest;
  const startMs = typeof startTime === 'string' ? Date.parse(startTime) : Number.NaN;
  return {
    source: source ?? {},
    flaw: flawOf(manifest, startMs),
    root: rootEntry?.type === 'd' && typeof rootEntry.obj === 'string' ? rootEntry.obj : undefined,
    sizeBytes: typeof stats?.totalSize === 'number' ? stats.totalSize : 0,
    startMs: Number.isNaN(startMs) ? Number.POSITIVE_INFINITY : startMs,
    tags: tags ?? {},
  };
}

function flawOf({ incomplete, rootEntry, stats }: Manifest, startMs: number): string | undefined {
  if (incomplete !== undefined && incomplete !== '') return String(incomplete);
  if (rootEntry === undefined) return 'it has no folder';
  const numFailed = rootEntry.summ?.numFailed ?? 0;
  if (numFailed !== 0) return `${String(numFailed)} entries were not read`;
  if (Number.isNaN(startMs)) return 'it does not say when it was made';
  return typeof stats?.totalSize === 'number' ? undefined : 'it does not say its size';
}

function manifestIn(json: string): Manifest | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
