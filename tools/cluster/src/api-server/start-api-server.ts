import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { type Clock, systemClock } from '@lateen/kernel';
import { apiServerArgs } from '../control-plane/api-server-args.ts';
import { etcdArgs } from '../control-plane/etcd-args.ts';
import { type ChildServer, lastLogLines, startChildServer } from '../host/child-server.ts';
import { waitUntil } from '../host/wait-until.ts';
import { writeFileAtomically } from '../host/write-file.ts';
import { goRuntime } from '../machine/go-runtime.ts';
import { ensureParts } from '../parts/ensure-parts.ts';
import { apiServerParts } from '../parts/part-table.ts';
import { openCertificateStore } from '../pki/certificate-store.ts';
import { kubeconfig } from '../pki/kubeconfig.ts';
import { type Progress, silentProgress } from '../progress/progress.ts';
import { type ApiAccess, apiRequest } from './api-request.ts';
import { freePorts } from './free-port.ts';

export interface StartApiServerOptions {
  progress?: Progress;
  clock?: Clock;
  /** Folder of its files, which stay there; absent: a temporary folder that `stop` removes. */
  dir?: string;
  /** Additional arguments of kube-apiserver. */
  args?: readonly string[];
}

/** etcd and kube-apiserver on loopback, without controllers and nodes. */
export interface RunningApiServer {
  /** Path of a kubeconfig with all permissions. */
  kubeconfig: string;
  url: string;
  /** URL of etcd, for tests that compact the history. */
  etcdUrl: string;
  /** Process IDs, for tests that kill them. */
  pids: { etcd: number; apiServer: number };
  /** Ends both processes. Safe to repeat. */
  stop(): Promise<void>;
}

const serviceSubnet = '10.96.0.0/16';
const readyTimeoutMs = 120_000;
/** Another process may take a free port before it is used; three times in a row means another error. */
const attemptsMax = 3;

/**
 * Starts a real API server for tests. Needs no root and no network beyond loopback. Resolves when `/readyz` answers ok. When `signal`
 * aborts before that, nothing is left; afterwards it is ignored, and `stop` ends the server.
 * @throws what {@link ensureParts} throws, API_SERVER_NOT_READY with the last lines of the logs
 */
export async function startApiServer(
  options: StartApiServerOptions = {},
  signal?: AbortSignal,
): Promise<RunningApiServer> {
  const found = await ensureParts(apiServerParts, options.progress ?? silentProgress, { signal });
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(found, options, signal);
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt === attemptsMax) throw error;
    }
  }
}

async function startOnce(
  binaries: Readonly<Record<string, string>>,
  options: StartApiServerOptions,
  signal: AbortSignal | undefined,
): Promise<RunningApiServer> {
  const clock = options.clock ?? systemClock;
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'lateen-api-')));
  const servers: ChildServer[] = [];
  const stop = async (): Promise<void> => {
    // The API server first: without etcd it would log errors until its end.
    for (const server of servers.toReversed()) await server.stop();
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
  };
  try {
    await mkdir(dir, { recursive: true });
    const [clientPort = 0, peerPort = 0, port = 0] = await freePorts(3);
    const access = await prepareAccess(dir, port, clock);
    const start = async (name: string, args: string[]): Promise<void> => {
      const logFile = join(dir, `${name}.log`);
      servers.push(await startChildServer(binaries[name] ?? name, args, { logFile, clock, env: goRuntime }));
    };
    await start('etcd', etcdArgs({ dataDir: join(dir, 'etcd'), clientPort, peerPort }));
    const etcdUrl = `http://127.0.0.1:${clientPort}`;
    const bindAddress = '127.0.0.1';
    const pkiDir = join(dir, 'pki');
    const args = apiServerArgs({ bindAddress, port, etcdUrl, pkiDir, serviceSubnet, kubelets: false });
    await start('kube-apiserver', [...args, ...(options.args ?? [])]);
    await ready(access, servers, dir, clock, signal);
    const [etcd, apiServer] = servers;
    const pids = { etcd: etcd?.pid ?? 0, apiServer: apiServer?.pid ?? 0 };
    return { kubeconfig: join(dir, 'kubeconfig'), url: access.url, etcdUrl, pids, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Certificates, keys and the administrator's kubeconfig below `dir`. */
async function prepareAccess(dir: string, port: number, clock: Clock): Promise<ApiAccess> {
  const store = await openCertificateStore(join(dir, 'pki'), 'lateen-api', clock.now());
  await store.certificate('apiserver', {
    subject: 'CN=kube-apiserver',
    dnsNames: ['localhost', 'kubernetes.default.svc'],
    ipAddresses: ['127.0.0.1', '10.96.0.1'],
  });
  const client = await store.certificate('admin', { subject: 'CN=lateen-admin,O=system:masters' });
  const url = `https://127.0.0.1:${port}`;
  const authority = store.authority.certificate;
  const text = kubeconfig({ name: 'lateen-api', server: url, authority, client });
  await writeFileAtomically(join(dir, 'kubeconfig'), text, { secret: true });
  return { url, authority, client };
}

async function ready(
  access: ApiAccess,
  servers: readonly ChildServer[],
  dir: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    await waitUntil(async () => (await apiRequest(access, 'GET', '/readyz', { signal })).status === 200, {
      what: `the API server at ${access.url} is ready`,
      timeoutMs: readyTimeoutMs,
      clock,
      signal,
      hopeless: () => servers.map((server) => server.ended()).find((end) => end !== undefined),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    const said = `${await lastLogLines(join(dir, 'etcd.log'))}\n${await lastLogLines(join(dir, 'kube-apiserver.log'))}`;
    throw new AppError('API_SERVER_NOT_READY', `the API server did not become ready:\n${said.trim()}`, { cause });
  }
}
