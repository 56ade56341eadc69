import { AppError } from '@lateen/errors';
import { absolutePath } from '../absolute-path.ts';
import type { ExecuteOptions, Qmp } from '../qmp/qmp.ts';
import { isObject } from '../qmp/qmp-message.ts';

/**
 * A qcow2 file as a node. The only kind of node there is: a daemon is never the client of another (its requests at a silent peer
 * cannot be cancelled), so there is no node of a network.
 */
export interface Qcow2Node {
  /** Up to 31 letters, digits, dots, dashes and underscores, a letter first. */
  nodeName: string;
  path: string;
  readOnly?: boolean;
  /**
   * Opens without locks a file that this or another daemon has open already. For reading what does not change: with locks, a merge
   * that writes a header beside such a reader ends the daemon.
   */
  unlocked?: boolean;
  /** `buffered` for file systems that refuse direct I/O. */
  io: 'direct' | 'buffered';
  /** Zeros that are written take no room; for the head of a chain. */
  detectZeroes?: boolean;
  /** Node of the layer below; null opens the file without what is below it, whatever its header says. */
  backing: string | null;
  /** Memory for the file's tables; qemu's own choice for a large disk is 32 MiB, for each layer. */
  tableCacheBytes?: number;
  /** Unused parts of that memory are freed after this time; 0: never. */
  tableCacheIdleSeconds?: number;
}

export interface BlockNode {
  nodeName: string;
  driver: string;
  path: string;
  readOnly: boolean;
  /** As its user sees it. */
  sizeBytes: bigint;
}

export type CommandOptions = Pick<ExecuteOptions, 'signal'>;

/** Refused for a file that another process writes: qemu locks files by itself. */
export const addNode = (qmp: Qmp, node: Qcow2Node, options?: CommandOptions): Promise<unknown> =>
  qmp.execute('blockdev-add', nodeArguments(node), options);

function nodeArguments(node: Qcow2Node): Record<string, unknown> {
  const { tableCacheBytes, tableCacheIdleSeconds } = node;
  return {
    driver: 'qcow2',
    'node-name': validNodeName(node.nodeName),
    'read-only': node.readOnly === true,
    discard: 'unmap',
    'detect-zeroes': node.detectZeroes === true ? 'unmap' : 'off',
    backing: node.backing === null ? null : validNodeName(node.backing),
    ...(tableCacheBytes === undefined ? {} : { 'l2-cache-size': tableCacheBytes }),
    ...(tableCacheIdleSeconds === undefined ? {} : { 'cache-clean-interval': tableCacheIdleSeconds }),
    file: {
      driver: 'file',
      filename: absolutePath(node.path),
      aio: node.io === 'direct' ? 'native' : 'threads',
      discard: 'unmap',
      cache: { direct: node.io === 'direct' },
      ...(node.unlocked === true ? { locking: 'off' } : {}),
    },
  };
}

export const deleteNode = (qmp: Qmp, nodeName: string, options?: CommandOptions): Promise<unknown> =>
  qmp.execute('blockdev-del', { 'node-name': validNodeName(nodeName) }, options);

export const snapshotNode = (
  qmp: Qmp,
  { node, overlay }: { node: string; overlay: string },
  options?: CommandOptions,
): Promise<unknown> =>
  qmp.execute('blockdev-snapshot', { node: validNodeName(node), overlay: validNodeName(overlay) }, options);

export const resizeNode = (
  qmp: Qmp,
  { nodeName, sizeBytes }: { nodeName: string; sizeBytes: bigint },
  options?: CommandOptions,
): Promise<unknown> =>
  qmp.execute('block_resize', { 'node-name': validNodeName(nodeName), size: exactNumber(sizeBytes) }, options);

/** Those with a name of ours; qemu names the files below them by itself (`#block123`). */
export async function listNodes(qmp: Qmp, options?: CommandOptions): Promise<BlockNode[]> {
  const answer = await qmp.execute('query-named-block-nodes', { flat: true }, options);
  return (Array.isArray(answer) ? answer : []).flatMap((node: unknown) => {
    if (!isObject(node) || typeof node['node-name'] !== 'string' || node['node-name'].startsWith('#')) return [];
    const image = isObject(node.image) ? node.image : {};
    return [
      {
        nodeName: node['node-name'],
        driver: String(node.drv),
        path: pathOf(String(image.filename ?? node.file)),
        readOnly: node.ro === true,
        sizeBytes: BigInt(Number(image['virtual-size'] ?? 0)),
      },
    ];
  });
}

/** qemu writes a node whose chain is not that of its header as `json:` with all of it. */
function pathOf(filename: string): string {
  if (!filename.startsWith('json:')) return filename;
  const node: unknown = JSON.parse(filename.slice('json:'.length));
  const file = isObject(node) && isObject(node.file) ? node.file.filename : undefined;
  return typeof file === 'string' ? file : filename;
}

/** qemu's own rule, checked here because it answers with a riddle. @throws NODE_NAME_INVALID */
export function validNodeName(name: string): string {
  if (/^[A-Za-z][\w.-]{0,30}$/.test(name)) return name;
  throw new AppError('NODE_NAME_INVALID', `"${name}" cannot name a block node`, {
    nextStep: 'Up to 31 letters, digits, dots, dashes and underscores, a letter first.',
  });
}

/** JSON has no larger whole numbers than those that a double holds: 8 PiB. @throws SIZE_TOO_LARGE */
export function exactNumber(bytes: bigint): number {
  if (bytes >= 0n && bytes <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(bytes);
  throw new AppError('SIZE_TOO_LARGE', `${bytes} bytes are more than a disk can have, or less`);
}
