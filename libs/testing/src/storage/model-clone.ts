import { hostError, type StartClone } from '@lateen/block-engine';
import type { ModelDisk } from './model-disk.ts';
import type { ModelEngine } from './model-engine.ts';

export interface ModelClonePorts {
  /** A replica on any node, while it serves and its node is reachable. */
  source(replica: string): ModelDisk | undefined;
  engineOf(of: { readonly engine: string; readonly generation: number }): ModelEngine;
}

/** Duration of a clone in ms, and its number of steps. */
export const modelClone = { ms: 20_000, steps: 4 } as const;

/** A clone in steps: the writes of a snapshot become writes of the other volume. A restarted source has lost its reader. */
export function cloneParts(request: StartClone, { source, engineOf }: ModelClonePorts): readonly (() => void)[] {
  const { sourceReplica, snapshot, engine } = request;
  const port = source(sourceReplica)?.port;
  return Array.from({ length: modelClone.steps }, (_, step) => () => {
    const from = source(sourceReplica);
    if (from?.port !== port) throw hostError('HOST_UNREACHABLE', `${sourceReplica} has ended`);
    const of = from?.snapshots.find(({ name }) => name === snapshot);
    if (of === undefined) throw hostError('SNAPSHOT_NOT_FOUND', `${sourceReplica} does not serve snapshot ${snapshot}`);
    const target = engineOf(request);
    for (const [at, id] of [...of.ids].entries()) {
      if (at % modelClone.steps !== step) continue;
      if (!target.write(id)) throw hostError('HOST_UNREACHABLE', `${engine} does not take a write`);
    }
    if (step === modelClone.steps - 1) target.eachDisk((disk) => disk.flush());
  });
}
