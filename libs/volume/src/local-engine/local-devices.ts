import { type AttachCall, blockVolumeError } from '@lateen/block-engine';
import { runQuick } from '../host/host.ts';
import { detachLoop, ensureLoop, leavingGone } from '../host/loop-devices.ts';
import { isMounted, usageOf } from '../host/usage.ts';
import type { LocalEngineDeps } from './engine-deps.ts';
import { changing, volumeId, volumeNamed } from './engine-names.ts';

/**
 * Loop devices that were requested through the port, with their users. This is in memory: after a restart a device that is not mounted
 * is detached (`recover.ts`), and its user requests it again.
 */
export class LocalDevices {
  readonly #deps: LocalEngineDeps;
  readonly #askers = new Map<string, Set<string>>();

  constructor(deps: LocalEngineDeps) {
    this.#deps = deps;
  }

  attach(volume: string, node: string, o: AttachCall & { readOnly?: boolean }): Promise<{ devicePath: string }> {
    const { host, paths, nodeId } = this.#deps;
    const ids = () => [volumeId(this.#deps, volume)];
    return changing(this.#deps, o, { what: 'volume', ids }, async () => {
      const record = volumeNamed(this.#deps, volume);
      if (node !== nodeId) {
        throw blockVolumeError(
          'NOT_POSSIBLE_NOW',
          `volume ${volume} is on node ${nodeId} and cannot be used on ${node}`,
          {
            nextStep: `Let the pod run on ${nodeId}.`,
          },
        );
      }
      const file = paths.backingFile(record);
      await host.files.growSparse(file, record.capacityBytes);
      const loop = await ensureLoop(host, file, { readOnly: o.readOnly ?? false, signal: o.signal });
      const askers = this.#askers.get(record.id) ?? new Set();
      this.#askers.set(record.id, askers.add(o.by));
      return { devicePath: loop.path };
    });
  }

  detach(volume: string, node: string, o: AttachCall): Promise<void> {
    const { host, paths, nodeId } = this.#deps;
    const ids = () => [volumeId(this.#deps, volume)];
    return changing(this.#deps, o, { what: 'volume', ids }, async () => {
      const id = volumeId(this.#deps, volume);
      if (node !== nodeId) return;
      const askers = this.#askers.get(id);
      askers?.delete(o.by);
      if (askers !== undefined && askers.size > 0) return;
      const file = paths.backingFile({ id });
      const usage = await usageOf(host, file, o.signal);
      if (isMounted(usage)) {
        const [mount] = [...usage.fileSystemMounts, ...usage.deviceMounts];
        throw blockVolumeError('VOLUME_BUSY', `volume ${volume} is mounted at ${mount?.mountPoint}`, {
          nextStep: 'Unmount it first.',
        });
      }
      for (const loop of usage.loops) {
        await runQuick(host, o.signal, 'sync', [loop.path]);
        await detachLoop(host, loop, o.signal);
      }
      // A process that has the device open keeps it until it closes it.
      await leavingGone(host, file, o.signal);
      this.#askers.delete(id);
    });
  }
}
