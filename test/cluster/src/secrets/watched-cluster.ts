import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { podType } from '@lateen/api-types';
import type { ClusterInfo } from '@lateen/cluster';
import { systemClock } from '@lateen/kernel';
import type { KnownSecret } from '@lateen/testing';
import type { LateenUnderTest } from '../environment/provided-lateen.ts';
import { filesBelow, searchChangedFiles } from './changed-files.ts';
import { watchContainerd } from './containerd-database.ts';
import { keepLogs } from './kept-logs.ts';
import { LeakSearch } from './leak-search.ts';
import { machineTrees, secretsStorage } from './machine-trees.ts';
import { type SampledArguments, sampleArguments } from './sample-arguments.ts';
import { searchAllObjects, watchObjects } from './seen-objects.ts';

export interface WatchedClusterOptions {
  lateen: LateenUnderTest;
  cluster: ClusterInfo;
  secrets: readonly KnownSecret[];
  /** Namespaces of installation and volumes; all names begin with the first. */
  namespaces: readonly [string, ...string[]];
  /** Directory of the test; `given` below it is not searched. */
  directory: string;
}

/** A cluster on which every place where a secret may occur is searched from now on until `end`. */
export interface WatchedCluster extends AsyncDisposable {
  readonly search: LeakSearch;
  /** Searches what exists at the end: logs, objects, files. */
  end(): Promise<SampledArguments>;
  /** Files in the memory-backed volumes for secrets, of the pods with these UIDs, or of the whole installation. */
  filesWithSecrets(podUids?: readonly string[]): Promise<string[]>;
}

export async function watchCluster(options: WatchedClusterOptions): Promise<WatchedCluster> {
  const { lateen, cluster, directory } = options;
  const [namespace] = options.namespaces;
  const search = new LeakSearch(options.secrets);
  const sinceMs = systemClock.now();
  const stop = new AbortController();
  const sampler = sampleArguments();
  const kept = cluster.nodes.map(({ varLogDir }) => ({
    podLogs: join(varLogDir, 'pods'),
    keepIn: join(dirname(varLogDir), `kept-${namespace}`),
    namespacePrefix: namespace,
  }));
  for (const { keepIn } of kept) await mkdir(keepIn, { recursive: true });
  const watching = Promise.all([
    ...kept.map((each) => keepLogs(each, stop.signal)),
    ...cluster.nodes.map((node) => watchContainerd(node, search, stop.signal)),
    watchObjects(lateen.kube, search, options.namespaces, stop.signal),
  ]);
  // Awaited at the end; until then a rejection must not count as unhandled.
  watching.catch(() => {});

  const end = async () => {
    stop.abort();
    await watching;
    const sampled = await sampler.end();
    for (const command of sampled.commands) search.text('argument', command.split('\0', 2).join(' '), command);
    for (const { keepIn } of kept)
      for (const name of await readdir(keepIn)) await search.file('log', join(keepIn, name));
    await searchAllObjects(lateen.kube, search);
    await searchChangedFiles(await machineTrees(cluster, directory), search, sinceMs);
    return sampled;
  };
  return {
    search,
    end,
    filesWithSecrets: async (podUids) => {
      const uids =
        podUids ?? (await lateen.kube.list(podType, { namespace })).items.map(({ metadata }) => metadata.uid);
      const trees = await secretsStorage(
        cluster,
        uids.filter((uid) => uid !== undefined),
      );
      return (await Promise.all(trees.map(filesBelow))).flat();
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await watching.catch(() => {});
      await sampler[Symbol.asyncDispose]();
      for (const { keepIn } of kept) await rm(keepIn, { recursive: true, force: true });
    },
  };
}
