import { type Logger, silentLogger, systemClock } from '@lateen/kernel';
import type { KubeObject } from '@lateen/kube';
import { type Answer, DynamicClient } from '@lateen/storage-rest/client';
import { longhornNamespace } from '@lateen/storage-types';
import { FakeCluster, seededRandom } from '@lateen/testing';
import {
  type ApiAuth,
  type StorageKind,
  startRestServer,
  storageInformers,
  type VolumeWork,
} from '@lateen/volume-manager';

export interface RestWorldOptions {
  readonly objects?: readonly KubeObject[];
  readonly auth?: ApiAuth;
  readonly work?: VolumeWork;
  readonly log?: Logger;
  readonly node?: string;
  /** Kinds that the server regards as not read yet. */
  readonly unsynced?: readonly StorageKind[];
}

/** The REST server on a free port, over an API server in memory that has these objects. */
export async function restWorld({
  objects = [],
  auth = 'none',
  work,
  log = silentLogger,
  unsynced,
  node,
}: RestWorldOptions) {
  const cluster = new FakeCluster({ clock: systemClock, objects });
  const random = seededRandom(7);
  const base = { api: cluster, namespace: longhornNamespace, clock: systemClock, random, log };
  const stop = new AbortController();
  const informers = storageInformers({ ...base, managerPods: 'app=volume-manager' });
  const running = informers.run(stop.signal);
  await informers.synced(stop.signal);
  const reader = unsynced === undefined ? informers : { ...informers, missing: () => unsynced };
  const listen = { host: '127.0.0.1', port: 0 };
  const server = await startRestServer({
    ...base,
    listen,
    auth,
    reader,
    ...(work === undefined ? {} : { work }),
    ...(node === undefined ? {} : { node }),
  });
  return {
    cluster,
    reader,
    url: server.address,
    ask: (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
      ask(method, path.startsWith('http') ? path : `${server.address}${path}`, body, headers),
    client: () => DynamicClient.connect(`${server.address}/v1`, ask),
    [Symbol.asyncDispose]: async () => {
      await server.stop();
      stop.abort();
      await running;
    },
  };
}
export type RestWorld = Awaited<ReturnType<typeof restWorld>>;

export interface RestAnswer extends Answer {
  readonly headers: Readonly<Record<string, string>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly text: string;
}

/** A string is sent unchanged; everything else as JSON. */
async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RestAnswer> {
  const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
  const answer = await fetch(url, { method, headers, redirect: 'manual', ...sent });
  const text = await answer.text();
  return { status: answer.status, headers: Object.fromEntries(answer.headers), text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
