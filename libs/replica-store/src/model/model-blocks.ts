import { AppError } from '@lateen/errors';
import type { ReplicaBlocks } from '../blocks/replica-blocks.ts';
import { replicaLimits } from '../limits.ts';
import { modelLink } from './model-link.ts';
import type { ModelImage, ModelMachine } from './model-machine.ts';

const refused = (why: string) => new AppError('REFUSED', why);

/**
 * {@link ReplicaBlocks} on a {@link ModelMachine}, as strict as the daemon: no snapshot and no resize beside a merge or below an export,
 * no file opened twice for writing. As lenient too: a merge beside a reader is not refused.
 */
export function modelBlocks(machine: ModelMachine): ReplicaBlocks {
  return { ...fileCalls(machine), ...chainCalls(machine), ...exportCalls(machine) };
}

type FileCalls = Pick<ReplicaBlocks, 'makeLayer' | 'imageInfo' | 'isBlank' | 'check' | 'relink'>;

function fileCalls(machine: ModelMachine): FileCalls {
  return {
    makeLayer: async (file, { sizeBytes, backingFile }) => {
      if (machine.images.has(file)) throw refused(`${file} exists`);
      const units = new Map<number, number>();
      machine.images.set(file, {
        sizeBytes,
        backingFile,
        units,
        extendedL2: true,
        isBroken: false,
        corruptions: 0,
        modifiedMs: 0,
      });
    },
    imageInfo: async (file) => {
      const image = machine.images.get(file);
      if (image?.isBroken) throw new AppError('IMAGE_BROKEN', `${file} has no header`);
      if (image === undefined) return undefined;
      const { sizeBytes, backingFile, extendedL2 } = image;
      return { sizeBytes, backingFile, extendedL2, clusterBytes: replicaLimits.clusterBytes };
    },
    isBlank: async (file) => closed(machine, file).units.size === 0,
    check: async (file) => ({ corruptions: closed(machine, file).corruptions, leaks: 0 }),
    relink: async (file, backingFile) => {
      const image = closed(machine, file);
      image.backingFile = backingFile;
      image.modifiedMs += 1;
    },
  };
}

function closed(machine: ModelMachine, file: string): ModelImage {
  const image = machine.image(file);
  if (image.isBroken) throw new AppError('IMAGE_BROKEN', `${file} has no header`);
  const isOpen = machine.daemon?.chain.some((layer) => layer.image === image) || machine.daemon?.added.has(file);
  if (isOpen) throw refused(`${file} is open`);
  return image;
}

type ChainCalls = Pick<
  ReplicaBlocks,
  'live' | 'open' | 'close' | 'addLayer' | 'dropAdded' | 'snapshotHead' | 'merge' | 'endMerges' | 'resizeHead'
>;

function chainCalls(machine: ModelMachine): ChainCalls {
  return {
    live: async () => {
      const chain = machine.daemon?.chain ?? [];
      const [head] = chain;
      return head && { head: head.file, files: chain.map(({ file }) => file) };
    },
    open: async (files) => {
      const daemon = machine.running();
      if (daemon.chain.length > 0) throw refused('a chain is open');
      daemon.chain = files.map((file) => ({ file, image: machine.image(file) }));
    },
    close: async () => {
      const { daemon } = machine;
      if (daemon?.headExport !== undefined || daemon?.merge !== undefined) throw refused('the chain is in use');
      // Like the daemon, it does not report a failed flush here.
      if (machine.isDiskFailing) machine.lose();
      else machine.flush();
      if (daemon !== undefined) daemon.chain = [];
      daemon?.added.clear();
    },
    addLayer: async (file) => void machine.running().added.set(file, machine.image(file)),
    dropAdded: async (file) => void machine.daemon?.added.delete(file),
    snapshotHead: async (overlay) => {
      const daemon = machine.running();
      const image = daemon.added.get(overlay);
      if (image === undefined || daemon.merge !== undefined) throw refused(`${overlay} cannot become the head`);
      machine.flush();
      daemon.added.delete(overlay);
      daemon.chain.unshift({ file: overlay, image });
    },
    merge: async ({ child, into }, { signal, onProgress }) => {
      const daemon = machine.running();
      const from = machine.image(child);
      const to = machine.image(into);
      if (daemon.chain[0]?.image === from) throw refused('the head is not merged');
      if (to.sizeBytes < from.sizeBytes) to.sizeBytes = from.sizeBytes;
      const left = [...from.units.keys()];
      const merge = { child: from, into: to, intoFile: into, left, totalUnits: left.length };
      daemon.merge = merge;
      while (machine.running().merge === merge) {
        await Promise.resolve();
        if (signal.aborted) {
          daemon.merge = undefined;
          throw signal.reason;
        }
        daemon.advance();
        onProgress?.(merge.totalUnits - left.length, merge.totalUnits);
      }
    },
    endMerges: async () => {
      if (machine.daemon !== undefined) machine.daemon.merge = undefined;
    },
    resizeHead: async (sizeBytes) => {
      const daemon = machine.running();
      const [head] = daemon.chain;
      if (head === undefined || daemon.headExport !== undefined || daemon.merge !== undefined) throw refused('in use');
      head.image.sizeBytes = sizeBytes;
    },
  };
}

type ExportCalls = Omit<ReplicaBlocks, keyof FileCalls | keyof ChainCalls>;

function exportCalls(machine: ModelMachine): ExportCalls {
  const add = (id: string, name: string, images: readonly ModelImage[]) => {
    const { layerExports } = machine.running();
    if (layerExports.has(id)) throw refused(`${id} is taken`);
    layerExports.set(id, { name, images });
  };
  return {
    exportHead: async (name) => {
      const daemon = machine.running();
      if (daemon.chain.length === 0) throw refused('nothing is open');
      if (daemon.headExport !== undefined && daemon.headExport !== name) throw refused('the head is exported');
      daemon.headExport = name;
    },
    unexportHead: async () => {
      if (machine.daemon !== undefined) machine.daemon.headExport = undefined;
    },
    flush: async () => {
      const daemon = machine.running();
      if (daemon.chain.length === 0 || daemon.headExport !== undefined) throw refused('there is nothing to flush');
      if (machine.isDiskFailing) throw refused('Input/output error');
      machine.flush();
    },
    exportLayer: async ({ id, name, files }) =>
      add(
        id,
        name,
        files.map((file) => machine.image(file)),
      ),
    unexportLayer: async (id) => void machine.daemon?.layerExports.delete(id),
    layerExports: async () => [...(machine.daemon?.layerExports.keys() ?? [])],
    exportCopy: async ({ id, name, file }) => add(id, name, [closed(machine, file)]),
    connect: async (name) => {
      const daemon = machine.running();
      const layer = [...daemon.layerExports.values()].find((one) => one.name === name);
      const head = daemon.headExport === name ? daemon.chain.map(({ image }) => image) : [];
      return modelLink(layer?.images ?? head, () => machine.daemon === daemon);
    },
  };
}
