import type { StatusLink } from '@lateen/block-engine';
import type { Call } from '../call.ts';

/** What the header of an image says. Files are named without their folder. */
export interface ImageInfo {
  readonly sizeBytes: bigint;
  /** As it is written in the header; whether the file is there is another question. */
  readonly backingFile: string | undefined;
  readonly clusterBytes: number;
  /** Sub-clusters, so that a small write does not fill the rest of its cluster with zeros (ADR 0051). */
  readonly extendedL2: boolean;
}

/** `chain`: with all layers below, as the snapshot read. `alone`: what this layer itself holds, and nothing else. */
export type LayerView = 'chain' | 'alone';

export interface LayerExport {
  /** No secret; a letter first, then letters and digits, up to 20. */
  readonly id: string;
  /** What clients ask for. */
  readonly name: string;
  /** From the layer itself down; one file for `alone`. */
  readonly files: readonly string[];
}

export interface LiveChain {
  readonly head: string;
  /** All of the chain, in no order. */
  readonly files: readonly string[];
}

export interface Merge {
  readonly child: string;
  readonly into: string;
}

/**
 * The images of one replica and the daemon that has them open. Names of files are names within the replica's folder. Two kinds of
 * calls: those on files that are not open work without a daemon; those on the chain need one. All of them reject while a daemon may run
 * that cannot be asked: that none answers does not mean that none serves.
 *
 * An error of any call leaves it open whether the call has had its effect; `live`, `imageInfo` and `isBlank` tell.
 */
export interface ReplicaBlocks {
  /** An empty image, durable and all or nothing: a file that is there is whole. The name of the file below is not looked at. */
  makeLayer(file: string, o: Call & { sizeBytes: bigint; backingFile?: string }): Promise<void>;
  /** Also of a file that is open. Undefined when there is no such file. @throws AppError `IMAGE_BROKEN` when it is no such image */
  imageInfo(file: string, o: Call): Promise<ImageInfo | undefined>;
  /** True when the file itself holds nothing: no data, and no zeros that were written. It is not open. */
  isBlank(file: string, o: Call): Promise<boolean>;
  /** Reads all tables of a file that is not open. Leaks take room and do no harm. */
  check(file: string, o: Call): Promise<{ readonly corruptions: number; readonly leaks: number }>;
  /** Writes the name of the file below into a file that is not open, and nothing else. */
  relink(file: string, backingFile: string | undefined, o: Call): Promise<void>;

  /**
   * The chain that is open; undefined when none is, or no daemon runs. An added layer is not of it.
   * @throws while nobody knows whether one runs: what is not open is taken for lost
   */
  live(o: Call): Promise<LiveChain | undefined>;
  /** Opens the chain, from the head down, each over the next whatever its header says. Only the head is written. */
  open(files: readonly string[], o: Call): Promise<void>;
  /** Writes out and closes the chain and what was added. Its exports must be gone; absent is fine. */
  close(o: Call): Promise<void>;
  /** Opens a layer beside the chain, over nothing, to become the head. */
  addLayer(file: string, o: Call): Promise<void>;
  /** Closes one that was added and never became the head. Absent is fine. */
  dropAdded(file: string, o: Call): Promise<void>;
  /** The added layer becomes the head, and the exports of the head with it. Refused while a merge runs. */
  snapshotHead(overlay: string, o: Call): Promise<void>;
  /**
   * Writes what `child` holds into the file of `into`, directly below it; then takes the child out of the chain, if it is in it, and writes
   * the new name into the open layer above. Everything in `into` is durable then. On abort: ended, and not under way any more
   * when it rejects; what has been copied stays. May resolve in spite of an abort that came too late.
   */
  merge(merge: Merge, o: Call & { onProgress?(doneBytes: number, totalBytes: number): void }): Promise<void>;
  /** Ends merges that nobody waits for any more, and waits until none is under way. */
  endMerges(o: Call): Promise<void>;
  /** The head must not be exported. */
  resizeHead(sizeBytes: bigint, o: Call): Promise<void>;

  /** For writing, under this name alone. There already: fine; under another name: refused. */
  exportHead(name: string, o: Call): Promise<void>;
  /** Cuts the connections of the head's export. Resolves when no request of them runs any more. */
  unexportHead(o: Call): Promise<void>;
  /**
   * All that was written to the head is durable when it resolves; rejects when a write has failed, even one of the daemon's own. Without
   * exports of the head.
   */
  flush(o: Call): Promise<void>;
  /**
   * For reading, by an opening of its own that neither keeps the daemon from a merge nor notices one: whoever opens it takes care that no file
   * of it changes. @throws AppError when the id is taken
   */
  exportLayer(layer: LayerExport, o: Call): Promise<void>;
  /** Absent is fine. */
  unexportLayer(id: string, o: Call): Promise<void>;
  /** Ids of those that are there, of whatever process that died before this one. */
  layerExports(o: Call): Promise<readonly string[]>;
  /** A writable opening of a layer over nothing, that is in no chain: what a copy writes into. Closed by `unexportLayer`. */
  exportCopy(copy: { readonly id: string; readonly name: string; readonly file: string }, o: Call): Promise<void>;
  /** To an export of this daemon. */
  connect(exportName: string, o: Call): Promise<StatusLink>;
}
