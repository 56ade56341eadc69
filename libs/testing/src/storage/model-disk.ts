import { hostError, type SnapshotSumOf } from '@lateen/block-engine';

/** What a replica has on its disk, as numbers of writes; it outlives processes and hosts. */
export class ModelDisk {
  readonly replica: string;
  readonly volumeUid: string;
  promised = 0;
  /** The state in its record. */
  record: 'new' | 'rebuilding' | 'whole' = 'new';
  readonly written = new Set<number>();
  readonly flushed = new Set<number>();
  /** The generation that it served when its process was killed. */
  killedIn: number | undefined;
  /** What is wrong with its files: it is not served before it was rebuilt. */
  damage: string | undefined;
  /** Where it serves, for the promised generation; 0: it does not. */
  port = 0;
  /** Names of snapshots, oldest first. */
  readonly snapshots: ModelSnapshot[] = [];
  /** Names of snapshots whose data was read for a sum, in their order. */
  readonly summed: string[] = [];
  /** The last sum of each layer, and the writes that it was of: another set is a file that was written to. */
  readonly #sums = new Map<string, { readonly ids: ReadonlySet<number>; readonly sum: string }>();

  constructor(replica: string, volumeUid: string) {
    this.replica = replica;
    this.volumeUid = volumeUid;
  }

  /** Every write is on the disk, and the process ends. */
  close(): void {
    this.flush();
    this.port = 0;
  }

  flush(): void {
    for (const id of this.written) this.flushed.add(id);
  }

  /** What was not flushed is gone. */
  kill(): void {
    if (this.port === 0) return;
    for (const id of this.written) if (!this.flushed.has(id)) this.written.delete(id);
    this.killedIn = this.promised;
    this.port = 0;
  }

  /** Of the writes that a snapshot has, or, of its layer alone, of those that the one before it does not have; with `onlyChanged` as it was read last. */
  sumOf({ snapshot, layerAlone, onlyChanged }: Pick<SnapshotSumOf, 'snapshot' | 'layerAlone' | 'onlyChanged'>): string {
    const at = this.snapshots.findIndex(({ name }) => name === snapshot);
    const found = this.snapshots[at];
    if (found === undefined) throw hostError('SNAPSHOT_NOT_FOUND', `${this.replica} has no ${snapshot}`);
    const kept = this.#sums.get(snapshot);
    if (layerAlone && onlyChanged === true && kept?.ids === found.ids) return kept.sum;
    this.summed.push(snapshot);
    const below = layerAlone ? this.snapshots[at - 1]?.ids : undefined;
    const sum = `sum of ${[...found.ids].filter((id) => below?.has(id) !== true).sort((a, b) => a - b)}`;
    if (layerAlone) this.#sums.set(snapshot, { ids: found.ids, sum });
    return sum;
  }

  /** It has what the other one has from here on. Layers are frozen before they are copied, and flushed before that. */
  copy(other: ModelDisk): void {
    for (const id of other.written) {
      other.flushed.add(id);
      this.written.add(id);
      this.flushed.add(id);
    }
    const copied = other.snapshots.map((each) => ({ ...each, ids: new Set(each.ids) }));
    this.snapshots.splice(0, this.snapshots.length, ...copied);
    this.record = 'whole';
    this.killedIn = undefined;
    this.damage = undefined;
  }
}

export interface ModelSnapshot {
  readonly name: string;
  readonly created: string;
  readonly userCreated: boolean;
  readonly labels: Readonly<Record<string, string>>;
  removed: boolean;
  /** The writes that it has. */
  readonly ids: ReadonlySet<number>;
}
