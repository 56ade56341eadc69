import { hostError, type SnapshotSumOf } from '@lateen/block-engine';

/** The content of a replica's disk, as numbers of writes; it survives processes and hosts. */
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
  /** A problem of its files: it is not served until it was rebuilt. */
  damage: string | undefined;
  /** The port on which it serves the promised generation; 0: it does not serve. */
  port = 0;
  /** Names of snapshots, oldest first. */
  readonly snapshots: ModelSnapshot[] = [];
  /** Names of snapshots whose data was read for a checksum, in order. */
  readonly summed: string[] = [];
  /** The last checksum of each layer, and the writes at that time: another set means that the file was changed. */
  readonly #sums = new Map<string, { readonly ids: ReadonlySet<number>; readonly sum: string }>();

  constructor(replica: string, volumeUid: string) {
    this.replica = replica;
    this.volumeUid = volumeUid;
  }

  /** A clean end: every write is on the disk, and the process ends. */
  close(): void {
    this.flush();
    this.port = 0;
  }

  flush(): void {
    for (const id of this.written) this.flushed.add(id);
  }

  /** Unflushed writes are lost. */
  kill(): void {
    if (this.port === 0) return;
    for (const id of this.written) if (!this.flushed.has(id)) this.written.delete(id);
    this.killedIn = this.promised;
    this.port = 0;
  }

  /** Checksum of a snapshot, or of its layer alone: the writes that the previous one lacks. With `onlyChanged` the recorded one, if unchanged. */
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

  /** It has the writes of the other one from here on. Layers are frozen before they are copied, and flushed before that. */
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
