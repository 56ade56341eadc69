import { annotations, type KubeObject, labelValues } from '@lateen/api-types';
import { Places, type WaitingLine } from '@lateen/kernel';

/** Priority for a free slot: a user waits for a restore, and not for a backup, unless the backup holds a pod in a hook. */
export type Rank = 'restore' | 'backup';

/** Movements with a waiting pod get the priority of restores. */
export const rankOf = (kind: { rank: Rank }, { metadata }: KubeObject): Rank =>
  metadata.annotations?.[annotations.podIsHeld] === labelValues.true ? 'restore' : kind.rank;

/** Movements of all kinds share places and may have the same names, so the key includes the kind. */
export const placeKey = (kind: string, key: string): string => `${kind}/${key}`;

/** A request for a slot. */
export interface Place {
  rank: Rank;
  /** An estimate of the duration: among requests that have waited about equally long, the largest goes first. */
  size: number;
}

interface Waiting {
  size: number;
  /** The number of later requests that went before it. */
  overtaken: number;
}

/** The number of oldest requests among which the largest goes first; no request is overtaken more often than that. */
export const lookAhead = 8;

/** After this many restores in a row, a waiting backup gets its turn, so that it never starves. */
export const restoresBeforeBackup = 4;

/**
 * A number of places that movements take and release: data paths on this node, or exposures in the cluster (data-movement.md
 * section 8). Restores go before backups. Within each, the largest of the first few goes first: the longest movement must not
 * start last, when nothing else can run next to it.
 */
export type Slots = Places<Place>;

export const slots = (max: number): Slots => new Places(max, new RestoresThenLargest());

/**
 * The most movements that are prepared at the same time on a node which is the only one that can run them. Each is a pod on that
 * node, whatever room the node has, and the kubelet refuses pods beyond its limit; four for each slot keep every slot busy.
 */
export const boundToNodeMax = (slotsOfNode: number): number => Math.max(16, 4 * slotsOfNode);

class RestoresThenLargest implements WaitingLine<Place> {
  readonly #lines: Readonly<Record<Rank, Map<string, Waiting>>> = { restore: new Map(), backup: new Map() };
  #restoresInARow = 0;

  get size(): number {
    return this.#lines.restore.size + this.#lines.backup.size;
  }

  add(key: string, { rank, size }: Place): void {
    const overtaken = this.#lines[rank].get(key)?.overtaken ?? 0;
    this.#lines[rank].set(key, { size, overtaken });
  }

  remove(key: string): void {
    this.#lines.restore.delete(key);
    this.#lines.backup.delete(key);
  }

  next(): string | undefined {
    const { restore, backup } = this.#lines;
    const turnOfBackup = backup.size > 0 && this.#restoresInARow >= restoresBeforeBackup;
    const line = restore.size === 0 || turnOfBackup ? backup : restore;
    this.#restoresInARow = line === restore && backup.size > 0 ? this.#restoresInARow + 1 : 0;
    const key = largestOfFirst(line);
    if (key !== undefined) line.delete(key);
    return key;
  }
}

function largestOfFirst(line: ReadonlyMap<string, Waiting>): string | undefined {
  const first: [string, Waiting][] = [];
  for (const each of line) if (first.push(each) >= lookAhead) break;
  const [oldest] = first;
  if (oldest === undefined || oldest[1].overtaken >= lookAhead) return oldest?.[0];
  const largest = first.reduce((best, each) => (each[1].size > best[1].size ? each : best));
  for (const each of first) {
    if (each === largest) break;
    each[1].overtaken += 1;
  }
  return largest[0];
}
