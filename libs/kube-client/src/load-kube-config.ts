import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { AppError, isAppError } from '@lateen/errors';
import { inClusterConfig } from '@lateen/kube';
import {
  type ClusterEntry,
  type Kubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
  type UserEntry,
} from './kubeconfig-file.ts';

/** One API server and who we are there. Holds paths and inline credentials: never log it whole. */
export interface ClusterConfig {
  /** `https://host:port`, without a slash at the end. */
  readonly server: string;
  /** The context's name, or `in-cluster`. */
  readonly context: string;
  /** The context's namespace, or the pod's own, or `default`. */
  readonly namespace: string;
  /** The file or files it came from, for messages. */
  readonly source: string;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
  /** Reads the same sources again: after a rotation of inline credentials. */
  reload(): Promise<ClusterConfig>;
}

export interface LoadKubeConfigOptions {
  /** What `--kubeconfig` named; wins over everything else. */
  path?: string | undefined;
  /** Read: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT. */
  env: Readonly<Record<string, string | undefined>>;
  /** Instead of the file's current context. */
  context?: string | undefined;
}

/**
 * Where is the cluster? In kubectl's order: the given path, the files in KUBECONFIG (merged, missing ones skipped),
 * `~/.kube/config`, and at last the service account of the pod we are in.
 * @throws KUBECONFIG_MISSING, KUBECONFIG_UNREADABLE, KUBECONFIG_INVALID (not YAML, no current context, unknown
 *   context, cluster or user), each naming the file and the next step
 */
export async function loadKubeConfig(options: LoadKubeConfigOptions): Promise<ClusterConfig> {
  const { env } = options;
  const { paths, areNamed } = pathsOf(options);
  const files = await readAll(paths);
  if (files.length > 0) return selectContext(mergeKubeconfigs(files), paths.join(delimiter), options);
  if (areNamed) throw missing(paths.join(delimiter));
  if (options.context === undefined && env.KUBERNETES_SERVICE_HOST !== undefined) return inCluster(options);
  throw missing(paths[0] ?? '~/.kube/config');
}

/** Names of the contexts in the same files, none where there is no file. @throws KUBECONFIG_UNREADABLE, KUBECONFIG_INVALID */
export async function kubeContextNames(options: Omit<LoadKubeConfigOptions, 'context'>): Promise<string[]> {
  return [...mergeKubeconfigs(await readAll(pathsOf(options).paths)).contexts.keys()];
}

function pathsOf({ env, path }: LoadKubeConfigOptions): { paths: string[]; areNamed: boolean } {
  const listed = (env.KUBECONFIG ?? '').split(delimiter).filter((entry) => entry !== '');
  if (path !== undefined || listed.length > 0) return { paths: path === undefined ? listed : [path], areNamed: true };
  return { paths: env.HOME === undefined ? [] : [join(env.HOME, '.kube', 'config')], areNamed: false };
}

async function readAll(paths: readonly string[]): Promise<Kubeconfig[]> {
  const files: Kubeconfig[] = [];
  for (const path of paths) {
    const text = await readText(path).catch((error: unknown) => {
      if (isAppError(error, 'KUBECONFIG_MISSING')) return undefined;
      throw error;
    });
    if (text !== undefined) files.push(parseKubeconfig(text, path));
  }
  return files;
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') throw missing(path);
    const nextStep = 'Check that it is a file and that this user may read it';
    throw new AppError('KUBECONFIG_UNREADABLE', `kubeconfig ${path} cannot be read`, { cause, nextStep });
  }
}

function selectContext(config: Kubeconfig, source: string, options: LoadKubeConfigOptions): ClusterConfig {
  const name = options.context ?? config.currentContext;
  const known = [...config.contexts.keys()].join(', ') || 'none';
  if (name === undefined) {
    throw invalid(`kubeconfig ${source} names no current context`, `Choose one with --kubecontext; it has: ${known}`);
  }
  const context = config.contexts.get(name);
  if (context === undefined) {
    throw invalid(`kubeconfig ${source} has no context "${name}"`, `Use one of those it has: ${known}`);
  }
  const cluster = config.clusters.get(context.cluster);
  if (typeof cluster?.server !== 'string' || !/^https?:\/\/./.test(cluster.server)) {
    throw invalid(`kubeconfig ${source}: context "${name}" leads to no cluster with a server address`, correct);
  }
  const user = context.user === undefined || context.user === '' ? {} : config.users.get(context.user);
  if (user === undefined) {
    throw invalid(`kubeconfig ${source}: context "${name}" leads to no user; it names "${context.user}"`, correct);
  }
  return {
    server: cluster.server.replace(/\/+$/, ''),
    context: name,
    namespace: context.namespace ?? 'default',
    source,
    cluster,
    user,
    reload: () => loadKubeConfig({ ...options, context: name }),
  };
}

const correct = 'Correct the file, or name another one with --kubeconfig';

async function inCluster(options: LoadKubeConfigOptions): Promise<ClusterConfig> {
  const { host, port, caFile, tokenFile, namespace } = await inClusterConfig(options.env, (path) =>
    readFile(path, 'utf8'),
  );
  const server = `https://${host.includes(':') ? `[${host}]` : host}:${port}`;
  const config: ClusterConfig = {
    server,
    context: 'in-cluster',
    namespace,
    source: 'the service account of this pod',
    cluster: { server, 'certificate-authority': caFile },
    user: { tokenFile },
    // The files are read again by themselves; the rest of a pod's environment never changes.
    reload: async () => config,
  };
  return config;
}

function missing(source: string): AppError {
  return new AppError('KUBECONFIG_MISSING', `there is no kubeconfig at ${source}`, {
    nextStep: 'Name one with --kubeconfig or KUBECONFIG',
  });
}

function invalid(message: string, nextStep: string): AppError {
  return new AppError('KUBECONFIG_INVALID', message, { nextStep });
}
