import type { ReplicaBlocks } from '../blocks/replica-blocks.ts';
import { qemuChain } from './qemu-chain.ts';
import { qemuExports } from './qemu-exports.ts';
import { qemuFiles } from './qemu-files.ts';
import type { QemuBlocksPorts } from './qemu-ports.ts';

/** {@link ReplicaBlocks} with one storage daemon for the replica, and with qemu-img where no daemon has the file open. */
export const qemuBlocks = (ports: QemuBlocksPorts): ReplicaBlocks => ({
  ...qemuFiles(ports),
  ...qemuChain(ports),
  ...qemuExports(ports),
});
