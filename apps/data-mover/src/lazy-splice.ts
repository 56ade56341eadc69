import type { DataUpload } from '@lateen/api-types';
import { readVerifySettings } from '@lateen/changed-blocks/verification';
import type { KubeApi } from '@lateen/kube';
import { keepsBase } from '@lateen/repository';
import { programBeside } from '@lateen/worker-pool';
import type { EngineSetUp } from './engine-set-up.ts';
import type { ChangesFlags } from './flags.ts';
import type { VolumeSplice } from './splice-program.ts';

/** What is asked for changes of the volume. */
export interface ChangesWish {
  kube: KubeApi;
  /** The namespace of this pod. */
  namespace: string;
  flags: ChangesFlags;
  spec: DataUpload['spec'];
}

/** What a DataUpload wishes when it keeps its snapshots and node-agent has said whose changes they are; undefined for everything else. */
export function changesWish(
  kube: KubeApi,
  { namespace, flags, resource }: { namespace: string; flags: ChangesFlags | undefined; resource: { spec: object } },
): ChangesWish | undefined {
  const spec = resource.spec as DataUpload['spec'];
  return flags !== undefined && keepsBase(spec.dataMoverConfig) ? { kube, namespace, flags, spec } : undefined;
}

/** gRPC and the messages of kopia's server are in a program of their own: only uploads that need a session load it. */
export const loadSessionProgram = async (): Promise<typeof import('./repository-session.ts')> =>
  await import(programBeside('repository-session', import.meta.url).href);

/** Reads the changes of a volume of either mode; the code for that is loaded at the first use. */
export function lazySplice(
  { options, target, files }: Pick<EngineSetUp, 'options' | 'target' | 'files'>,
  { kube, namespace, flags, spec }: ChangesWish,
): VolumeSplice {
  const { clock, random, log, engines } = options;
  const { snapshot, serviceAccount, volumeHandle, claimUid } = flags;
  const volume = {
    snapshot: { namespace, name: snapshot },
    serviceAccount: { namespace, name: serviceAccount },
    driver: spec.csiSnapshot?.driver || undefined,
    volumeHandle,
    claimUid,
    backupStorageLocation: spec.backupStorageLocation,
    parentSnapshot: spec.parentSnapshot,
  };
  const engine = { ...files, process: engines.kopia };
  let opened: Promise<VolumeSplice> | undefined;
  const load = async (): Promise<VolumeSplice> => {
    const program = await loadSessionProgram();
    const verify = readVerifySettings(spec.dataMoverConfig);
    return program.spliceOf({ kube, target, engine, clock, random, log, volume, verify });
  };
  const open = (): Promise<VolumeSplice> => {
    opened ??= load();
    return opened;
  };
  return {
    blocks: {
      changesOf: async (of) => (await open()).blocks.changesOf(of),
      splice: async (request) => (await open()).blocks.splice(request),
    },
    files: {
      changesOf: async (of) => (await open()).files.changesOf(of),
      spliceFiles: async (request) => (await open()).files.spliceFiles(request),
      // What cannot be loaded fails the next call, too.
      begin: (signal) =>
        void open().then(
          ({ files }) => files.begin?.(signal),
          () => {},
        ),
    },
    close: async () => await (await opened?.catch(() => undefined))?.close(),
  };
}
