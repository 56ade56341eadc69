import { AppError } from '@lateen/errors';
import type { KopiaSession } from '@lateen/repository';
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
  const list = new SnapshotList();
  const onStdout = (piece: Uint8Array): void => list.take(piece);
  const exit = await session.run(['snapshot', 'list', '--all', '--json', ...only], { onStdout, signal });
  signal.throwIfAborted();
  if (exit.exitCode !== 0) throw session.failure(exit, 'looking for attribute manifests');
  return list.end();
}

/**
 * Parses what `kopia snapshot list --json` prints, an array with one snapshot per line, while it arrives: with manifests in tags,
 * the whole of it may be larger than the output of a child that we hold in memory. Snapshots without a key are left out.
 */
export class SnapshotList {
  readonly #splitter = new ByteSplitter('\n', lineLengthMax, () => badAnswer('a line is too long'));
  readonly #found: TaggedSnapshot[] = [];
  #isBegun = false;
  #isEnded = false;

  /** @throws ENGINE_BAD_ANSWER */
  take(piece: Uint8Array): void {
    for (const line of this.#splitter.push(piece)) this.#line(line);
  }

  /** Returns all snapshots. @throws ENGINE_BAD_ANSWER when the output was cut */
  end(): TaggedSnapshot[] {
    this.#line(this.#splitter.rest());
    if (!this.#isEnded) throw badAnswer('its end is missing');
    return this.#found;
  }

  #take(snapshot: TaggedSnapshot | undefined): void {
    if (snapshot !== undefined) this.#found.push(snapshot);
  }

  #line(bytes: string): void {
    const text = Buffer.from(bytes, 'latin1').toString('utf8').trim();
    if (text === '') return;
    if (this.#isEnded) throw badAnswer('it continues after its end');
    if (!this.#isBegun) {
      if (text !== '[') throw badAnswer('it is no list');
      this.#isBegun = true;
    } else if (text === ']') this.#isEnded = true;
    else this.#take(taggedSnapshotOf(parsed(text.replace(/,$/, ''))));
  }
}

export interface RawSnapshot {
  id?: unknown;
  source?: { path?: unknown };
  startTime?: unknown;
  rootEntry?: { obj?: unknown };
  tags?: unknown;
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
  throw badAnswer('a line is no snapshot');
}

const badAnswer = (why: string): AppError =>
  new AppError('ENGINE_BAD_ANSWER', `kopia snapshot list did not answer with its JSON: ${why}`);
