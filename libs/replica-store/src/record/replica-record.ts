/** Written into each record; a later layout gets another number. */
export const recordFormat = 1;

/**
 * `new`: no engine has ever had it for reading and writing. `rebuilding`: its layers are being copied; its head may stand on
 * nothing yet. `whole`: its head and all below it are there. Whether a whole one is up to date is said by the API objects, not here.
 */
export const replicaStates = ['new', 'rebuilding', 'whole'] as const;
export type ReplicaState = (typeof replicaStates)[number];

/** SHA-256 of what a layer itself holds (see `layer-sum.ts`). */
export interface LayerSum {
  readonly sha256: string;
  readonly at: string;
  /** When the file had been written last that was read for it, in ms since the epoch. Absent in a copied layer, and in records of before. */
  readonly fileModifiedMs?: number;
}

/** What a layer is frozen as. Name, time and labels are given by the engine and equal on all replicas. */
export interface LayerSnapshot {
  readonly name: string;
  readonly createdAt: string;
  readonly userCreated: boolean;
  readonly labels: Readonly<Record<string, string>>;
  /** Nobody needs it any more: it goes away by being merged. */
  readonly removed: boolean;
  readonly sum?: LayerSum;
}

export interface Layer {
  /** Never used twice in one replica. */
  readonly id: number;
  /** Its file. Not always that of its id: a merged layer lives on in the file of the one below. */
  readonly file: string;
  readonly parent: number | null;
  /** Decimal. Of the volume when the layer was the head; a later one may be larger. */
  readonly sizeBytes: string;
  /**
   * Its file has had at least so many bytes, all of them durable, and files of layers never get shorter. Undefined in records of before,
   * and of a head until it has been closed in order: then nobody can tell a file that was cut short by its length.
   */
  readonly fileBytesMin?: number;
  /** Every layer but the head has one. */
  readonly snapshot?: LayerSnapshot;
}

/** What is on disk before a step of several effects begins, so that whoever opens the replica next can end it or take it back. */
export type Pending =
  /** The file of the head may not be there yet; nobody has written to it. */
  | { readonly kind: 'create' }
  /** The head may be frozen as this snapshot already; then writes go to `overlay`. */
  | {
      readonly kind: 'snapshot';
      readonly overlay: { readonly id: number; readonly file: string };
      readonly snapshot: LayerSnapshot;
    }
  /** Data of `child` is being written into the file of `into`, which holds a mixture until then. `child` reads the same at every moment. */
  | { readonly kind: 'merge'; readonly child: number; readonly into: number }
  /** The head may have this size already. */
  | { readonly kind: 'grow'; readonly sizeBytes: string }
  /** The name of the file below, which is repeated in this layer's file, may still be another one. */
  | { readonly kind: 'relink'; readonly layer: number }
  /** A layer is being copied into this file. Only that copy knows; after its end by death or error it is garbage. */
  | { readonly kind: 'copy'; readonly file: string }
  /** This file belongs to no layer; it is removed. */
  | { readonly kind: 'garbage'; readonly file: string };

/** The only truth about a replica's chain. Replaced as a whole, durably. */
export interface ReplicaRecord {
  readonly format: typeof recordFormat;
  readonly volume: string;
  readonly replica: string;
  readonly volumeUid: string;
  /** Decimal. */
  readonly sizeBytes: string;
  /** Promised; never goes down. */
  readonly generation: number;
  /** The engine that it is promised to. */
  readonly engine: string;
  readonly state: ReplicaState;
  /** Its head is served for this generation, or was and has not been closed in order since. 0: all that was written is on disk. */
  readonly servedIn: number;
  /**
   * Its daemon ended while it served this generation: writes that were answered and not flushed may be missing since. 0: none are, or they
   * have come back by a rebuild or a comparison.
   */
  readonly killedIn: number;
  readonly nextId: number;
  readonly layers: readonly Layer[];
  readonly head: number;
  readonly pending: readonly Pending[];
}

export type PendingOf<K extends Pending['kind']> = Extract<Pending, { kind: K }>;

/** There is at most one of these kinds; of the others, one for each layer or file. */
export function pendingOf<K extends Pending['kind']>(record: ReplicaRecord, kind: K): PendingOf<K> | undefined {
  return record.pending.find((one): one is PendingOf<K> => one.kind === kind);
}

export const withoutPending = (record: ReplicaRecord, kind: Pending['kind']): readonly Pending[] =>
  record.pending.filter((one) => one.kind !== kind);

export const layerFile = (id: number): string => `layer-${id}.qcow2`;
