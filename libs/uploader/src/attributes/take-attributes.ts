import type { Clock } from '@lateen/kernel';
import type { ManifestEnd } from './attribute-record.ts';
import { attributesTagArg, inlineTagArg } from './attribute-snapshot.ts';
import { ManifestLines } from './manifest-lines.ts';
import type { Programs } from './programs.ts';
import { scanAttributes } from './scan-attributes.ts';
import { type StoreOptions, storeAttributes } from './store-attributes.ts';

/** A longer scan is not waited for: the volume's own run starts, and the manifest is stored in a snapshot of its own. */
export const inlineScanMsMax = 300;

export interface TakeOptions extends StoreOptions {
  programs: Programs;
  clock: Clock;
}

export interface TakenAttributes {
  /** The argument that stores the manifest in the volume's snapshot, or the key that leads to it. */
  tagArg: string;
  /** The manifest that is being stored in a snapshot of its own; undefined when all of it is in the tag. */
  stored: Promise<ManifestEnd> | undefined;
  /** What the scan found; settles with `stored`, if that is set. */
  end: Promise<ManifestEnd>;
}

/**
 * Scans a volume for what kopia does not keep. Resolves as soon as it is known where the manifest goes: into a tag when the scan
 * ends soon and has found little, which needs no second kopia; otherwise into a snapshot of its own, to which the same scan
 * streams the rest.
 * @throws as `scanAttributes`; the signal's reason on abort. `stored` and `end` reject with that and as `storeAttributes`
 */
export async function takeAttributes(options: TakeOptions): Promise<TakenAttributes> {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const lines = new ManifestLines();
  const scanned = scan({ ...options, signal }, lines);
  await settledSoon(options, [scanned, lines.outgrown]);
  const inline = lines.inline();
  if (inline !== undefined) return { tagArg: inlineTagArg(inline), stored: undefined, end: scanned };
  const stored = store({ ...options, signal }, { lines, scanned, over });
  // The caller awaits this after another step; until then a rejection must not count as unhandled.
  stored.catch(() => {});
  return { tagArg: attributesTagArg(options.key), stored, end: stored };
}

async function scan(options: TakeOptions, lines: ManifestLines): Promise<ManifestEnd> {
  try {
    const end = await scanAttributes({ ...options, onRecord: (record) => lines.take(record) });
    await lines.end(end);
    return end;
  } catch (error) {
    lines.fail(error);
    throw error;
  }
}

/** Resolves when one has resolved, or the time is over. @throws what the first rejects with */
async function settledSoon({ clock, signal }: TakeOptions, either: Promise<unknown>[]): Promise<void> {
  const settled = new AbortController();
  const late = clock.sleep(inlineScanMsMax, AbortSignal.any([signal, settled.signal]));
  // After an abort the scan rejects with the reason, and that rejection is the one to wait for.
  const inTime = late.catch(() => new Promise<never>(() => {}));
  try {
    await Promise.race([...either, inTime]);
  } finally {
    settled.abort();
  }
}

interface Running {
  lines: ManifestLines;
  scanned: Promise<ManifestEnd>;
  /** Aborts both. */
  over: AbortController;
}

async function store(options: TakeOptions, { lines, scanned, over }: Running): Promise<ManifestEnd> {
  const stored = storeAttributes(options, lines.input);
  try {
    const [end] = await Promise.all([scanned, stored, lines.stream()]);
    return end;
  } catch (error) {
    // When kopia dies during the scan, or the scan fails while kopia waits, the other one is stopped too.
    over.abort(error);
    await Promise.allSettled([stored, scanned]);
    throw error;
  }
}
