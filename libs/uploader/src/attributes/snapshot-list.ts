import { AppError } from '@lateen/errors';
import { type KopiaSession, ownerText } from '@lateen/repository';
import { attributesKeyOf, attributesTagArg, sourcePrefix, type TaggedSnapshot } from './attribute-snapshot.ts';
import { ByteSplitter } from './byte-splitter.ts';

/** Longest line, which describes one snapshot: its tags, each of them an argument (128 KiB), and the errors that kopia keeps. */
const lineLengthMax = 1024 * 1024;

/** Lists the snapshots with a given key, or all snapshots with any key. @throws as `session.failure`; ENGINE_BAD_ANSWER */
export async function listTaggedSnapshots(
  session: KopiaSession,
  key: string | undefined,
  signal: AbortSignal,
): Promise<TaggedSnapshot[]> {
  const only = key === undefined ? [] : [attributesTagArg(key)];
  return await listed(
    session,
    ['--all', '--json', ...only],
    { take: taggedSnapshotOf, doing: 'looking for attribute manifests' },
    signal,
  );
}

/** A complete snapshot of a volume. */
export interface SourceSnapshot {
  id: string;
  startedAtMs: number;
}

/** Lists the complete snapshots of one source. @throws as `session.failure`; ENGINE_BAD_ANSWER */
export async function listSourceSnapshots(
  session: KopiaSession,
  sourcePath: string,
  signal: AbortSignal,
): Promise<SourceSnapshot[]> {
  // Where a source has none, kopia lists those of the folders above it.
  const take = ({ id, source, startTime, incomplete }: RawSnapshot): SourceSnapshot | undefined =>
    typeof id === 'string' && source?.path === sourcePath && (incomplete ?? '') === ''
      ? { id, startedAtMs: Date.parse(String(startTime)) }
      : undefined;
  const doing = `looking for the snapshots of ${sourcePath}`;
  return await listed(session, [`${ownerText}:${sourcePath}`, '--json'], { take, doing }, signal);
}

async function listed<T>(
  session: KopiaSession,
  which: readonly string[],
  { take, doing }: { take(raw: RawSnapshot): T | undefined; doing: string },
  signal: AbortSignal,
): Promise<T[]> {
  const list = new SnapshotList(take);
  const onStdout = (piece: Uint8Array): void => list.take(piece);
  const exit = await session.run(['snapshot', 'list', ...which], { onStdout, signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, doing);
  return list.end();
}

/**
 * Parses what `kopia snapshot list --json` prints, an array with one snapshot per line, while it arrives: with manifests in tags,
 * the whole of it may be larger than the output of a child that we hold in memory. Snapshots of which `pick` takes nothing are left out.
 */
export class SnapshotList<T> {
  readonly #splitter = new ByteSplitter('\n', lineLengthMax, () => badAnswer('a line is too long'));
  readonly #pick: (raw: RawSnapshot) => T | undefined;
  readonly #found: T[] = [];
  #isBegun = false;
  #isEnded = false;

  constructor(pick: (raw: RawSnapshot) => T | undefined) {
    this.#pick = pick;
  }

  /** @throws ENGINE_BAD_ANSWER */
  take(piece: Uint8Array): void {
    for (const line of this.#splitter.push(piece)) this.#line(line);
  }

  /** Returns all snapshots. @throws ENGINE_BAD_ANSWER when the output was cut */
  end(): T[] {
    this.#line(this.#splitter.rest());
    if (!this.#isEnded) throw badAnswer('its end is missing');
    return this.#found;
  }

  #take(snapshot: T | undefined): void {
    if (snapshot !== undefined) this.#found.push(snapshot);
  }

  #line(bytes: string): void {
    const text = Buffer.from(bytes, 'latin1').toString('utf8').trim();
    if (text === '') return;
    if (this.#isEnded) throw badAnswer('it continues after its end');
    if (!this.#isBegun) {
      if (text !== '[') throw badAnswer('it is not a list');
      this.#isBegun = true;
    } else if (text === ']') this.#isEnded = true;
    else this.#take(this.#pick(parsed(text.replace(/,$/, ''))));
  }
}

export interface RawSnapshot {
  id?: unknown;
  source?: { path?: unknown };
  startTime?: unknown;
  rootEntry?: { obj?: unknown };
  tags?: unknown;
  incomplete?: unknown;
}

/** A snapshot manifest of kopia, if it has the key of an attribute manifest. */
export function taggedSnapshotOf(raw: RawSnapshot): TaggedSnapshot | undefined {
  const { id, source, startTime, rootEntry, tags } = raw;
  const key = attributesKeyOf(tags);
  if (key === undefined || typeof id !== 'string' || typeof source?.path !== 'string') return undefined;
  return {
    id,
    key,
    isManifest: source.path.startsWith(sourcePrefix),
    startedAtMs: Date.parse(String(startTime)),
    rootObject: typeof rootEntry?.obj === 'string' ? rootEntry.obj : '',
  };
}

function parsed(line: string): RawSnapshot {
  try {
    const snapshot: unknown = JSON.parse(line);
    if (typeof snapshot === 'object' && snapshot !== null) return snapshot;
  } catch {
    // Reported below.
  }
  throw badAnswer('a line is not a snapshot');
}

const badAnswer = (why: string): AppError =>
  new AppError('ENGINE_BAD_ANSWER', `kopia snapshot list did not answer with its JSON: ${why}`);
