import { join } from 'node:path';
import type { LiveChain, ReplicaBlocks } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { presentDaemon, runningDaemon } from './present-daemon.ts';
import type { QemuBlocksPorts, QemuDaemon } from './qemu-ports.ts';

type ChainCalls = Pick<
  ReplicaBlocks,
  'live' | 'open' | 'close' | 'addLayer' | 'dropAdded' | 'snapshotHead' | 'merge' | 'endMerges' | 'resizeHead'
>;

const suffix = '.qcow2';
/** The block node of a file in the chain. Readers and copies use other names, so that they can be distinguished. */
const nodeOf = (file: string): string => file.slice(0, -suffix.length);

export function qemuChain(ports: QemuBlocksPorts): ChainCalls {
  const running = () => runningDaemon(ports);
  const add = (file: string, backing: string | undefined, isHead: boolean, o: Call) =>
    running().blockdevAdd(
      {
        nodeName: nodeOf(file),
        path: join(ports.directory, file),
        readOnly: !isHead,
        io: ports.io,
        detectZeroes: isHead,
        backing: backing === undefined ? null : nodeOf(backing),
        ...replicaLimits.tableCache,
      },
      o,
    );
  const present = async (file: string, o: Call) =>
    (await layerNodes(running(), o)).some(({ nodeName }) => nodeName === nodeOf(file));
  const live = async (o: Call): Promise<LiveChain | undefined> => {
    const daemon = presentDaemon(ports);
    return daemon && chainOf(await layerNodes(daemon, o));
  };
  const headNode = async (o: Call): Promise<string> => nodeOf((await live(o))?.head ?? suffix);
  return {
    live,
    open: async (files, o) => {
      for (let at = files.length - 1; at >= 0; at--) await add(files[at] ?? '', files[at + 1], at === 0, o);
    },
    close: async (o) => {
      const daemon = presentDaemon(ports);
      if (daemon === undefined) return;
      await daemon.endJobs(o);
      await deleteNodes(daemon, await layerNodes(daemon, o), o);
    },
    addLayer: async (file, o) => add(file, undefined, true, o),
    dropAdded: async (file, o) => {
      if (presentDaemon(ports) !== undefined && (await present(file, o))) await running().blockdevDel(nodeOf(file), o);
    },
    snapshotHead: async (overlay, o) =>
      running().blockdevSnapshot({ node: await headNode(o), overlay: nodeOf(overlay) }, o),
    merge: async ({ child, into }, { signal, onProgress }) => {
      const chain = await live({ signal });
      if (chain?.files.includes(child)) {
        const merge = { jobId: 'merge', head: nodeOf(chain.head), top: nodeOf(child), base: nodeOf(into) };
        await running().blockCommit(
          { ...merge, backingFile: into },
          { signal, onProgress: ({ done, total }) => onProgress?.(done, total) },
        );
        await running().blockdevDel(nodeOf(child), { signal });
      } else {
        await ports.images.commit({ top: join(ports.directory, child), base: join(ports.directory, into) }, { signal });
      }
      await ports.files.sync(join(ports.directory, into));
    },
    endMerges: async (o) => {
      const daemon = presentDaemon(ports);
      if (daemon === undefined) return;
      await daemon.endJobs(o);
      await dropUnused(daemon, o);
    },
    resizeHead: async (sizeBytes, o) => running().blockResize({ nodeName: await headNode(o), sizeBytes }, o),
  };
}

interface LayerNode {
  readonly nodeName: string;
  readonly readOnly: boolean;
  readonly number: number;
}

/** The newest first. */
async function layerNodes(daemon: QemuDaemon, o: Call): Promise<readonly LayerNode[]> {
  const nodes = await daemon.queryNamedBlockNodes(o);
  return nodes
    .flatMap(({ nodeName, readOnly }) => {
      const number = /^layer-(\d+)$/.exec(nodeName)?.[1];
      return number === undefined ? [] : [{ nodeName, readOnly, number: Number(number) }];
    })
    .sort((a, b) => b.number - a.number);
}

/**
 * Only the head is open for writing, and a layer added to become the head, which is newer than any head. A chain without a head belongs to
 * a process that died while opening it.
 */
function chainOf(nodes: readonly LayerNode[]): LiveChain | undefined {
  if (nodes.length === 0) return undefined;
  const writable = nodes.filter(({ readOnly }) => !readOnly);
  const head = writable.at(-1);
  const added = writable.slice(0, -1);
  return {
    head: head === undefined ? '' : `${head.nodeName}${suffix}`,
    files: nodes.filter((node) => !added.includes(node)).map(({ nodeName }) => `${nodeName}${suffix}`),
  };
}

/** Closes the child of a merge whose caller died: it is no longer in the chain and still open; all other nodes are below another one. */
async function dropUnused(daemon: QemuDaemon, o: Call): Promise<void> {
  for (const { nodeName, readOnly } of await layerNodes(daemon, o)) {
    if (readOnly) await daemon.blockdevDel(nodeName, o).catch(() => {});
  }
}

/** A node below another one cannot be closed first. Newer nodes are above, except the head of a rebuild, so this takes several rounds. */
export async function deleteNodes(
  daemon: QemuDaemon,
  nodes: readonly { readonly nodeName: string }[],
  o: Call,
): Promise<void> {
  let left = nodes;
  while (left.length > 0) {
    const refused: { nodeName: string }[] = [];
    let reason: unknown;
    for (const { nodeName } of left) {
      await daemon.blockdevDel(nodeName, o).catch((error: unknown) => {
        reason = error;
        refused.push({ nodeName });
      });
    }
    if (refused.length === left.length) throw reason;
    left = refused;
  }
}
