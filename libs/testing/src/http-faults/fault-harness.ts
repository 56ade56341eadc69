import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AppError } from '@lateen/errors';
import type { Clock, Random } from '@lateen/kernel';
import type { KubeApi, PodLogs, ResourceType } from '@lateen/kube';
import { expect } from 'vitest';
import { FakeClock } from '../clock/fake-clock.ts';
import { seededRandom } from '../clock/seeded-random.ts';
import { type FaultServer, faultServer } from './fault-server.ts';
import { settleWithClock } from './settle-with-clock.ts';

/** Limits of both HTTP adapters; small, so that a test need not wait in real time. */
export interface FaultLimits {
  headersTimeoutMs: number;
  bodyTimeoutMs: number;
  connectTimeoutMs: number;
  watchIdleMsMax: number;
  watchLineBytesMax: number;
  answerBytesMax: number;
}

export interface FaultApiOptions {
  host: string;
  port: number;
  caFile: string;
  tokenFile: string;
  clock: Clock;
  random: Random;
  limits: FaultLimits;
}

export type FaultApi = KubeApi & PodLogs & { close(): void | Promise<void> };

/** Creates the adapter under test, with the service account of a pod: a CA file and a token file. */
export type MakeFaultApi = (options: FaultApiOptions) => FaultApi | Promise<FaultApi>;

export const faultLimits: FaultLimits = {
  headersTimeoutMs: 300,
  bodyTimeoutMs: 300,
  connectTimeoutMs: 2_000,
  watchIdleMsMax: 150_000,
  watchLineBytesMax: 64 * 1024,
  answerBytesMax: 256 * 1024,
};

export const configMaps: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

export const configMap = (name: string, extra: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'ns' },
  ...extra,
});

export const emptyList = { kind: 'ConfigMapList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] };

/** A server, an adapter that uses it, and a clock that moves only when told. */
export interface FaultWorld {
  server: FaultServer;
  api: FaultApi;
  clock: FakeClock;
  setToken(token: string): Promise<void>;
  /** Awaits a call and skips the delays between its attempts; returns its duration on the fake clock. */
  settle<T>(work: Promise<T>): Promise<{ value: T; tookMs: number }>;
  /** The same for a call that must fail. */
  failure(work: Promise<unknown>): Promise<AppError & { tookMs: number }>;
  end(): Promise<void>;
}

export async function faultWorld(makeApi: MakeFaultApi, limits: Partial<FaultLimits> = {}): Promise<FaultWorld> {
  const server = await faultServer();
  const clock = new FakeClock();
  const directory = await mkdtemp(join(tmpdir(), 'lateen-faults-'));
  const tokenFile = join(directory, 'token');
  const caFile = join(directory, 'ca.crt');
  const setToken = (token: string) => writeFile(tokenFile, token);
  await setToken('token-1');
  await writeFile(caFile, server.ca);
  const { host, port } = server;
  const random = seededRandom(1);
  const api = await makeApi({ host, port, caFile, tokenFile, clock, random, limits: { ...faultLimits, ...limits } });

  const settle = async <T>(work: Promise<T>) => {
    const startMs = clock.monotonicMs();
    const value = await settleWithClock(clock, work);
    return { value, tookMs: clock.monotonicMs() - startMs };
  };
  return {
    server,
    api,
    clock,
    setToken,
    settle,
    failure: async (work) => {
      const caught = work.then(
        (value) => expect.unreachable(`the call succeeded: ${JSON.stringify(value)}`),
        (error: AppError) => error,
      );
      const { value, tookMs } = await settle(caught);
      return Object.assign(value, { tookMs });
    },
    end: async () => {
      // The server first: running work then ends by itself.
      await server.close();
      await api.close();
      await rm(directory, { recursive: true });
    },
  };
}
