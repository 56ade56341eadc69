/** Written into each record; a later layout gets another number. */
export const recordFormat = 1;

/**
 * `new`: no engine has ever used it for reading and writing. `rebuilding`: its layers are being copied; its head may not have the
 * layers below it yet. `whole`: its head and all layers below it are present. Whether a whole replica is up to date is recorded
 * in the API objects, not here.
 */
export const replicaStates = ['new', 'rebuilding', 'whole'] as const;
export type ReplicaState = (typeof replicaStates)[number];

/** SHA-256 of what a layer itself holds (see `layer-sum.ts`). */
export interface LayerSum {
  readonly sha256: string;
  readonly at: string;
  /**
   * When the file that the sum was read from had last been written, in ms since the epoch. Absent in a copied layer, and in
   * records of earlier releases.
   */
  readonly fileModifiedMs?: number;
}

/** The snapshot that a layer was frozen as. Name, time and labels are given by the engine and are equal on all replicas. */
export interface LayerSnapshot {
  readonly name: string;
  readonly createdAt: string;
  readonly userCreated: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** The snapshot is no longer needed: a merge will remove it. */
  readonly removed: boolean;
  readonly sum?: LayerSum;
}

export interface Layer {
  /** Never used twice in one replica. */
  readonly id: number;
  /** The layer's file. Its name does not always match the id: a merged layer continues in the file of the layer below. */
  readonly file: string;
  readonly parent: number | null;
  /** Decimal. The size of the volume when the layer was the head; a later layer may be larger. */
  readonly sizeBytes: string;
  /**
   * A lower bound for the file's length: so many bytes have been durable, and files of layers never get shorter. Undefined in
   * records of earlier releases, and for a head until it has been closed cleanly: then a truncated file cannot be told by its
   * length.
   */
  readonly fileBytesMin?: number;
  /** Every layer but the head has one. */
  readonly snapshot?: LayerSnapshot;
}

/**
 * Written to disk before a step with several effects begins, so that the next process that opens the replica can finish it or
 * undo it.
 */
export type Pending =
  /** The file of the head may not be there yet; nobody has written to it. */
  | { readonly kind: 'create' }
  /** The head may be frozen as this snapshot already; then writes go to `overlay`. */
  | {
      readonly kind: 'snapshot';
      readonly overlay: { readonly id: number; readonly file: string };
      readonly snapshot: LayerSnapshot;
    }
  /**
   * Data of `child` is being written into the file of `into`, which holds a mixture until the merge ends. `child` reads the same
   * all the time.
   */
  | { readonly kind: 'merge'; readonly child: number; readonly into: number }
  /** The head may have this size already. */
  | { readonly kind: 'grow'; readonly sizeBytes: string }
  /** The name of the file below, which this layer's file repeats in its header, may still be another one. */
  | { readonly kind: 'relink'; readonly layer: number }
  /**
   * A layer is being copied into this file. Only the running copy uses it; when the copy fails or its process dies, the file is
   * garbage.
   */
  | { readonly kind: 'copy'; readonly file: string }
  /** This file belongs to no layer; it is removed. */
  | { readonly kind: 'garbage'; readonly file: string };

/** The authoritative description of a replica's chain. Always replaced as a whole, durably. */
export interface ReplicaRecord {
  readonly format: typeof recordFormat;
  readonly volume: string;
  readonly replica: string;
  readonly volumeUid: string;
  /** Decimal. */
  readonly sizeBytes: string;
  /** The promised generation; it never decreases. */
  readonly generation: number;
  /** The engine that the generation is promised to. */
  readonly engine: string;
  readonly state: ReplicaState;
  /**
   * The generation that its head is served for, or was served for without a clean close since. 0: everything that was written is
   * on disk.
   */
  readonly servedIn: number;
  /**
   * The generation in which its daemon was killed while it served: writes that were acknowledged and not flushed may be missing.
   * 0: none are missing, or a rebuild or a comparison has brought them back.
   */
  readonly killedIn: number;
  readonly nextId: number;
  readonly layers: readonly Layer[];
  readonly head: number;
  readonly pending: readonly Pending[];
}

export type PendingOf<K extends Pending['kind']> = Extract<Pending, { kind: K }>;

/** A record has at most one pending entry of these kinds; of the other kinds, one for each layer or file. */
export function pendingOf<K extends Pending['kind']>(record: ReplicaRecord, kind: K): PendingOf<K> | undefined {
  return record.pending.find((one): one is PendingOf<K> => one.kind === kind);
}

export const withoutPending = (record: ReplicaRecord, kind: Pending['kind']): readonly Pending[] =>
  record.pending.filter((one) => one.kind !== kind);

export const layerFile = (id: number): string => `layer-${id}.qcow2`;
