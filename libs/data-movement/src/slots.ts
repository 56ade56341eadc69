import { annotations, type KubeObject, labelValues } from '@lateen/api-types';
import { Places, type WaitingLine } from '@lateen/kernel';

/** Who goes first when a slot is free: somebody waits for a restore, nobody for a backup, unless a pod is held still for it. */
export type Rank = 'restore' | 'backup';

/** With the restores where somebody waits for it. */
export const rankOf = (kind: { rank: Rank }, { metadata }: KubeObject): Rank =>
  metadata.annotations?.[annotations.podIsHeld] === labelValues.true ? 'restore' : kind.rank;

/** Movements of all kinds share places and may have the same names. */
export const placeKey = (kind: string, key: string): string => `${kind}/${key}`;

/** Who asks for a slot. */
export interface Place {
  rank: Rank;
  /** The more, the longer it will take: of those that have waited about as long, the largest goes first. */
  size: number;
}

interface Waiting {
  size: number;
  /** How many that came later went before it. */
  overtaken: number;
}

/** The largest of so many that have waited longest goes first, and nobody is overtaken more often than that. */
export const lookAhead = 8;

/** So many restores in a row go before a backup that waits; then it is the backup's turn, so that it is never starved. */
export const restoresBeforeBackup = 4;

/**
 * A number of places that movements take and give back: data paths on this node, or exposures in the cluster
 * (data-movement.md section 8). Restores go before backups. Of each, the largest of the first few goes first: what takes
 * longest must not begin last, when nothing else is left to do beside it.
 */
export type Slots = Places<Place>;

export const slots = (max: number): Slots => new Places(max, new RestoresThenLargest());

/**
 * Movements that may be prepared at the same time on a node which is the only one that will do for them. Each is a pod there
 * whatever room the node has, and the kubelet refuses what is too much; four for each slot, so that none runs dry.
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
