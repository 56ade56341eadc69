import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { childRunner } from '@lateen/child-process';
import { ensureParts, silentProgress } from '@lateen/cluster';
import type { DataPathProgress, Uploader } from '@lateen/datapath';
import { systemClock, systemRandom } from '@lateen/kernel';
import type { ObjectStore } from '@lateen/object-store';
import {
  dataUploadSource,
  type EngineProcess,
  type EngineRun,
  initialiseRepository,
  initialiseResticRepository,
  openKopiaSession,
  openResticSession,
  type RepositoryTarget,
  resticPlace,
} from '@lateen/repository';
import type { ResolvedLocation } from '@lateen/storage-location';
import { recordingLog } from '@lateen/testing';
import { kopiaUploader, resticUploader, systemBlock, systemPrograms } from '@lateen/uploader';
import { makeResticKeysCheap } from '../repository/cheap-restic-key.ts';

export const repositoryPassword = 'test-password-of-providers-41';

export interface ProviderRigOptions {
  /** All files of the rig are below it. */
  directory: string;
  location: ResolvedLocation;
  openStore: (location: ResolvedLocation) => ObjectStore;
  /** Additional environment: the proxy and the authority of an emulator. */
  environment?: Readonly<Record<string, string>>;
  /** Replaces the program of an engine; default: the program itself. */
  program?: (path: string) => Promise<string>;
}

/** Both real engines on one location of any provider. */
export async function providerRig(options: ProviderRigOptions) {
  const { directory, location, program = async (path) => path } = options;
  const parts = await ensureParts(['kopia'], silentProgress);
  const [kopia, restic] = await Promise.all([program(parts.kopia ?? ''), program('restic')]);
  const [workDirectory, secretsDirectory] = [join(directory, 'work'), join(directory, 'memory')];
  const seen: EngineRun[] = [];
  const session = (binary: string) => ({
    process: remembering(childRunner({ program: binary, clock: systemClock, graceMs: 10_000 }), seen),
    workDirectory,
    secretsDirectory,
    environment: { ...process.env, ...options.environment },
  });
  const target: RepositoryTarget = {
    location,
    volumeNamespace: 'shop',
    password: repositoryPassword,
    uid: 'UID-1',
    cacheLimitMB: 100,
  };
  const log = recordingLog();
  const child = { clock: systemClock, graceMs: 10_000, scratchDirectory: directory };
  const common = {
    clock: systemClock,
    log,
    discardMs: 20_000,
    programs: systemPrograms({ ...child, path: process.env.PATH }),
    block: systemBlock(child),
    flush: async () => {},
  };
  const withStore = async <T>(use: (store: ObjectStore) => Promise<T>): Promise<T> => {
    const store = options.openStore(location);
    try {
      return await use(store);
    } finally {
      await store.close();
    }
  };
  const signal = new AbortController().signal;
  const engines = {
    kopia: {
      initialise: () => withStore((store) => initialiseRepository(target, { store, session: session(kopia), signal })),
      use: async <T>(work: (uploader: Uploader) => Promise<T>): Promise<T> => {
        const open = await openKopiaSession(target, session(kopia));
        try {
          return await work(kopiaUploader({ ...common, session: open, random: systemRandom, parallelFiles: 2 }));
        } finally {
          await open.close();
        }
      },
      /** The rates that kopia reports as configured, under its own names. */
      limits: async (): Promise<Record<string, number>> => {
        const open = await openKopiaSession(target, session(kopia));
        try {
          const exit = await open.run(['repository', 'throttle', 'get', '--json']);
          if (exit.exitCode !== 0) throw open.failure(exit, 'asking for the limits');
          return JSON.parse(exit.stdout);
        } finally {
          await open.close();
        }
      },
    },
    restic: {
      initialise: () =>
        withStore(async (store) => {
          const made = await initialiseResticRepository(target, { store, session: session(restic), signal });
          const { prefix } = resticPlace(location, target.volumeNamespace);
          if (made.outcome === 'created') await makeResticKeysCheap(store, prefix, target.password);
          return made;
        }),
      use: async <T>(work: (uploader: Uploader) => Promise<T>): Promise<T> => {
        const open = await openResticSession(target, session(restic));
        try {
          return await work(resticUploader({ ...common, session: open, usedBytes: async () => 0 }));
        } finally {
          await open.close();
        }
      },
    },
  };
  return {
    engines,
    withStore,
    log,
    /** Arguments and environment of every run of an engine. */
    seen,
    /** Remaining files below the work and memory-backed directories. */
    leftovers: async () => [...(await filesBelow(workDirectory)), ...(await filesBelow(secretsDirectory))],
    /** Uploads a small tree, restores it elsewhere and returns what was restored. */
    roundTrip: async (engine: keyof typeof engines, text: string): Promise<string> => {
      const from = await mkdtemp(join(directory, 'volume-'));
      const to = await mkdtemp(join(directory, 'restored-'));
      await mkdir(join(from, 'deep'));
      await writeFile(join(from, 'deep', 'file'), text);
      const onProgress = (_: DataPathProgress) => {};
      const whole = { volumeMode: 'Filesystem', config: {}, onProgress, signal } as const;
      const { snapshotID } = await engines[engine].use((uploader) =>
        uploader.upload({ ...whole, volumePath: from, source: dataUploadSource('shop', 'data', 'op-1') }),
      );
      await engines[engine].use((uploader) => uploader.download({ ...whole, snapshotID, volumePath: to }));
      return await readFile(join(to, 'deep', 'file'), 'utf8');
    },
  };
}

function remembering(engine: EngineProcess, seen: EngineRun[]): EngineProcess {
  return {
    run: (request) => {
      seen.push(request);
      return engine.run(request);
    },
  };
}

/** Paths of all files below a directory. */
export async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
