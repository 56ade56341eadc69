import type { StatusLink } from '@lateen/block-engine';
import type { Call } from '../call.ts';

/** The facts from the header of an image. File names have no folder. */
export interface ImageInfo {
  readonly sizeBytes: bigint;
  /** The name as the header has it. The file itself may be missing. */
  readonly backingFile: string | undefined;
  readonly clusterBytes: number;
  /** Sub-clusters, so that a small write does not fill the rest of its cluster with zeros (ADR 0051). */
  readonly extendedL2: boolean;
}

/** `chain`: the layer with all layers below it, as the snapshot reads. `alone`: only what this layer itself holds. */
export type LayerView = 'chain' | 'alone';

export interface LayerExport {
  /** Not secret. Starts with a letter, then letters and digits, at most 20 characters. */
  readonly id: string;
  /** The export name that clients ask for. */
  readonly name: string;
  /** From the layer itself downwards; one file for `alone`. */
  readonly files: readonly string[];
}

export interface LiveChain {
  readonly head: string;
  /** All files of the chain, in no particular order. */
  readonly files: readonly string[];
}

export interface Merge {
  readonly child: string;
  readonly into: string;
}

/**
 * The images of one replica and the daemon that has them open. File names are relative to the replica's folder. There are two
 * kinds of calls: calls on files that are not open work without a daemon; calls on the chain need a daemon. All calls reject
 * while a daemon may run that does not answer: a daemon that does not answer may still serve the files.
 *
 * After an error of any call, its effect may or may not have happened; `live`, `imageInfo` and `isBlank` tell which.
 */
export interface ReplicaBlocks {
  /** Creates an empty image, durably and atomically: if the file exists, it is complete. The file below is not checked. */
  makeLayer(file: string, o: Call & { sizeBytes: bigint; backingFile?: string }): Promise<void>;
  /**
   * Also works for a file that is open. Undefined when the file does not exist. @throws AppError `IMAGE_BROKEN` when it is not a
   * valid image
   */
  imageInfo(file: string, o: Call): Promise<ImageInfo | undefined>;
  /** True when the file itself holds neither data nor written zeros. The file must not be open. */
  isBlank(file: string, o: Call): Promise<boolean>;
  /** Reads all tables of a file that is not open. Leaked clusters waste space and do no harm. */
  check(file: string, o: Call): Promise<{ readonly corruptions: number; readonly leaks: number }>;
  /** Writes the name of the file below into the header of a file that is not open. Changes nothing else. */
  relink(file: string, backingFile: string | undefined, o: Call): Promise<void>;

  /**
   * The chain that is open; undefined when no chain is open, or no daemon runs. A layer added with `addLayer` is not part of it.
   * @throws while it is unknown whether a daemon runs: a chain that is reported as not open is treated as lost
   */
  live(o: Call): Promise<LiveChain | undefined>;
  /** Opens the chain from the head downwards, each file over the next one whatever its header says. Only the head is writable. */
  open(files: readonly string[], o: Call): Promise<void>;
  /**
   * Flushes and closes the chain and any added layer. The exports must have been removed before. Does nothing when no chain is
   * open.
   */
  close(o: Call): Promise<void>;
  /** Opens a layer beside the chain, with no layer below it. It is meant to become the head. */
  addLayer(file: string, o: Call): Promise<void>;
  /** Closes an added layer that never became the head. Does nothing when there is none. */
  dropAdded(file: string, o: Call): Promise<void>;
  /** The added layer becomes the head, and the exports of the head move to it. Refused while a merge runs. */
  snapshotHead(overlay: string, o: Call): Promise<void>;
  /**
   * Writes what `child` holds into the file of `into`, which is directly below it. Then removes the child from the chain, if it
   * is in it, and writes the new name into the open layer above. Everything in `into` is durable then. On abort the merge is
   * stopped: it no longer runs when the call rejects, and what has been copied stays. The call may resolve in spite of an abort
   * that came too late.
   */
  merge(merge: Merge, o: Call & { onProgress?(doneBytes: number, totalBytes: number): void }): Promise<void>;
  /** Stops merges whose caller no longer waits for them, and waits until none runs. */
  endMerges(o: Call): Promise<void>;
  /** Refused while the head is exported. */
  resizeHead(sizeBytes: bigint, o: Call): Promise<void>;

  /**
   * Exports the head writable, under this name only. If that export exists already, does nothing; if the head is exported under
   * another name, refuses.
   */
  exportHead(name: string, o: Call): Promise<void>;
  /** Cuts the connections of the head's export and removes it. Resolves when none of their requests runs any more. */
  unexportHead(o: Call): Promise<void>;
  /**
   * When it resolves, everything that was written to the head is durable. Rejects when a write has failed, even a write that the
   * daemon made on its own. The head must not be exported.
   */
  flush(o: Call): Promise<void>;
  /**
   * Exports a layer read-only, opened separately from the chain. The daemon neither refuses a merge because of it nor tells the
   * reader about one: the caller must make sure that none of its files changes. @throws AppError when the id is taken
   */
  exportLayer(layer: LayerExport, o: Call): Promise<void>;
  /** Does nothing when the export does not exist. */
  unexportLayer(id: string, o: Call): Promise<void>;
  /** Ids of all existing layer exports, also those that an earlier process made. */
  layerExports(o: Call): Promise<readonly string[]>;
  /** A writable layer with no layer below it that is in no chain: the target of a copy. Closed by `unexportLayer`. */
  exportCopy(copy: { readonly id: string; readonly name: string; readonly file: string }, o: Call): Promise<void>;
  /** Connects to an export of this daemon. */
  connect(exportName: string, o: Call): Promise<StatusLink>;
}
