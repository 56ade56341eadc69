import { dirname, isAbsolute, join } from 'node:path';
import { AppError } from '@lateen/errors';
import { load } from 'js-yaml';

/** A cluster, user and context of a kubeconfig file, with the file's own field names (client-go's api/v1 Config). */
export interface ClusterEntry {
  server: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}

export interface UserEntry {
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  as?: string;
  exec?: { command?: string; args?: string[]; env?: { name: string; value: string }[]; [field: string]: unknown };
  'auth-provider'?: unknown;
}

export interface ContextEntry {
  cluster: string;
  user?: string;
  namespace?: string;
}

/** One file, or several merged. */
export interface Kubeconfig {
  clusters: Map<string, ClusterEntry>;
  users: Map<string, UserEntry>;
  contexts: Map<string, ContextEntry>;
  currentContext: string | undefined;
}

const pathFields = ['certificate-authority', 'client-certificate', 'client-key', 'tokenFile'] as const;

/**
 * Reads the text of a kubeconfig file; relative paths in it become relative to its folder.
 * @throws KUBECONFIG_INVALID naming the file and what is wrong with it
 */
export function parseKubeconfig(text: string, path: string): Kubeconfig {
  const parsed = parseYaml(text, path);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid(path, 'it holds no mapping');
  const body = parsed as Record<string, unknown>;
  const current = body['current-context'];
  return {
    clusters: entriesOf<ClusterEntry>(body.clusters, 'cluster', path),
    users: entriesOf<UserEntry>(body.users, 'user', path),
    contexts: entriesOf<ContextEntry>(body.contexts, 'context', path),
    currentContext: typeof current === 'string' && current !== '' ? current : undefined,
  };
}

/** As kubectl merges the files of KUBECONFIG: the first file that sets a name or the current context wins. */
export function mergeKubeconfigs(files: readonly Kubeconfig[]): Kubeconfig {
  const first = <E>(maps: Map<string, E>[]) => new Map(maps.toReversed().flatMap((map) => [...map]));
  return {
    clusters: first(files.map((file) => file.clusters)),
    users: first(files.map((file) => file.users)),
    contexts: first(files.map((file) => file.contexts)),
    currentContext: files.find((file) => file.currentContext !== undefined)?.currentContext,
  };
}

function parseYaml(text: string, path: string): unknown {
  try {
    return load(text);
  } catch (cause) {
    // The parser's message quotes the lines around the fault, which may hold a token: only its reason is repeated.
    const reason = cause instanceof Error && 'reason' in cause ? ` (${String(cause.reason)})` : '';
    throw invalid(path, `it is not YAML${reason}`);
  }
}

function entriesOf<E extends object>(
  list: unknown,
  kind: 'cluster' | 'user' | 'context',
  path: string,
): Map<string, E> {
  if (list === undefined || list === null) return new Map();
  if (!Array.isArray(list)) throw invalid(path, `${kind}s is not a list`);
  return new Map(list.map((item: unknown, at) => entryOf<E>(item, kind, at, path)));
}

function entryOf<E extends object>(item: unknown, kind: string, at: number, path: string): [string, E] {
  const named = (typeof item === 'object' && item !== null ? item : {}) as Record<string, unknown>;
  const { name } = named;
  const entry = named[kind] ?? {};
  if (typeof name !== 'string' || name === '') throw invalid(path, `${kind}s[${at}] has no name`);
  if (typeof entry !== 'object') throw invalid(path, `${kind} "${name}" is not a mapping`);
  return [name, absolutePaths(entry as Record<string, unknown>, dirname(path)) as E];
}

function absolutePaths(entry: Record<string, unknown>, directory: string): Record<string, unknown> {
  const result = { ...entry };
  for (const field of pathFields) {
    const value = result[field];
    if (typeof value === 'string' && value !== '' && !isAbsolute(value)) result[field] = join(directory, value);
  }
  return result;
}

function invalid(path: string, what: string): AppError {
  const nextStep = 'Correct the file, or name another one with --kubeconfig';
  return new AppError('KUBECONFIG_INVALID', `kubeconfig ${path} cannot be used: ${what}`, { nextStep });
}
