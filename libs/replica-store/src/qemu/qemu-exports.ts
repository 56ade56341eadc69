import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import type { ReplicaBlocks } from '../blocks/replica-blocks.ts';
import type { Call } from '../call.ts';
import { replicaLimits } from '../limits.ts';
import { presentDaemon, runningDaemon } from './present-daemon.ts';
import { deleteNodes, qemuChain } from './qemu-chain.ts';
import type { QemuBlocksPorts, QemuDaemon } from './qemu-ports.ts';

type HeadCalls = Pick<ReplicaBlocks, 'exportHead' | 'unexportHead' | 'flush'>;
type LayerCalls = Pick<ReplicaBlocks, 'exportLayer' | 'unexportLayer' | 'layerExports' | 'exportCopy' | 'connect'>;

const headPrefix = 'head-';
/** An id from which a process that takes over recognises the name of the head's export; the name itself is a secret. */
const headId = (name: string): string => headPrefix + createHash('sha256').update(name).digest('hex').slice(0, 16);

export const qemuExports = (ports: QemuBlocksPorts): HeadCalls & LayerCalls => ({
  ...headExports(ports),
  ...layerExports(ports),
});

function headExports(ports: QemuBlocksPorts): HeadCalls {
  const { live } = qemuChain(ports);
  return {
    exportHead: async (name, o) => {
      const daemon = runningDaemon(ports);
      const present = (await daemon.queryBlockExports(o)).find(({ id }) => id.startsWith(headPrefix));
      if (present?.id === headId(name)) return;
      if (present !== undefined) throw new AppError('EXPORT_EXISTS', 'the head is exported under another name');
      const head = (await live(o))?.head ?? '';
      const nodeName = head.replace(/\.qcow2$/, '');
      // An engine reads the allocation of the head, to compare it after an unclean end.
      const how = { writable: true, allocationDepth: true } as const;
      await daemon.blockExportAdd({ type: 'nbd', id: headId(name), nodeName, name, ...how }, o);
    },
    unexportHead: async (o) => {
      const daemon = presentDaemon(ports);
      for (const { id } of (await daemon?.queryBlockExports(o)) ?? []) {
        if (id.startsWith(headPrefix)) await daemon?.blockExportDel({ id, mode: 'hard' }, o);
      }
    },
    flush: async (o) => {
      const daemon = runningDaemon(ports);
      const nodeName = ((await live(o))?.head ?? '').replace(/\.qcow2$/, '');
      // The monitor has no command for a flush.
      const id = 'flush';
      await daemon.blockExportAdd({ type: 'nbd', id, nodeName, name: id, writable: false, allocationDepth: true }, o);
      try {
        await using link = await ports.connect(id, o);
        await link.flush();
      } finally {
        // Also after an abort: with this export the head can be neither closed nor flushed again. The call has its own time limit.
        await daemon.blockExportDel({ id, mode: 'hard' }, { signal: new AbortController().signal });
      }
    },
  };
}

function layerExports(ports: QemuBlocksPorts): LayerCalls {
  return {
    exportLayer: async ({ id, name, files }, o) => {
      const daemon = runningDaemon(ports);
      const nodes = files.map((_, depth) => `${id}.${depth}`);
      for (let at = files.length - 1; at >= 0; at--) {
        const layer = { nodeName: nodes[at] ?? '', path: join(ports.directory, files[at] ?? '') };
        const how = { readOnly: true, unlocked: true, io: ports.io, ...replicaLimits.tableCache };
        await daemon.blockdevAdd({ ...layer, ...how, backing: nodes[at + 1] ?? null }, o);
      }
      const nodeName = nodes[0] ?? '';
      await daemon.blockExportAdd({ type: 'nbd', id, nodeName, name, writable: false, allocationDepth: true }, o);
    },
    exportCopy: async ({ id, name, file }, o) => {
      const daemon = runningDaemon(ports);
      const nodeName = `${id}.0`;
      const layer = { nodeName, path: join(ports.directory, file), io: ports.io, backing: null };
      await daemon.blockdevAdd({ ...layer, detectZeroes: true, ...replicaLimits.tableCache }, o);
      await daemon.blockExportAdd({ type: 'nbd', id, nodeName, name, writable: true, allocationDepth: true }, o);
    },
    unexportLayer: async (id, o) => {
      const daemon = presentDaemon(ports);
      if (daemon === undefined) return;
      await daemon.blockExportDel({ id, mode: 'hard' }, o);
      await deleteNodes(
        daemon,
        (await readerNodes(daemon, o)).filter((node) => node.id === id),
        o,
      );
    },
    layerExports: async (o) => {
      const daemon = presentDaemon(ports);
      if (daemon === undefined) return [];
      const exported = (await daemon.queryBlockExports(o))
        .map(({ id }) => id)
        .filter((id) => !id.startsWith(headPrefix));
      // A process may have died between adding the nodes and the export.
      return [...new Set([...exported, ...(await readerNodes(daemon, o)).map(({ id }) => id)])];
    },
    connect: async (exportName, o) => {
      presentDaemon(ports);
      return ports.connect(exportName, o);
    },
  };
}

async function readerNodes(daemon: QemuDaemon, o: Call): Promise<readonly { id: string; nodeName: string }[]> {
  return (await daemon.queryNamedBlockNodes(o)).flatMap(({ nodeName }) => {
    const id = /^([a-z]+\d+)\.\d+$/.exec(nodeName)?.[1];
    return id === undefined ? [] : [{ id, nodeName }];
  });
}
